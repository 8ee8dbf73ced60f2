"""Ways to cut a text, as tokenizer.json and tiktoken say them, -> a known pattern or splits of a model, and back."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.base.patterns.pattern_parser import ONIGURUMA, RUST, SCRIPT_RUNS, respelled
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.hugging_face.components import SPELLINGS, split_regex
from spm_lite.formats.json_file import field
from spm_lite.kinds import BEHAVIORS
from spm_lite.vocab.split_pattern_names import SIGNATURES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from spm_lite.base.patterns.pattern_scanner import PatternScanner

    Split: TypeAlias = tuple[str, str, bool]  # pattern, behavior, invert
    Cuts: TypeAlias = str | tuple[Split, ...]  # a raw or a split pattern, or splits

SPELLED = {SPELLINGS.get(pattern, pattern): pattern for pattern in SIGNATURES.values()}  # as tokenizers reads them
MOST_LENGTH = 1000  # of FixedLength
NUMERIC = r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]"  # of Digits, which knows Unicode 17
WORDS = r"[\w\x{200C}\x{200D}]+|[^\w\x{200C}\x{200D}\s]+"  # of Whitespace


def escaped_sign(sign: str) -> str:
    """A sign as a number, in a pattern."""
    return sign if sign.isascii() and sign.isalnum() else f"\\x{{{ord(sign):x}}}"


def punctuation() -> str:
    """The set of BERT's punctuation, as a pattern."""
    from spm_lite.base.unicode.ranges import bert_ranges

    items = [item.split("-") for item in bert_ranges.PUNCTUATION.split()]
    return f"[{''.join('-'.join(f'x{{{code}}}' for code in item) for item in items)}]".replace("x{", "\\x{")


def splits_of_step(step: dict[str, Any]) -> list[Split] | None:
    """The splits that a component of tokenizer.json does; None: it is another component.

    Raises ModelError for a field of a wrong type or value.
    """
    kind = step["type"]
    place = f"pre_tokenizer.{kind}"
    if kind == "Split":
        pattern = step.get("pattern")
        given = list(pattern.items())[0] if isinstance(pattern, dict) and len(pattern) == 1 else ("", None)  # noqa: RUF015
        if given[0] not in ("Regex", "String") or not isinstance(given[1], str):
            raise ModelError(f"{place}.pattern is {pattern!s:.60}: it must hold a Regex or a String")
        if given == ("Regex", SCRIPT_RUNS):
            raise ModelError(f"{place}.pattern is {given[1]}, which is no pattern of tokenizers")
        regex = given[1] if given[0] == "Regex" else "".join(map(escaped_sign, given[1]))
        return [(regex, behavior_of(step, place), field(step, "invert", bool, place, False))]
    if kind == "Digits":
        is_each = field(step, "individual_digits", bool, place, False)
        return [(NUMERIC + ("" if is_each else "+"), "Isolated", False)]
    if kind == "Punctuation":
        return [(punctuation(), behavior_of(step, place), False)]
    if kind == "BertPreTokenizer":
        return [(r"\s+", "Removed", False), (punctuation(), "Isolated", False)]
    if kind == "Whitespace":
        return [(WORDS, "Removed", True)]
    if kind == "WhitespaceSplit":
        return [(r"\s+", "Removed", False)]
    if kind == "UnicodeScripts":
        return [(SCRIPT_RUNS, "Removed", True)]
    if kind == "CharDelimiterSplit":
        sign = step.get("delimiter")
        if not isinstance(sign, str) or len(sign) != 1:
            raise ModelError(f"{place}.delimiter is {sign!r:.40}: it must be a character")
        return [(escaped_sign(sign), "Removed", False)]
    if kind == "FixedLength":
        length = field(step, "length", int, place, 5)
        if not 1 <= length <= MOST_LENGTH:
            raise ModelError(f"{place}.length is {length!r:.40}: spm_lite reads 1 to {MOST_LENGTH}")
        return [(rf"[\s\S]{{1,{length}}}", "Isolated", False)]
    return None


def step_of_split(pattern: str, behavior: str, invert: bool) -> dict[str, Any]:
    """The component of tokenizer.json that does a split."""
    if pattern == SCRIPT_RUNS:
        return {"type": "UnicodeScripts"}
    return {**split_regex(pattern, behavior), "invert": invert}


def behavior_of(step: dict[str, Any], place: str) -> str:
    """The behavior of a component."""
    behavior = step.get("behavior", "Isolated")
    if behavior not in BEHAVIORS:
        raise ModelError(f"{place}.behavior is {behavior!r:.40}, which is none of {', '.join(BEHAVIORS)}")
    return str(behavior)


def cuts_of(splits: Sequence[Split]) -> Cuts:
    """A known pattern, if the splits do the same as it does, else the splits. There is one at least.

    Raises ModelError for a pattern that is not read.
    """
    from spm_lite.base.patterns.pattern_compiler import compile_pattern

    found: list[Split] = []
    for pattern, behavior, invert in splits:
        takes_all, known = True, SPELLED.get(pattern, "")
        if not known:
            scanner = compile_pattern(pattern)
            takes_all, known = scanner.takes_all, known_as(scanner)
        if takes_all and (behavior, invert) == ("Removed", True):
            behavior, invert = "Isolated", False  # there is nothing between matches
        if len(splits) == 1 and known and (behavior, invert) == ("Isolated", False):
            return known
        found.append((pattern, behavior, invert))
    return tuple(found)


def known_as(scanner: PatternScanner) -> str:
    """The known pattern that cuts all texts in the same way; empty: there is none."""
    return SIGNATURES.get(scanner.signature.hex(), "") if scanner.signature else ""


def cuts_of_tiktoken(pattern: str) -> Cuts:
    """The cuts of a pattern of tiktoken: text that it does not match has no ids there.

    Raises OptionError for a pattern that is not read.
    """
    from spm_lite.base.patterns.pattern_compiler import compile_pattern
    from spm_lite.base.patterns.pattern_parser import parse_pattern

    try:
        scanner = compile_pattern(pattern, RUST)
        parse_pattern(scanner.pattern)  # as the model file will hold it
        scanner.pattern.encode()
    except UnicodeEncodeError as error:
        raise OptionError(f"pattern={pattern!r:.80} holds a lone surrogate at position {error.start}") from None
    except ModelError as error:
        raise OptionError(f"pattern={pattern!r:.80}: {error}") from None
    known = known_as(scanner)
    if known:
        return known
    return ((scanner.pattern, *(("Isolated", False) if scanner.takes_all else ("Removed", True))),)


def tiktoken_pattern(splits: Sequence[Split], what: str) -> str:
    """The pattern with which tiktoken cuts as splits do. Raises OptionError if there is none. what: the file."""
    from spm_lite.base.patterns.pattern_compiler import compile_pattern

    pattern, behavior, invert = splits[0]
    is_plain = (behavior, invert) == ("Isolated", False) and compile_pattern(pattern).takes_all
    if len(splits) > 1 or not (is_plain or (behavior, invert) == ("Removed", True)):
        reason = (
            f"{len(splits)} patterns cut a text, one after the other"
            if len(splits) > 1
            else f"the pattern {pattern!r:.80} with behavior {behavior}{', inverted,' if invert else ''} leaves text "
            "between its matches"
        )
        raise OptionError(f"{reason}, and {what} has one pattern that takes all text: use to_hf or save the model")
    return respelled(pattern, ONIGURUMA, RUST)
