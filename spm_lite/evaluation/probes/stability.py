"""Stability: how many tokens a small edit of a text changes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import Subject

MOST_TEXTS = 500
LEAST_WORD = 4  # characters; a text without such a word is left out
JOINERS = "\u200c\u200d"
WORD = re.compile("L[LM]*")


class Kinds(dict[int, str]):
    """For `str.translate`: a code point -> the first letter of its category; joiners count as marks."""

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        self[code_point] = kind = "M" if character in JOINERS else unicodedata.category(character)[0]
        return kind


KINDS = Kinds()


def edited_texts(texts: Sequence[str]) -> list[tuple[str, str, str]]:
    """All edits of some texts: (kind, text, edited text)."""
    return [(kind, text, edited) for text in texts for kind, edited in edits_of(text)]


def stability_figures(subject: Subject, edits: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """For each kind of edit: how many edits, tokens removed and added by one, and the share that changed nothing.

    edits: as `edited_texts` returns them. Read `unchanged` of swap, drop and double with care: there the edit is lost.
    """
    sources = list(dict.fromkeys(text for _, text, _ in edits))
    ids = dict(zip(sources, subject.ids(sources), strict=True)) if sources else {}
    changed = subject.ids([edited for _, _, edited in edits]) if edits else []
    found: dict[str, list[tuple[int, int]]] = {}
    for (kind, text, _), after in zip(edits, changed, strict=True):
        found.setdefault(kind, []).append(difference(ids[text], after))
    return {kind: mean_figures(pairs) for kind, pairs in found.items()}


def mean_figures(pairs: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Means over edits. pairs: tokens removed and added by each."""
    n = len(pairs)
    return {
        "edits": n,
        "removed": sum(removed for removed, _ in pairs) / n,
        "added": sum(added for _, added in pairs) / n,
        "unchanged": sum(pair == (0, 0) for pair in pairs) / n,
    }


def difference(before: Sequence[int], after: Sequence[int]) -> tuple[int, int]:
    """The tokens removed and added between the beginning and the end that both have.

    >>> difference([1, 2, 3], [1, 4, 5, 3])
    (1, 2)
    """
    shorter = min(len(before), len(after))
    begin = 0
    while begin < shorter and before[begin] == after[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and before[-1 - end] == after[-1 - end]:
        end += 1
    return len(before) - begin - end, len(after) - begin - end


def edits_of(text: str) -> list[tuple[str, str]]:
    """The edits of a text that change it, by kind; none if it has no word of 4 characters.

    >>> dict(edits_of("a word"))["swap"], dict(edits_of("a word"))["case"]
    ('a wrod', 'a Word')
    """
    begin, end = longest_word(text)
    if end - begin < LEAST_WORD:
        return []
    middle = (begin + end) // 2
    first, word = text[begin], text[begin:end]
    edits = {
        "space": " " + text,
        "case": text[:begin] + (first.lower() if first == first.upper() else first.upper()) + text[begin + 1 :],
        "upper": text[:begin] + word.upper() + text[end:],
        "swap": text[: middle - 1] + text[middle] + text[middle - 1] + text[middle + 1 :],
        "drop": text[:middle] + text[middle + 1 :],
        "double": text[:middle] + text[middle] + text[middle:],
        "nfd": unicodedata.normalize("NFD", text),
    }
    return [(kind, edited) for kind, edited in edits.items() if edited != text]


def longest_word(text: str) -> tuple[int, int]:
    """Where the longest run of letters, marks and joiners that begins with a letter is; the first of equals."""
    words = WORD.finditer(text.translate(KINDS))
    longest = max(words, key=lambda word: word.end() - word.start(), default=None)
    return (0, 0) if longest is None else longest.span()
