"""Superwords, naive: every text is cut into chunks, these are joined to phrases, and every merge looks at all of them.

A phrase is written as it stands in pieces: U+2581 for a space, or the bytes of the text as characters U+0000 to U+00FF.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from oracle.pruned_pieces import merged

from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.cut_rules import are_cut
from spm_lite.training.counts.phrases import mark_of

SPACE = "\u2581"
CLOSED_END = re.compile(r"[.!?…‽。！？।॥؟۔։።][\"'”’)\]}»›*_]*$")


def is_letter(character: str) -> bool:
    """A letter or a mark of a script. The joiners of emoji take the script of the letter before them."""
    return unicodedata.category(character)[0] in "LM" or character in "\u200c\u200d"


def chunks_of(text: str, spec: TrainerSpec) -> list[str]:
    """The text, cut between two characters that no piece of the first stage may hold side by side."""
    chunks = [text[:1]]
    for a, b in pairwise(text):
        if are_cut(a, b, spec):
            chunks.append("")
        chunks[-1] += b
    return [chunk for chunk in chunks if chunk]


def is_part(chunk: str, inside: str) -> bool:
    """Whether a chunk may be joined to others: letters, or signs too, after one space at most."""
    word = chunk.removeprefix(SPACE)
    if inside == "punctuation":
        return bool(word) and all(
            is_letter(one)
            or not (one == SPACE or one.isspace() or one.isdecimal() or unicodedata.category(one) == "Cc")
            for one in word
        )
    signs = [i for i, one in enumerate(word) if not is_letter(one)]
    has_only_inner = all(word[i] in "'’" and 0 < i < len(word) - 1 and i - 1 not in signs for i in signs)
    return bool(word) and has_only_inner


def phrases_of(text: str, spec: TrainerSpec) -> list[str]:
    """The phrases of a text, in order."""
    assert spec.superwords is not None
    inside, phrases, is_open = spec.superwords.inside, [""], False
    chunks = chunks_of(text, spec)
    for i, chunk in enumerate(chunks):
        before, after = phrases[-1], chunks[i + 1] if i + 1 < len(chunks) else ""
        joins = is_open and is_part(chunk, inside)
        if inside == "punctuation":
            joins = joins and not (chunk[0] == SPACE and CLOSED_END.search(before))
        elif chunk in ("'", "’"):
            joins = is_open and is_letter(before[-1]) and after[:1] != SPACE and is_part(after, inside)
        else:
            joins = joins and (chunk[0] == SPACE or before[-1] in "'’")
        phrases[len(phrases) - (1 if joins else 0) :] = [before + chunk if joins else chunk]
        is_open = is_part(chunk, inside) or (joins and inside == "letters")
    return [phrase for phrase in phrases if phrase]


def is_allowed(text: str, spec: TrainerSpec, space: str) -> bool:
    """Whether a text may be a piece of the second stage."""
    rules = spec.superwords
    assert rules is not None
    if set(text) == {space}:
        return (spec.allow_whitespace_only_pieces or len(text) == 1) and len(text) <= rules.max_length
    n_words = text.count(space) + (text[0] != space)
    length = len(text) if space == SPACE else sum(i == 0 or not "\x80" <= one < "\xc0" for i, one in enumerate(text))
    fits = length <= rules.max_length and n_words <= rules.max_words
    return fits and (space == " " or text[-1] != space) and space * 2 not in text


def places(symbols: list[str], whole_words: bool, space: str) -> Iterator[tuple[str, str]]:
    """The pairs of neighbours that count."""
    position, ends = 0, []
    for symbol in symbols:
        ends.append((position, position + len(symbol)))
        position += len(symbol)
    text = "".join(symbols)
    words = [i for i, one in enumerate(text) if one == space] + [len(text)]  # where they begin, and the end
    for (a, (begin, _)), (b, (_, end)) in pairwise(zip(symbols, ends, strict=True)):
        is_inside = not any(begin < word < end for word in words)
        if not whole_words or is_inside or (begin in words and end in words):
            yield a, b


def second_stage(
    texts: Iterable[tuple[str, bytes]], scores: Mapping[str, float], spec: TrainerSpec, n_merges: int
) -> list[str]:
    """The merges of the second stage in order. texts: (normalized text, document). scores: of the first stage."""
    rules = spec.superwords
    assert rules is not None
    scores = dict(scores)
    space = " " if spec.model_type == "byte_bpe" else SPACE
    phrases = [(phrase, mark_of(document)) for text, document in texts for phrase in phrases_of(text, spec)]
    if space == " ":
        phrases = [(phrase.replace(SPACE, " ").encode().decode("latin-1"), mark) for phrase, mark in phrases]
    made: list[str] = []
    last = min(scores.values(), default=0.0)
    while len(made) < n_merges:
        counts: Counter[str] = Counter()
        marks: dict[str, int] = {}
        for phrase, mark in phrases:
            for a, b in places(merged(phrase, scores), rules.whole_words, space):
                counts[a + b] += 1
                marks[a + b] = marks.get(a + b, 0) | mark
        found = [
            text
            for text, count in counts.items()
            if count >= spec.min_count and text not in scores and is_allowed(text, spec, space)
            and (space not in text.lstrip(space) or marks[text].bit_count() >= rules.min_documents)
        ]  # fmt: skip
        if not found:
            break
        best = min(found, key=lambda text: (-counts[text], len(text), text))
        last -= 1
        scores[best] = last
        made.append(best)
    return made
