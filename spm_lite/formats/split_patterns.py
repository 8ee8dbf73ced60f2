"""Split patterns: raw ones, which say where pieces of a model trained here may be, and patterns of other programs."""

from __future__ import annotations

import re

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.near_names import near_names
from spm_lite.vocab.split_pattern_names import PATTERNS, RULES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from spm_lite.formats.text_splits import Cuts

PREFIX = " *[^ ]+| +"  # a space only begins a piece, or the piece is nothing but spaces
SUFFIX = "[^ ]+ *| +"  # a space only ends a piece, or the piece is nothing but spaces
WHOLE = r"[\s\S]+"  # pieces may be anything
RAW = (PREFIX, SUFFIX, WHOLE)  # the raw bytes merge, and no piece crosses a cut of the pattern
END = "<|endoftext|>"
SPECIAL_TOKENS: dict[str, dict[str, int]] = {  # of OpenAI's vocabularies
    "gpt2": {END: 50256},
    "r50k_base": {END: 50256},
    "p50k_base": {END: 50256},
    "cl100k_base": {
        END: 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
    "o200k_base": {END: 199999, "<|endofprompt|>": 200018},
    "o200k_harmony": {
        "<|startoftext|>": 199998, END: 199999, "<|return|>": 200002, "<|constrain|>": 200003, "<|channel|>": 200005,
        "<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008, "<|call|>": 200012, "<|endofprompt|>": 200018,
    },
}  # fmt: skip
# tiktoken has two names of 200018 in o200k_harmony; this one is decoded.
SPECIAL_TOKENS["o200k_harmony"] |= {
    f"<|reserved_{i}|>": i for i in range(200000, 201088) if i not in SPECIAL_TOKENS["o200k_harmony"].values()
}
KNOWN_RANKS = {  # SHA-256 of a rank file, or of a merges.txt -> the name of its tokenizer
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": "r50k_base",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": "p50k_base",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": "cl100k_base",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": "o200k_base",
    "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55": "llama3",
    "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5": "gpt2",
}
QWEN35_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK_V3 = (  # one after the other
    r"\p{N}{1,3}",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
    r"\s*[\r\n]+|\s+(?!\S)|\s+",
)
NAMED: dict[str, Cuts] = {  # what `name=` of a file and `split_pattern=` of a training may be
    **PATTERNS,
    "cl100k": PATTERNS["cl100k_base"],
    "o200k": PATTERNS["o200k_base"],
    "qwen3.5": QWEN35_PATTERN,
    "deepseek_v3": tuple((pattern, "Isolated", False) for pattern in DEEPSEEK_V3),
}
FORM_OF = {"qwen2": "NFC", "qwen3.5": "NFC"}  # name -> the form of Unicode that a text gets before it is cut


def as_pattern(pattern: Any, name: Any) -> Cuts:
    """The pattern that a caller gives, or that of a name. Raises OptionError for one that is not read."""
    if pattern is None and name is None:
        raise OptionError(
            "the file does not say how a text is cut: give name=NAME of its tokenizer, one of "
            f"{', '.join(NAMED)}, or pattern=REGEX. A model file keeps that: convert it to one"
        )
    if pattern is not None and name is not None:
        raise OptionError(f"pattern={pattern!r:.80} and name={name!r:.60} both say how a text is cut: give one of them")
    given = pattern if name is None else name
    if not isinstance(given, str):
        raise ArgumentTypeError(f"{'pattern' if name is None else 'name'} is a str, not {type(given).__name__}")
    if name is not None:
        if name not in NAMED:
            raise OptionError(f"name={name!r:.60}{near_names_of(name)}: the names are {', '.join(NAMED)}")
        return known_or_compiled(NAMED[name])
    return given if given in RAW else known_or_compiled(given)


def known_or_compiled(pattern: Cuts) -> Cuts:
    """A pattern that `split_rules` knows, or splits. Raises OptionError for a pattern that is not read."""
    if isinstance(pattern, tuple) or pattern in RULES:
        return pattern
    from spm_lite.formats.text_splits import cuts_of_tiktoken

    return cuts_of_tiktoken(pattern)


def named_or_given(split_pattern: Cuts) -> Cuts:
    """The pattern of a name, or the given one: of a training. Text between two matches is a part of its own.

    The splits of a model, a tuple, stay as they are. Raises OptionError for a pattern that is not read, and for a word
    that is no name.
    """
    if isinstance(split_pattern, tuple):
        return split_pattern
    if split_pattern not in NAMED and re.fullmatch(r"[\w.-]+", split_pattern):
        raise OptionError(f"there is no pattern of this name{near_names_of(split_pattern)}")
    found = known_or_compiled(NAMED.get(split_pattern, split_pattern))
    return tuple((pattern, "Isolated", False) for pattern, _, _ in found) if isinstance(found, tuple) else found


def near_names_of(name: str) -> str:
    """` (did you mean ...?)` if a name is near to one or two of NAMED, else an empty str."""
    near = " or ".join(map(repr, near_names(name, NAMED)))
    return f" (did you mean {near}?)" if near else ""


def special_tokens_of(name: str | None, given: Any) -> Any:
    """The special tokens that a caller gives; else those that belong to a name."""
    return SPECIAL_TOKENS.get(name or "", ()) if given is None else given


def is_within(piece: bytes, pattern: str) -> bool:
    """Whether no cut of a raw pattern falls into a piece, whatever stands before and after it."""
    if pattern == WHOLE:
        return True
    has_cut = piece.rfind(b" ") > 0 if pattern == PREFIX else 0 <= piece.find(b" ") < len(piece) - 1
    return not has_cut or not piece.strip(b" ")


def pattern_for(pieces: Collection[bytes]) -> str:
    """The raw pattern that cuts most, and cuts no piece."""
    inner = [piece for piece in pieces if piece.find(b" ", 1) > 0]  # PREFIX cuts no other
    if all(is_within(piece, PREFIX) for piece in inner):
        return PREFIX
    return SUFFIX if all(is_within(piece, SUFFIX) for piece in pieces if b" " in piece) else WHOLE


def check_fit(pattern: Cuts, pieces: Iterable[tuple[int, bytes]]) -> None:
    """Raise OptionError for a raw pattern that cuts a piece. pieces: with their ids."""
    if pattern not in RAW:
        return
    for rank, piece in pieces:
        if not is_within(piece, pattern):
            raise OptionError(
                f"pattern={pattern!r} cuts the piece {rank}, {piece!r:.60}: texts with these bytes would get other "
                "ids. Give the pattern that the file was made with"
            )
