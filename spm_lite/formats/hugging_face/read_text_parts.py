"""The normalizer and pre-tokenizer of a file with SentencePiece's ways: what they do, as settings of a model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from dataclasses import field as data_field
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.components import LISTS, metaspace, replace, replace_regex
from spm_lite.formats.hugging_face.write_normalizer import END_OF_TEXT
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.ranks.rank_file import from_base64
from spm_lite.kinds import SPACE
from spm_lite.normalize.rules.strict import ESCAPES
from spm_lite.normalize.rules.unicode_form import FORMS, OLDER

LONGEST_TYPE = 60  # characters of the type of a component
SCHEMES = ("first", "always", "never")
NUMBERED = re.compile(r"\\x\{([0-9a-f]{1,6})\}|([A-Za-z0-9])")


@dataclass
class TextSettings:
    """What happens to a text before it is cut, and after it is decoded."""

    form: str = ""  # of Unicode, before all else
    charsmap: bytes = b""
    steps: list[str] = data_field(default_factory=list)  # in place of form, charsmap and rules: see `read_steps`
    has_spaces: bool = False  # pieces hold real spaces
    rules: list[tuple[str, str]] = data_field(default_factory=list)  # one after the other
    prefix: bool = False
    each_text: bool = False  # the prefix comes before each text, not only the first
    unless_space: bool = False  # a text that begins with a space or U+2581 gets no prefix
    splits: bool = False  # no piece holds a U+2581 but at its start
    late_prefix: bool = False  # the first of two Metaspaces puts it there
    suffix: bool = False
    extra_spaces: bool = False  # are removed
    escapes: bool = False
    cuts_words: bool = False
    symbols: list[str] = data_field(default_factory=list)
    cuts: tuple[tuple[str, str, bool], ...] = ()  # of a text that stays as it is otherwise: see `read_cuts`
    unk_surface: str = " \u2047 "

    @property
    def is_strict(self) -> bool:
        """Whether these are the rules of a strict model."""
        return dict(self.rules) == ESCAPES and [source for source, _ in self.rules][-1] == SPACE


def flat(part: Any, kind: str, place: str) -> list[dict[str, Any]]:
    """The parts of a component in order. kind: a key of LISTS."""
    if part is None:
        return []
    kind_of_part = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind_of_part, str) or len(kind_of_part) > LONGEST_TYPE:
        raise ModelError(f"{place} is {part!r:.60}, which is not a component: an object with a type")
    if kind_of_part != "Sequence":
        return [part]
    found: list[dict[str, Any]] = []
    items = field(part, LISTS[kind], list, place)
    if items is None:
        raise ModelError(f"{place}.{LISTS[kind]} is missing or null: a Sequence is a list of components")
    for i, item in enumerate(items):
        found += flat(item, kind, f"{place}[{i}]")
    return found


def plain(part: dict[str, Any]) -> dict[str, Any]:
    """A part without the fields that have no meaning for its type, to be compared."""
    keys = {
        "Replace": ("pattern", "content"),
        "Prepend": ("prepend",),
        "Split": ("pattern", "behavior", "invert"),
        "Metaspace": ("replacement", "prepend_scheme", "split"),
    }
    return {key: part.get(key) for key in ("type", *keys.get(part["type"], ())) if part.get(key) is not None}


TRIM = plain(replace_regex(r"\A +| +\z", ""))
TRIM_END = plain(replace_regex(f"[ {SPACE}]+\\z", ""))
COLLAPSE = plain(replace_regex(" {2,}", " "))
ESCAPE_SPACE = plain(replace(" ", SPACE))
TRIM_ESCAPED = plain(replace_regex(f"{SPACE}+\\z", ""))
SUFFIXES = [plain(replace_regex(END_OF_TEXT, space)) for space in (SPACE, " ")]
PREFIXES = [{"type": "Prepend", "prepend": space} for space in (SPACE, " ")]


LATE_PREFIX = [plain(metaspace(" ", "first")), plain(metaspace(SPACE, "never"))]


def read_normalizer(part: Any, settings: TextSettings) -> None:
    """Enter what a normalizer does into the settings. Raises ModelError for what no model of ours does."""
    steps = flat(part, "normalizer", "normalizer")
    if steps and steps[0]["type"] in FORMS:
        settings.form = str(steps.pop(0)["type"]) + OLDER
    for i, step in enumerate(steps):
        own, place = plain(step), "normalizer"
        if own["type"] == "Precompiled":
            if i > 0:
                raise refuse(place, "Precompiled after other rules")
            settings.charsmap = charsmap_of(step)
        elif own in (TRIM, COLLAPSE, TRIM_END):
            settings.extra_spaces = True
        elif own == ESCAPE_SPACE:
            settings.escapes = True
        elif own == TRIM_ESCAPED and settings.extra_spaces:
            continue
        elif own in SUFFIXES:
            settings.prefix = settings.suffix = True
        elif own in PREFIXES:
            settings.prefix = settings.each_text = True
        elif own["type"] == "Replace":
            add_rule(own, settings)
        else:
            raise refuse(place, f"the component {own['type']}")
    check_order([plain(step) for step in steps], settings)


def check_order(steps: list[dict[str, Any]], settings: TextSettings) -> None:
    """Raise ModelError if the steps stand in an order in which they do something else than in a model."""
    spaces = [step for step in steps if step in (TRIM, COLLAPSE, TRIM_END, ESCAPE_SPACE, TRIM_ESCAPED)]
    expected = [TRIM, COLLAPSE] * settings.extra_spaces + [ESCAPE_SPACE] * settings.escapes
    if settings.extra_spaces and settings.escapes:
        expected.append(TRIM_ESCAPED)
    if spaces == [COLLAPSE, TRIM_END]:
        settings.late_prefix = True  # which the pre-tokenizer must have
    elif spaces != expected:
        raise refuse("normalizer", "Replace of spaces in this order")
    added = [i for i, step in enumerate(steps) if step in PREFIXES or step in SUFFIXES]
    rules = [
        i for i, step in enumerate(steps) if step["type"] == "Precompiled" or step in map(rule_part, settings.rules)
    ]
    others = [i for i, step in enumerate(steps) if step in spaces]
    if len(added) > 1 or (rules and others and max(rules) > min(others)):
        raise refuse("normalizer", "Replace or Prepend in this order")
    if not added:
        return
    first_and_escaped = added[0] == 0 and not rules and not settings.extra_spaces and steps[0] == PREFIXES[0]
    if added[0] != len(steps) - 1 and not first_and_escaped:
        raise refuse("normalizer", "Prepend before other rules")
    sign = SPACE if settings.escapes else " "
    if steps[added[0]] not in (PREFIXES[sign == " "], SUFFIXES[sign == " "]):
        raise refuse("normalizer", "Prepend of another sign than the one that spaces become")


def rule_part(rule: tuple[str, str]) -> dict[str, Any]:
    """The `Replace` that a rule (from, to) of the model becomes in JSON."""
    return plain(replace(*rule))


def add_rule(step: dict[str, Any], settings: TextSettings) -> None:
    """Enter a `Replace` of one character into the rules in `settings`. Raises ModelError for any other."""
    pattern = step.get("pattern")
    source = pattern.get("String") if isinstance(pattern, dict) else None
    content = step.get("content", "")
    if not isinstance(source, str) or not isinstance(content, str) or len(source) != 1 or settings.charsmap:
        raise refuse("normalizer", f"Replace of {pattern!s:.60}")
    if source in " \0" or "\0" in content or any(source in (rule[0], *rule[1]) for rule in settings.rules):
        raise refuse("normalizer", f"Replace of {source!r} after what makes it")
    settings.rules.append((source, content))


def charsmap_of(step: dict[str, Any]) -> bytes:
    """The blob of a `Precompiled`."""
    text = field(step, "precompiled_charsmap", str, "normalizer.Precompiled", "")
    try:
        return from_base64(text)
    except ValueError as error:
        raise ModelError(f"normalizer.Precompiled.precompiled_charsmap is not base64: {error}") from None


def read_pre_tokenizer(part: Any, settings: TextSettings, findings: Findings) -> None:
    """Enter what a pre-tokenizer does into the settings."""
    steps = flat(part, "pre_tokenizer", "pre_tokenizer")
    if [plain(step) for step in steps[:2]] == LATE_PREFIX and not settings.prefix:
        if not settings.escapes and not settings.late_prefix:
            raise refuse("pre_tokenizer", "Metaspace of a real space, in a text that holds some")
        settings.prefix = settings.escapes = True
        del steps[:2]
    elif settings.late_prefix:
        raise refuse("normalizer", "Replace of spaces at the end of a text alone")
    kinds = [step["type"] for step in steps]
    if kinds in (["Metaspace"], ["WhitespaceSplit", "Metaspace"]):
        read_metaspace(steps[-1], len(steps) == 2, settings, findings)
        return
    for step in steps:
        if step["type"] != "Split":
            raise refuse("pre_tokenizer", f"the component {step['type']}")
        read_split(step, settings)


def scheme_of(metaspace: dict[str, Any]) -> str:
    """Which texts a Metaspace begins with its sign: "first", "always" or "never". Raises ModelError for another."""
    place = "pre_tokenizer.Metaspace"
    scheme: str = field(metaspace, "prepend_scheme", str, place, "always")
    if scheme not in SCHEMES:
        raise ModelError(f"{place}.prepend_scheme is {scheme!r:.40}, which is none of {', '.join(SCHEMES)}")
    return scheme if field(metaspace, "add_prefix_space", bool, place, True) else "never"


def read_metaspace(step: dict[str, Any], drops_spaces: bool, settings: TextSettings, findings: Findings) -> None:
    """Enter a Metaspace into `settings`: spaces become U+2581, and one comes before a text that begins otherwise."""
    if (
        field(step, "replacement", str, "pre_tokenizer.Metaspace", SPACE) != SPACE
        or settings.escapes
        or settings.prefix
    ):
        raise refuse("pre_tokenizer", "Metaspace with another sign, or after Prepend")
    scheme = scheme_of(step)
    if drops_spaces and scheme != "always":
        raise refuse("pre_tokenizer", "WhitespaceSplit before a Metaspace that does not begin each word")
    settings.escapes = True
    settings.prefix = scheme != "never"
    settings.each_text = scheme == "always"
    settings.extra_spaces = settings.extra_spaces or drops_spaces
    if drops_spaces:
        findings.refuse(
            "metaspace",
            "pre_tokenizer: WhitespaceSplit and Metaspace drop all white space, not only spaces, and swallow a U+2581 "
            "at the start of a word",
            lambda text: SPACE not in text and not any(sign.isspace() and sign != " " for sign in text),
        )
    else:
        settings.unless_space = settings.prefix
    settings.splits = drops_spaces or field(step, "split", bool, "pre_tokenizer.Metaspace", True)


def read_split(step: dict[str, Any], settings: TextSettings) -> None:
    """Enter a `Split` into `settings`: at user-defined symbols, before U+2581, or at a space that is gone by then."""
    own = plain(step)
    pattern = own.get("pattern")
    pattern = pattern if isinstance(pattern, dict) else {}
    if field(own, "invert", bool, "pre_tokenizer.Split", False):
        raise refuse("pre_tokenizer", "Split with invert")
    if pattern == {"String": " "} and settings.escapes:
        return  # Gemma's: no space is left
    if pattern == {"String": SPACE} and own.get("behavior") == "MergedWithNext":
        settings.cuts_words = True
        return
    symbols = symbols_of(pattern.get("Regex"))
    if not symbols or own.get("behavior") != "Isolated" or settings.symbols:
        raise refuse("pre_tokenizer", f"Split at {pattern!s:.80}")
    settings.symbols = symbols


def symbols_of(pattern: Any) -> list[str] | None:
    """The texts that a regular expression of ours matches, the longest first; None: it is another one."""
    if not isinstance(pattern, str) or not pattern:
        return None
    found = []
    for alternative in pattern.split("|"):
        signs, end = [], 0
        for match in NUMBERED.finditer(alternative):
            if match.start() != end or (match[1] and int(match[1], 16) > 0x10FFFF):
                return None
            signs.append(chr(int(match[1], 16)) if match[1] else match[2])
            end = match.end()
        if end != len(alternative) or not signs:
            return None
        found.append("".join(signs))
    return found if found == sorted(found, key=len, reverse=True) else None
