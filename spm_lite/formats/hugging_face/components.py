"""Parts of a tokenizer.json: the objects that replace, split and join, as tokenizers 0.23 reads them.

Also the pieces of a model as its vocabulary can hold them, and split patterns in the spelling of Oniguruma.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.vocab.split_pattern_names import (
    CL100K_PATTERN,
    GPT2_OF_TIKTOKEN,
    GPT2_PATTERN,
    LLAMA3_PATTERN,
    WHITE,
)

if TYPE_CHECKING:
    from spm_lite.vocab.vocab import Vocab


Entry = tuple[str, float, int]  # text, score, type of a piece
RESERVED = (UNKNOWN, CONTROL, BYTE)


TOKENIZER = "tokenizer.json"  # the name of the file


def entries_of(vocab: Vocab, spelled: Callable[[bytes], str] | None = None) -> list[Entry]:
    """The pieces by id. Added tokens of all texts count as control pieces, unless merges make them too.

    Raises OptionError for one that JSON cannot hold, and for a text that two pieces have.

    spelled: how the bytes of a piece are written, where pieces are bytes.
    """
    found: list[Entry] = []
    seen: dict[str, int] = {}
    for i in range(vocab.size):
        data, kind = vocab.text(i), vocab.type(i)
        if kind != NORMAL and vocab.is_added(i):
            kind = CONTROL
        # An unused piece of a list of merges spells no bytes.
        if spelled is not None and kind not in RESERVED and not (kind == UNUSED and vocab.merge_list is not None):
            text = spelled(data)
        else:
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                raise OptionError(f"the piece {i}, {data!r:.60}, is not UTF-8: JSON cannot hold it") from None
        if text and text in seen:  # an empty one stands for an id without a piece
            raise OptionError(
                f"the pieces {seen[text]} and {i} have the same text, {text!r:.60}: tokenizer.json holds each text once"
            )
        score = vocab.score(i)
        if not isfinite(score):
            raise OptionError(f"the piece {i}, {text!r:.60}, has the score {score}: JSON has no such number")
        seen[text] = i
        found.append((text, score, kind))
    return found


def texts_of(entries: Iterable[Entry], *kinds: int) -> list[str]:
    """The texts of the pieces of some types, in the order of ids."""
    return [text for text, _, kind in entries if kind in kinds]


def unused(entries: Iterable[Entry]) -> list[str]:
    """The texts of unused pieces. Empty ones, which stand for ids without a piece, are not among them."""
    return [text for text in texts_of(entries, UNUSED) if text]


def symbols_of(entries: Iterable[Entry], escapes_spaces: bool) -> list[str]:
    """The user-defined pieces that can match, the longest first. One with a space never does if spaces are U+2581."""
    found = [text for text in texts_of(entries, USER_DEFINED) if not (escapes_spaces and " " in text)]
    return sorted(found, key=lambda text: (-len(text), text))


def all_splits(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """Every split of every normal piece into two normal ones, in the order in which BPE merges them.

    The best score of the whole comes first, then the smallest id, then the shortest left part.
    """
    normal = [(-score, i, text) for i, (text, score, kind) in enumerate(entries) if kind == NORMAL]
    known = {text for _, _, text in normal}
    return [
        (text[:k], text[k:])
        for _, _, text in sorted(normal)
        for k in range(1, len(text))
        if text[:k] in known and text[k:] in known
    ]


# `$` is the end of a line there, and a brace with a plus is not a possessive count.
SPELLINGS = {
    GPT2_OF_TIKTOKEN: GPT2_PATTERN,
    CL100K_PATTERN: LLAMA3_PATTERN.removesuffix(WHITE) + r"\s+\z|" + WHITE,
}


def spelled(pattern: str) -> str:
    """The pattern for tokenizer.json."""
    return SPELLINGS.get(pattern, pattern)


Part = dict[str, Any]
LISTS = {  # kind of part -> the key of the list in a Sequence
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "decoder": "decoders",
    "post_processor": "processors",
}


def replace(old: str, new: str) -> Part:
    """Replaces a text."""
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def replace_regex(pattern: str, new: str) -> Part:
    """Replaces matches of a regular expression of Oniguruma. new: literal."""
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": new}


def split_regex(pattern: str, behavior: str = "Isolated") -> Part:
    """Splits at matches of a regular expression."""
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}


def split_string(text: str, behavior: str) -> Part:
    """Splits at a text."""
    return {"type": "Split", "pattern": {"String": text}, "behavior": behavior, "invert": False}


def metaspace(sign: str, scheme: str) -> Part:
    """Turns spaces into a sign, and puts it before a text by a scheme: "first", "always" or "never"."""
    return {"type": "Metaspace", "replacement": sign, "prepend_scheme": scheme, "split": False}


def escaped(text: str) -> str:
    """A regular expression that matches a text: each sign other than a letter or a digit is written as a number.

    >>> escaped("a.b")
    'a\\\\x{2e}b'
    """
    return "".join(sign if sign.isascii() and sign.isalnum() else f"\\x{{{ord(sign):x}}}" for sign in text)


def joined(kind: str, parts: list[Part]) -> Part | None:
    """The parts as one: None for none, a Sequence for several."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"type": "Sequence", LISTS[kind]: parts}
