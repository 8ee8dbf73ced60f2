"""How many tokens a word has after a space, and how many frequent words are a single token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.figures.distributions import ratio
from spm_lite.kinds import SPACE

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import Subject

MOST_WORDS = 1000
BEFORE = "x"  # a word alone would be spelled as within a word, by tokenizers that add no space before a text


def word_tokens(subject: Subject, words: Sequence[str]) -> list[list[int]]:
    """The ids of each word as it is spelled after a space: those of "x " and the word, without those of "x" and " "."""
    texts = [BEFORE, *(f"{BEFORE} {word}" for word in words)]
    first, *rows = subject.ids(texts)
    return [without_spaces(subject, row[len(first) :]) for row in rows]


def without_spaces(subject: Subject, ids: list[int]) -> list[int]:
    """Ids without those at the start that are only a space."""
    spaces = subject.space_ids()
    n = 0
    while n < len(ids) and (ids[n] in spaces if spaces or subject.own is not None else is_space(subject, ids[n])):
        n += 1
    return ids[n:]


def is_space(subject: Subject, token_id: int) -> bool:
    """Whether a token of another tokenizer is white space only."""
    if not subject.has_decoding:
        return False
    text = subject.decode([token_id])
    return bool(text) and (text.isspace() or text == SPACE)


def single_token_figures(subject: Subject, words: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """The share of the words, and of their occurrences, that are one token. words: with their counts."""
    rows = word_tokens(subject, [word for word, _ in words])
    singles = [
        count
        for (_, count), ids in zip(words, rows, strict=True)
        if len(ids) == 1 and ids[0] not in (-1, subject.unknown_id)
    ]
    return {
        "k": len(words),
        "single": len(singles),
        "rate": ratio(len(singles), len(words)),
        "weighted_rate": ratio(sum(singles), sum(count for _, count in words)),
    }
