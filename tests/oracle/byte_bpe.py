"""Byte-level BPE, naive: pairs counted anew at every step, the raw stream merged by rank."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

N_BYTES = 256


def cut(text: bytes, spec: object) -> list[bytes]:
    """The chunks of a text when only spaces decide: split_by_unicode_script, split_by_number off."""
    if not spec.split_by_whitespace:
        return [text]
    spaces, alone = (rb" *", rb"| +") if spec.allow_whitespace_only_pieces else (rb" ?", rb"| ")
    pattern = rb"[^ ]+" + spaces + alone if spec.treat_whitespace_as_suffix else spaces + rb"[^ ]+" + alone
    return re.findall(pattern, text, re.DOTALL)


def is_allowed(piece: bytes, spec: object) -> bool:
    """The limits of a learned piece: its characters, spaces alone, and where spaces stand in it."""
    n_begun = sum(byte & 0xC0 != 0x80 for byte in piece)
    # A byte that continues a character begins one where none began before it, spaces apart.
    stripped = piece.lstrip(b" ")
    n_begun += bool(stripped) and stripped[0] & 0xC0 == 0x80
    if n_begun > spec.max_sentencepiece_length or len(piece) > 4 * spec.max_sentencepiece_length:
        return False
    if not piece.strip(b" "):
        return len(piece) == 1 or spec.allow_whitespace_only_pieces
    if not spec.split_by_whitespace:
        return True
    return b" " not in (piece[:-1] if spec.treat_whitespace_as_suffix else piece[1:])


def merged(data: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """The parts of a text when the neighbours of the lowest rank are joined again and again, the leftmost first."""
    parts = [bytes([byte]) for byte in data]
    while True:
        found = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        if not found:
            return parts
        _, i = min(found)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


def encode(data: bytes, pieces: Sequence[bytes]) -> list[int]:
    """The ids of a text. pieces: by id, the bytes first."""
    ids = {piece: i for i, piece in enumerate(pieces)}
    return [ids[part] for part in merged(data, {piece: i for piece, i in ids.items() if len(piece) > 1})]


def learn(
    texts: Iterable[bytes],
    spec: object,
    n_merges: int,
    least: int = 1,
    factors: Sequence[int] | None = None,
    made: dict[bytes, int] | None = None,
) -> list[bytes]:
    """The merges in order, counted in chunks.

    least: occurrences of a merge. factors: how often each text counts; an occurrence is one whatever the factor.
    made: takes the occurrences of each merge, as they were when it was made.
    """
    texts = list(texts)
    counts: Counter[bytes] = Counter()
    occurrences: Counter[bytes] = Counter()
    for text, factor in zip(texts, factors or [1] * len(texts), strict=True):
        for chunk in cut(text, spec):
            counts[chunk] += factor
            occurrences[chunk] += 1
    words = [([bytes([byte]) for byte in chunk], count) for chunk, count in counts.items()]
    symbols = [([(part,) for part in parts], count) for parts, count in words]  # a symbol is a tuple tree
    ranks: dict[bytes, int] = {}
    spent: set[object] = set()
    while len(ranks) < n_merges:
        pairs: Counter[object] = Counter()
        for parts, count in symbols:
            for pair in pairwise(parts):
                pairs[pair] += count
        candidates = [pair for pair in pairs if pair not in spent and is_allowed(text_of(pair), spec)]
        if not candidates:
            break
        best = min(
            candidates, key=lambda pair: (-pairs[pair], len(text_of(pair)), text_of(pair), len(text_of(pair[0])))
        )
        spent.add(best)
        text = text_of(best)
        n = sum(
            times * list(pairwise(parts)).count(best)
            for (parts, _), times in zip(symbols, occurrences.values(), strict=True)
        )
        if n < least or text in ranks or len(merged(text, ranks)) != 2:
            continue
        if made is not None:
            made[text] = n
        ranks[text] = len(ranks)
        for parts, _ in symbols:
            i = 0
            while i + 1 < len(parts):
                if (parts[i], parts[i + 1]) == best:
                    parts[i : i + 2] = [best]
                i += 1
    return list(ranks)


def text_of(symbol: object) -> bytes:
    """The bytes of a symbol: (byte,) or a pair of symbols."""
    return symbol[0] if len(symbol) == 1 else text_of(symbol[0]) + text_of(symbol[1])
