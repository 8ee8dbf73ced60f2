"""From the components of a tokenizer.json, as a model keeps them, to the steps that a text goes through.

A component is the JSON of one normalizer of tokenizers, or of a pre-tokenizer that marks words. Each way to cut a text
before a Metaspace is a `Split`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, reduce
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.kinds import SPACE
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.pattern_steps import PartsStep, ReplaceStep
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import compile_rules, compile_table
from spm_lite.normalize.rules.rule_sets import read_table
from spm_lite.normalize.rules.unicode_form import FORMS, OLDER, unicode_form
from spm_lite.normalize.sign_steps import BertStep, SpellStep
from spm_lite.normalize.step_chain import (
    PrecompiledStep,
    RulesStep,
    RunsStep,
    StartStep,
    StepPair,
    StripStep,
    WordsStep,
)
from spm_lite.normalize.text_step import TextStep

Component = dict[str, Any]
WORDS = ("WhitespaceSplit", "Punctuation", "Digits")  # pre-tokenizers that make words before a Metaspace
LATE = (*WORDS, "Split", "Metaspace")  # steps that are pre-tokenizers: they come after the search for tokens
ALWAYS, UNLESS_THERE, IF_THERE = range(3)  # when a StartStep puts its content before a text
TABLES = {"Lowercase": "lowercase", "StripAccents": "strip_accents"}
NMT_DROPPED = [*range(1, 9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F]
NMT_SPACES = [0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]


def steps_of(components: Sequence[str]) -> tuple[TextStep, TextStep | None, TextStep | None]:
    """(all steps of components, those before words are made, what makes words); None: there are none.

    Raises ModelError for a component that is not known, or is no JSON.
    """
    try:
        found = [json.loads(component) for component in components]
        late = [part for part in found if is_late(part)]
        steps = [step_of(part) for part in found[: len(found) - len(late)]]
        words = late_step(late) if late else None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"a step of the model is no component of tokenizers: {error}") from None
    early = reduce(StepPair, steps) if steps else None
    if words is None or early is None:
        return early or words, early, words  # type: ignore[return-value]
    return StepPair(early, words), early, words


def is_late(part: Component) -> bool:
    """Whether a component is a pre-tokenizer; a ByteLevel is one if it puts a space before a text."""
    return part["type"] in LATE or (part["type"] == "ByteLevel" and bool(part.get("add_prefix_space")))


def adds_space(components: Sequence[str]) -> bool:
    """Whether words begin with U+2581, so that decoding takes it from the first, as it does with a dummy space."""
    if not components:
        return False
    last = json.loads(components[-1])
    return last["type"] in WORDS or (
        last["type"] == "Metaspace" and last["replacement"] == SPACE and begins_words(last)
    )


def space_signs(components: Sequence[str]) -> tuple[str, ...]:
    """What stands for a space in normalized text."""
    return (" ", SPACE, *(part["replacement"] for part in map(json.loads, components) if part["type"] == "Metaspace"))


def begins_words(metaspace: Component) -> bool:
    """Whether a Metaspace puts its sign before each word."""
    return bool(metaspace["prepend_scheme"] == "always")


def late_step(parts: list[Component]) -> TextStep:
    """The step of pre-tokenizers. Raises ModelError for one that is not known."""
    *others, last = parts
    if last["type"] == "ByteLevel":
        return StartStep(b" ", UNLESS_THERE)
    if last["type"] != "Metaspace":
        return words_step(parts)
    splits = tuple([(part["pattern"]["Regex"], part["behavior"], bool(part["invert"])) for part in others])
    return PartsStep(splits, last["replacement"].encode(), begins_words(last))


def is_known(part: Component) -> bool:
    """Whether a component is one of those that become steps."""
    try:
        words_step([part]) if part["type"] in WORDS else step_of(part)
    except ModelError:
        return False
    return True


def step_of(part: Component) -> TextStep:
    """The step of a normalizer. Raises ModelError, naming it, for one that is not known."""
    kind = part["type"]
    if kind in FORMS:
        return unicode_form(kind + OLDER)
    if kind in TABLES:
        return table_step(TABLES[kind])
    if kind == "Nmt":
        rules = {**{chr(code): "" for code in NMT_DROPPED}, **{chr(code): " " for code in NMT_SPACES}}
        return rules_step(compile_rules(rules))
    if kind == "Precompiled":
        return PrecompiledStep(Charsmap(blob_of(part)))
    if kind == "Strip":
        return StripStep(flag_of(part, "strip_left"), flag_of(part, "strip_right"))
    if kind == "Prepend" and isinstance(part.get("prepend"), str):
        return StartStep(part["prepend"].encode(), ALWAYS)
    if kind == "ByteLevel":
        return SpellStep()
    if kind == "BertNormalizer":
        return bert_step(part)
    if kind == "Replace":
        return replace_step(part)
    raise ModelError(f"normalizer: the component {kind!s:.60}, which no model of spm_lite has")


def flag_of(part: Component, name: str, default: bool = True) -> bool:
    """A flag of a component; the default if it is missing or null. Raises ModelError for another value."""
    value = part.get(name)
    if value is not None and type(value) is not bool:
        raise ModelError(f"{part['type']}.{name} is {value!r:.60}: it must be true or false")
    return default if value is None else value


def bert_step(part: Component) -> TextStep:
    """What a BertNormalizer does, in the order of its flags; its tables are those of an early Unicode."""
    cleans, lowers = flag_of(part, "clean_text"), flag_of(part, "lowercase")
    steps: list[TextStep] = [BertStep(cleans, flag_of(part, "handle_chinese_chars"))]
    if cleans:
        steps.append(table_step("bert_cased"))
    if flag_of(part, "strip_accents", lowers):
        steps += [unicode_form("NFD" + OLDER), marks_step()]
    if lowers:
        steps.append(table_step("lowercase"))
    return reduce(StepPair, steps)


@cache
def table_step(name: str) -> TextStep:
    """The step of a table of rules."""
    return rules_step(compile_table(read_table(name)))


@cache
def marks_step() -> TextStep:
    """The step that drops the marks which BERT drops, besides what it drops in all texts."""
    cased, uncased = read_table("bert_cased"), read_table("bert_uncased")
    marks = {sign: "" for sign, target in uncased.items() if not target and cased.get(sign) != ""}
    return rules_step(compile_table(marks))


def rules_step(blob: bytes) -> TextStep:
    """The step of compiled rules. Bytes that are not UTF-8 stay as they are."""
    return RulesStep(Normalizer(Charsmap(blob), False, False, False, lossless=True))


def blob_of(part: Component) -> bytes:
    """The rules of a `Precompiled`. Raises ModelError if they are damaged."""
    import binascii

    try:
        return binascii.a2b_base64(part["precompiled_charsmap"], strict_mode=True)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"normalizer.Precompiled.precompiled_charsmap is not base64: {error}") from None


def replace_step(part: Component) -> TextStep:
    """The step of a `Replace`. Raises ModelError, naming the pattern, for one that is not known."""
    pattern, content = part.get("pattern"), part.get("content")
    wanted = ModelError(f"normalizer: Replace of {pattern!s:.60}, which no model of spm_lite has")
    if not isinstance(content, str):
        raise ModelError(f"normalizer: Replace.content is {content!r:.60}: it must be a string")
    if not isinstance(pattern, dict):
        raise wanted
    text = pattern.get("String")
    if isinstance(text, str):
        if not text or "\0" in text + content:
            raise wanted
        return rules_step(compile_rules({text: content}) if text != content else b"")
    data = content.encode("utf-8", "surrogatepass")
    steps: dict[Any, TextStep] = {
        " {2,}": RunsStep(data, 2),
        r"\s+": RunsStep(data, 1, True),
        rf"\A{SPACE}": StartStep(SPACE.encode(), IF_THERE) if content == SPACE * 2 else None,  # type: ignore[dict-item]
        r"\A +| +\z": StripStep(True, True, False) if not content else None,  # type: ignore[dict-item]
    }
    regex = pattern.get("Regex")
    if not isinstance(regex, str):
        raise wanted
    found = steps.get(regex)
    if found is not None:
        return found
    try:
        return ReplaceStep(regex, data)
    except ModelError as error:
        raise ModelError(f"normalizer: Replace of {pattern!s:.60}: {error}") from None


def words_step(parts: list[Component]) -> TextStep:
    """The step of pre-tokenizers that make words. Raises ModelError for one that is not known."""
    flags = {"drops_white": False, "by_punctuation": False, "by_digits": False, "by_numbers": False}
    for part in parts:
        kind = part["type"]
        if kind == "WhitespaceSplit":
            flags["drops_white"] = True
        elif kind == "Punctuation" and part.get("behavior", "Isolated") == "Isolated":
            flags["by_punctuation"] = True
        elif kind == "Digits":
            flags["by_digits" if flag_of(part, "individual_digits", False) else "by_numbers"] = True
        else:
            raise ModelError(f"pre_tokenizer: the component {kind}, which no model of spm_lite has before Metaspace")
    return WordsStep(**flags)
