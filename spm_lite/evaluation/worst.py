"""The texts that cost most, cut into the pieces of each tokenizer, to be shown side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.probes.touching import coded_texts

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.measure import Measured
    from spm_lite.evaluation.figures.subjects import Subject

SHOWN_TEXTS = 2
MOST_CHARACTERS = 120  # longer texts are not chosen: few people read them
LEAST_CHARACTERS = 20


def worst_texts(subjects: Sequence[Subject], measured: Measured) -> list[dict[str, Any]]:
    """Of the first texts of a source those with the most tokens for a character, with the pieces of each tokenizer.

    Of several tokenizers, the sum of all counts, unknown tokens spelled. Texts are of 20 to 120 characters.
    """
    known = [subject for subject in subjects if subject.can_encode and subject.has_places]
    candidates = [i for i, text in enumerate(measured.sample) if LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS]
    if not known or not candidates:
        return []
    costs = dict.fromkeys(candidates, 0.0)
    for subject in known:
        spelled = measured.readings[subject.name].spelled_lengths()
        for i in candidates:
            costs[i] += float(spelled[i]) / len(measured.sample[i])
    chosen = sorted(candidates, key=lambda i: (-costs[i], i))[:SHOWN_TEXTS]
    texts = [measured.sample[i] for i in chosen]
    rows = {subject.name: pieces_of(subject, texts) for subject in known}
    return [
        {"number": i, "text": text, "pieces": {name: row[k] for name, row in rows.items()}}
        for k, (i, text) in enumerate(zip(chosen, texts, strict=True))
    ]


def pieces_of(subject: Subject, texts: Sequence[str]) -> list[list[list[Any]]]:
    """For each text its tokens as [begin, end, kind]: places in characters; kind 1: unknown, 2: a byte, 0: another."""
    coded = coded_texts(subject, texts)
    assert coded.places is not None
    bytes_of = set(subject.byte_ids())
    rows = coded.places.reshape(-1, 2).tolist()
    kinds = [1 if i in (-1, subject.unknown_id) else 2 if i in bytes_of else 0 for i in coded.ids.tolist()]
    ends = coded.offsets.tolist()
    return [
        [[*row, kind] for row, kind in zip(rows[begin:end], kinds[begin:end], strict=True)]
        for begin, end in pairwise(ends)
    ]
