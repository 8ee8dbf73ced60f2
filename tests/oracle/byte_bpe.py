"""Byte-level BPE, naive: pairs counted anew at every step, the raw stream merged by rank."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from oracle import graphemes, split_patterns
from oracle.validity import has_few_digits

N_BYTES = 256
HEAD = (  # how a character begins that has more bytes, as the table of well-formed UTF-8 says
    rb"[\xc2-\xdf]|\xe0[\xa0-\xbf]?|\xed[\x80-\x9f]?|[\xe1-\xec\xee\xef][\x80-\xbf]?|\xf0([\x90-\xbf][\x80-\xbf]?)?|"
    rb"[\xf1-\xf3][\x80-\xbf]{0,2}|\xf4([\x80-\x8f][\x80-\xbf]?)?"
)
PART = re.compile(HEAD + rb"|[\x80-\xbf]{1,3}")


def cut(text: bytes, spec: object) -> list[bytes]:
    """The chunks of a text: split_by_unicode_script and split_by_number are off."""
    parts = [text]
    if spec.split_pattern:
        # A byte that is no character is matched as U+FFFD is.
        decoded = text.decode("utf-8", "surrogateescape")
        masked = re.sub("[\udc80-\udcff]", "\ufffd", decoded)
        ends = [found.end() for found in split_patterns.compiled_once(spec.split_pattern).finditer(masked)]
        bounds = [0, *ends, len(decoded)]
        parts = [decoded[a:b].encode("utf-8", "surrogateescape") for a, b in pairwise(bounds)]
    if spec.split_digits is True:
        pieces = [re.split(r"(\d)", part.decode("utf-8", "surrogateescape")) for part in parts]
        parts = [piece.encode("utf-8", "surrogateescape") for found in pieces for piece in found]
    return [chunk for part in parts for chunk in cut_at_spaces(part, spec) if chunk]


def cut_at_spaces(text: bytes, spec: object) -> list[bytes]:
    """The parts of a text that has spaces at one of their sides only."""
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
    if (spec.whole_characters or spec.split_digits or spec.graphemes) and not is_whole(piece):
        return False
    if not has_few_digits(piece.decode("utf-8", "ignore"), spec):
        return False
    if not spec.split_by_whitespace:
        return True
    return b" " not in (piece[:-1] if spec.treat_whitespace_as_suffix else piece[1:])


def is_whole(piece: bytes) -> bool:
    """Whether a piece is text, or a part of one character and nothing else."""
    try:
        return bool(piece.decode())
    except UnicodeDecodeError:
        return len(piece) == 1 or PART.fullmatch(piece) is not None


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
    bounds = [graphemes.byte_begins(chunk) if spec.graphemes else None for chunk in counts]
    symbols = [([(bytes([byte]),) for byte in chunk], count) for chunk, count in counts.items()]  # tuple trees
    ranks: dict[bytes, int] = {}
    spent: set[object] = set()
    while len(ranks) < n_merges:
        pairs: Counter[object] = Counter()
        for (parts, count), places in zip(symbols, bounds, strict=True):
            for pair in counted_pairs(parts, places):
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
            times * counted_pairs(parts, places).count(best)
            for (parts, _), places, times in zip(symbols, bounds, occurrences.values(), strict=True)
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


def counted_pairs(parts: Sequence[object], places: set[int] | None) -> list[object]:
    """The pairs of neighbours that count: with `graphemes`, those that are in place. places: where clusters begin."""
    sizes = [len(text_of(part)) for part in parts]
    return [
        pair
        for i, pair in enumerate(pairwise(parts))
        if places is None or graphemes.is_in_place(places, sum(sizes[:i]), sum(sizes[: i + 2]))
    ]


def text_of(symbol: object) -> bytes:
    """The bytes of a symbol: (byte,) or a pair of symbols."""
    return symbol[0] if len(symbol) == 1 else text_of(symbol[0]) + text_of(symbol[1])
