"""The four segmenters, said as plainly as possible: normalized bytes -> [(bytes, id)].

A model is a list of (text, score, type). Escaped spaces are U+2581, as in the reference.
"""

from __future__ import annotations

import struct

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
PLAIN = (NORMAL, USER_DEFINED, UNUSED)
SPACE = "\u2581".encode()

Pieces = list[tuple[bytes, float, int]]
Tokens = list[tuple[bytes, int]]


def f32(value: float) -> float:
    """Round to single precision."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def lead_size(byte: int) -> int:
    """Bytes of a character by its first byte."""
    return 1 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4


def unknown_id(pieces: Pieces) -> int:
    """The first id of type UNKNOWN; -1: none."""
    return next((i for i, piece in enumerate(pieces) if piece[2] == UNKNOWN), -1)


def plain_ids(pieces: Pieces) -> dict[bytes, int]:
    """Pieces that text can match. The piece of one NUL byte is in no table."""
    return {text: i for i, (text, _, kind) in enumerate(pieces) if kind in PLAIN and text != b"\0"}


def match(pieces: Pieces, text: bytes) -> tuple[int, bool]:
    """Bytes of the longest user-defined symbol that `text` starts with, or of its first character."""
    symbols = {t for t, _, kind in pieces if kind == USER_DEFINED and t != b"\0"}
    sizes = sorted(len(s) for s in symbols if text.startswith(s))[:64]
    return (sizes[-1], True) if sizes else (min(lead_size(text[0]), len(text)), False)


def unigram(pieces: Pieces, text: bytes) -> Tokens:
    """Viterbi over byte positions."""
    ids, unk = plain_ids(pieces), unknown_id(pieces)
    longest = max(map(len, ids), default=0)
    normal = [f32(score) for _, score, kind in pieces if kind == NORMAL]
    unk_score = f32(min(normal, default=3.4028234663852886e38) - 10.0)
    best, origin, last = [0.0] * (len(text) + 1), [-1] * (len(text) + 1), [-1] * (len(text) + 1)
    frontier = p = 0

    def offer(end: int, score: float, piece: int) -> None:
        nonlocal frontier
        frontier = max(frontier, end)
        if origin[end] == -1 or score > best[end]:
            best[end], origin[end], last[end] = score, p, piece

    while p < len(text):
        base = best[p]
        if base < -100000 or base > 100000:
            for i in range(p, frontier + 1):
                if i == p or origin[i] != -1:
                    best[i] = f32(best[i] - base)
            base = 0.0
        size = min(lead_size(text[p]), len(text) - p)
        single = False
        for k in range(1, min(longest, len(text) - p) + 1):
            i = ids.get(text[p : p + k])
            if i is None or pieces[i][2] == UNUSED:
                continue
            score = f32(0.1 * (k - 1)) if pieces[i][2] == USER_DEFINED else f32(pieces[i][1])
            offer(p + k, f32(score + base), i)
            single |= k == size
        if not single:
            offer(p + size, f32(unk_score + base), unk)
        p += size
    path: Tokens = []
    end = len(text)
    while end > 0:
        path.append((text[origin[end] : end], last[end]))
        end = origin[end]
    return path[::-1]


def priority(score: float) -> int:
    """A score's order in merging, by bit pattern."""
    bits = struct.unpack("<I", struct.pack("<f", score))[0]
    return bits ^ 0xFFFFFFFF if bits >> 31 else bits | 0x80000000


def bpe(pieces: Pieces, text: bytes) -> Tokens:
    """Merge the best pair again and again, looking at all of them each time."""
    ids, unk = plain_ids(pieces), unknown_id(pieces)
    symbols: list[tuple[bytes, bool]] = []
    pos = 0
    while pos < len(text):
        size, found = match(pieces, text[pos:])
        symbols.append((text[pos : pos + size], found))
        pos += size
    split: dict[bytes, tuple[bytes, bytes]] = {}

    def remember(k: int) -> None:
        if 0 <= k < len(symbols) - 1 and not symbols[k][1] and not symbols[k + 1][1]:
            whole = symbols[k][0] + symbols[k + 1][0]
            if whole in ids and pieces[ids[whole]][2] == UNUSED:
                split[whole] = (symbols[k][0], symbols[k + 1][0])

    for k in range(len(symbols)):
        remember(k)
    while True:
        best = None
        for k in range(len(symbols) - 1):
            if symbols[k][1] or symbols[k + 1][1]:
                continue
            i = ids.get(symbols[k][0] + symbols[k + 1][0])
            if i is not None and (best is None or priority(pieces[i][1]) > best[0]):
                best = (priority(pieces[i][1]), k)
        if best is None:
            break
        k = best[1]
        symbols[k : k + 2] = [(symbols[k][0] + symbols[k + 1][0], False)]
        remember(k - 1)
        remember(k)

    def emit(word: bytes, depth: int) -> Tokens:
        i = ids.get(word, unk)
        if depth > 100:
            return [(word, i)]
        if i == unk or pieces[i][2] != UNUSED:
            return [(word, i)]
        if word in split:
            return emit(split[word][0], depth + 1) + emit(split[word][1], depth + 1)
        return [(word, unk)]

    return [token for symbol, _ in symbols for token in emit(symbol, 0)]


def look_up(pieces: Pieces, word: bytes) -> int:
    """The id of a whole word, UNUSED ones being unknown."""
    i = plain_ids(pieces).get(word, -1)
    return i if i >= 0 and pieces[i][2] != UNUSED else unknown_id(pieces)


def char(pieces: Pieces, text: bytes) -> Tokens:
    """Characters and user-defined symbols."""
    tokens: Tokens = []
    while text:
        size, _ = match(pieces, text)
        tokens.append((text[:size], look_up(pieces, text[:size])))
        text = text[size:]
    return tokens


def word(pieces: Pieces, text: bytes) -> Tokens:
    """Words, each beginning at an escaped space."""
    words: list[bytes] = []
    while text:
        size = min(lead_size(text[0]), len(text))
        if not words or text[:size] == SPACE:
            words.append(b"")
        words[-1] += text[:size]
        text = text[size:]
    return [(w, look_up(pieces, w)) for w in words]


SEGMENTERS = {"unigram": unigram, "bpe": bpe, "char": char, "word": word}
