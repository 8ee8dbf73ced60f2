"""The pieces of a model, as the vocabulary of a tokenizer.json can hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED

if TYPE_CHECKING:
    from spm_lite.vocab.vocab import Vocab

Entry = tuple[str, float, int]  # text, score, type of a piece
RESERVED = (UNKNOWN, CONTROL, BYTE)


def entries_of(vocab: Vocab, spelled: Callable[[bytes], str] | None = None) -> list[Entry]:
    """The pieces by id. Raises OptionError for one that JSON cannot hold, and for a text that two pieces have.

    spelled: how the bytes of a piece are written, where pieces are bytes.
    """
    found: list[Entry] = []
    seen: dict[str, int] = {}
    for i in range(vocab.size):
        data, kind = vocab.text(i), vocab.type(i)
        if spelled is not None and kind not in RESERVED:
            text = spelled(data)
        else:
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                raise OptionError(f"the piece {i}, {data!r:.60}, is not UTF-8: JSON cannot hold it") from None
        if text in seen:
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
    """The texts of unused pieces."""
    return texts_of(entries, UNUSED)


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
