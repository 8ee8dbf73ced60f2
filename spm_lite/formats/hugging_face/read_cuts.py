"""Pipelines that cut a text before its parts become pieces: the cuts of a model, and the steps before them.

The text stays as it is in tokenizers: a space is a space, and U+2581 is a character like any other. Each part is then a
text of its own, as for a model of tokenizers.

Cuts after ByteLevel, as in Falcon's file, see a character of the byte alphabet for each byte. Those of printable ASCII
stand for themselves, so a pattern of them cuts the text in the same places. Digits takes six others for numbers, and
cuts within the characters that have these bytes. No model cuts so. None has to, if no merge joins what Digits cuts:
then each piece lies between two of its cuts anyway.
"""

from __future__ import annotations

import json
import re
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.base.patterns.pattern_compiler import compile_pattern
from spm_lite.base.patterns.pattern_parser import is_nullable, parse_pattern
from spm_lite.base.patterns.text_cuts import make_cuts
from spm_lite.errors import ModelError
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.hugging_face.components import split_regex
from spm_lite.formats.hugging_face.read_merges import is_pair, merges_of
from spm_lite.formats.hugging_face.read_pieces import has_affixes
from spm_lite.formats.hugging_face.read_steps import check_steps
from spm_lite.formats.hugging_face.read_text_parts import TextSettings, flat, scheme_of
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.formats.text_splits import WORDS, escaped_sign, splits_of_step
from spm_lite.kinds import CONTROL, SPACE, UNKNOWN
from spm_lite.normalize.component_steps import steps_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spm_lite.base.patterns.pattern_parser import Node
    from spm_lite.formats.hugging_face.read_vocabulary import AddedTokens
    from spm_lite.formats.text_splits import Split
    from spm_lite.normalize.text_step import TextStep
    from spm_lite.vocab.model_writer import Piece

WHOLE_TEXT: Split = (r"[\s\S]+", "Isolated", False)  # of a pre-tokenizer that cuts nothing
NO_WHITE: set[Split] = {(r"\s+", "Removed", False), (WORDS, "Removed", True)}  # the cuts that drop all white space
PRINTABLE = (0x21, 0x7F)  # code points that are bytes of the same number
ASCII_DIGITS = (0x30, 0x3A)
NUMBERS = frozenset(sign for sign in BYTES if sign.isnumeric())  # 0-9, and the signs of six bytes of longer characters


def read_cuts(parts: dict[str, Any]) -> TextSettings:
    """What happens to a text that is cut. Raises ModelError, naming it, for a component that no model does."""
    steps = flat(parts.get("normalizer"), "normalizer", "normalizer")
    check_steps(steps)
    splits: list[Split] = []
    late: list[dict[str, Any]] = []
    given = flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")
    others = dict.fromkeys(part["type"] for part in given if part["type"] != "Metaspace")
    for part in given:
        if part["type"] == "Metaspace":
            if late:
                raise refuse("pre_tokenizer", "a second Metaspace")
            check_scheme(part, ", ".join(others) or "a model of words")
            late, splits = read_metaspace(part, splits)
            continue
        found = splits_of_step(part)
        if found is None:
            raise refuse("pre_tokenizer", f"the component {part['type']}")
        splits += found
    check_patterns(splits)
    return TextSettings(
        steps=[json.dumps(step, ensure_ascii=False, sort_keys=True) for step in [*steps, *late]],
        cuts=tuple(splits or [WHOLE_TEXT]),
    )


def check_scheme(part: dict[str, Any], others: str) -> None:
    """Raise ModelError for a Metaspace that begins the first part of a text alone. others: what makes the parts."""
    if scheme_of(part) == "first":
        reason = refuse("pre_tokenizer.Metaspace", f"the scheme first beside {others}")
        raise ModelError(
            f"{reason}. With prepend_scheme always and split true it can be read; later parts then get other ids"
        )


def read_metaspace(part: dict[str, Any], before: list[Split]) -> tuple[list[dict[str, Any]], list[Split]]:
    """(steps, cuts) of a Metaspace. before: the cuts before it, which only what begins a part still shows later."""
    place = "pre_tokenizer.Metaspace"
    sign = field(part, "replacement", str, place, SPACE)
    if len(sign) != 1 or sign == " ":
        raise refuse(place, f"the replacement {sign!r:.40}")
    scheme = scheme_of(part)
    splits = field(part, "split", bool, place, True)
    cut = [(escaped_sign(sign), "MergedWithNext", False)] if splits else []
    if scheme == "never" and not NO_WHITE.isdisjoint(before):  # no space is left that could become the sign
        return [], before + cut
    if before and (scheme != "always" or not splits):
        raise refuse("pre_tokenizer", "a cut before a Metaspace that does not begin each word")
    check_patterns(before)
    steps = [{**split_regex(pattern, behavior), "invert": invert} for pattern, behavior, invert in before]
    steps.append({"type": "Metaspace", "replacement": sign, "prepend_scheme": scheme, "split": False})
    return steps, cut


def written_by(steps: Iterable[str]) -> set[str]:
    """The characters that steps write in the place of others, so that a text may become a name that they change."""
    found: set[str] = set()
    for step in map(json.loads, steps):
        found |= set(BYTES) if step["type"] == "ByteLevel" else set(step.get("content") or step.get("prepend") or "")
    return found


def report_made(settings: TextSettings, entries: Iterable[Piece], added: AddedTokens, findings: Findings) -> None:
    """Report special pieces that a text may become when it is normalized: they are found in raw text alone here.

    Those that are looked for in normalized text are normalized, too. So they are found with the text of a Prepend
    before them alone, and what spells them elsewhere may become the piece.
    """
    normalized_tokens = [text for text in added.special if added.rules[text]["normalized"]]
    if normalized_tokens and settings.cuts and any('"Prepend"' in step for step in settings.steps):
        findings.add(
            "made",
            f"no text that spells {examples(normalized_tokens)}, to which the normalizer puts a text first there",
            spells_none(normalized_tokens),
        )
    early = steps_of(settings.steps)[1] if settings.steps else None
    if early is None:
        return
    cuts = make_cuts(settings.cuts)  # None: words, which begin with a space
    step: TextStep = early

    def normalized(text: str) -> str:
        return step.normalize(text.encode()).decode()

    names = [str(text) for text, _, kind in entries if kind in (CONTROL, UNKNOWN) and text]
    written = written_by(settings.steps)
    names = [name for name in names if name in normalized(name) or not written.isdisjoint(name)]
    if cuts is not None:
        names = [name for name in names if len(cuts.parts(name.encode())) == 1]
    if names:
        between = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
        is_free = spells_none(names)
        findings.add(
            "made",
            f"no text that becomes a special piece when it is normalized, such as {examples(names)}",
            lambda text: all(is_free(normalized(part)) for part in between.split(text)),
        )


def check_patterns(splits: list[Split]) -> None:
    """Raise ModelError, naming it, for a pattern that is not read."""
    for pattern, _, _ in splits:
        try:
            compile_pattern(pattern)
        except ModelError as error:
            raise ModelError(f"pre_tokenizer: {error}") from None


def cuts_of_bytes(steps: list[dict[str, Any]], model: dict[str, Any]) -> list[Split]:
    """The cuts of a text that components after ByteLevel do. model: of the file, whose merges Digits must not cut.

    Raises ModelError, naming it, for a component that would cut a text otherwise.
    """
    found: list[Split] = []
    allowed = PRINTABLE
    for step in steps:
        if step["type"] == "Digits":
            check_digits(field(step, "individual_digits", bool, "pre_tokenizer.Digits", False), model)
            allowed = ASCII_DIGITS  # a match of other characters too would cross the cuts of Digits
        elif step["type"] == "Split":
            found += splits_of_step(step) or []
            check_signs(found[-1][0], allowed)
        else:
            raise refuse("pre_tokenizer", f"the component {step['type']} after ByteLevel")
    return found


def check_digits(is_each: bool, model: dict[str, Any]) -> None:
    """Raise ModelError if some text has other ids without Digits. is_each: it cuts between two numbers too."""
    place = "Digits after ByteLevel"
    if has_affixes(model) or field(model, "ignore_merges", bool, "model", False):
        raise refuse("pre_tokenizer", f"{place}, with a prefix or suffix of pieces or ignore_merges")
    lacking = next((sign for sign in BYTES if sign not in field(model, "vocab", dict, "model", {})), None)
    if lacking is not None:
        raise refuse("pre_tokenizer", f"{place}, with no piece for the byte 0x{BYTES[lacking]:02X}")
    for pair in filter(is_pair, merges_of(field(model, "merges", list, "model", []))):
        ends = pair[0][-1:] in NUMBERS, pair[1][:1] in NUMBERS
        if ends[0] != ends[1] or (is_each and ends[0]):
            raise refuse(
                "pre_tokenizer", f"{place}, which cuts what the merge of {pair[0]!r:.40} and {pair[1]!r:.40} joins"
            )


def check_signs(pattern: str, allowed: tuple[int, int]) -> None:
    """Raise ModelError for a pattern of other characters than code points from allowed[0] to below allowed[1]."""
    try:
        tree = parse_pattern(pattern)
    except ModelError as error:
        raise ModelError(f"pre_tokenizer: {error}") from None
    if is_nullable(tree) or not is_of(tree, *allowed):
        signs = "the digits 0 to 9, after Digits" if allowed == ASCII_DIGITS else "printable ASCII"
        raise refuse("pre_tokenizer", f"Split after ByteLevel at {pattern!r:.60}, which matches more than {signs}")


def is_of(node: Node, first: int, last: int) -> bool:
    """Whether all that a node looks at is characters from `first` to below `last`."""
    kind = node[0]
    if kind == "set":
        return all(first <= code <= last for code in node[1])
    if kind in ("all", "any"):
        return all(is_of(each, first, last) for each in node[1])
    return kind == "repeat" and is_of(node[1], first, last)
