"""Which tokens touch a part of a text, by the spans of the tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spm_lite.evaluation.figures.subjects import Coded

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import Subject

Span = tuple[int, int]


def coded_texts(subject: Subject, texts: Sequence[str]) -> Coded:
    """The tokens of some texts, with their places if these are known."""
    if subject.own is None:
        return subject.coded(texts)
    batch, places = subject.own.spans_batch(list(texts), unit="char")
    return Coded(batch.ids, batch.offsets, places.reshape(-1))


def spans_in_texts(subject: Subject, texts: Sequence[str]) -> Iterator[tuple[list[int], list[Span | None]]]:
    """For each text its ids and their spans; None: the token touches nothing. The places must be known."""
    coded = coded_texts(subject, texts)
    assert coded.places is not None
    spaces = set(subject.space_ids())
    rows = coded.places.reshape(-1, 2).tolist()
    for begin, end in zip(coded.offsets[:-1].tolist(), coded.offsets[1:].tolist(), strict=True):
        ids = coded.ids[begin:end].tolist()
        yield ids, effective_spans(ids, [(row[0], row[1]) for row in rows[begin:end]], spaces)


def effective_spans(ids: Sequence[int], spans: Sequence[Span], spaces: set[int]) -> list[Span | None]:
    """Spans, an empty one being that of the next token that has one and begins at the same place.

    A lone U+2581 keeps its empty span and touches nothing.

    >>> effective_spans([5, 6, 7], [(0, 0), (0, 1), (1, 1)], set())
    [(0, 1), (0, 1), None]
    """
    result: list[Span | None] = []
    following: Span | None = None
    for token_id, span in zip(reversed(ids), reversed(spans), strict=True):
        if span[0] < span[1]:
            following = span
            result.append(span)
        elif token_id in spaces or following is None or following[0] != span[0]:
            result.append(None)
        else:
            result.append(following)
    return result[::-1]


def touching(spans: Sequence[Span | None], begin: int, end: int) -> list[int]:
    """The numbers of the tokens that overlap [begin, end) by a character or more."""
    return [i for i, span in enumerate(spans) if span is not None and span[0] < end and span[1] > begin]
