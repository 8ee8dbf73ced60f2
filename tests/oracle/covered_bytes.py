"""The bytes that each id covers, written from the definition: the sum of what the bytes of its piece stand for.

Only for models whose pieces join to the normalized text.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from oracle.aligned_groups import WHITE_SPACE, Spans

from spm_lite.encode.spans import spans_batch
from spm_lite.texts.inputs import as_texts

BYTE_PIECE = re.compile(rb"<0x([0-9A-F]{2})>")
MARK = "\u2581".encode()


def places_of(tok: Any, texts: list[Any]) -> list[Spans]:
    """What the compiled code says for each text. All but unknown text comes from the cache of chunks."""
    ids, offsets, flat = spans_batch(tok._encoder, as_texts(texts), 0, 1, True)
    assert memoryview(ids).tolist() == tok.encode_batch(texts, num_threads=1).ids.tolist()
    values = memoryview(flat).tolist()
    pairs = list(zip(values[::2], values[1::2], strict=True))
    return [pairs[begin:end] for begin, end in pairwise(memoryview(offsets).tolist())]


def covered(tok: Any, text: bytes) -> Spans:
    """The bytes of a text that each of its ids covers."""
    normalized, align = tok._encoder.normalizer.normalize(text, True, False, False)
    sources = [source_of_byte(text, normalized, align, k) for k in range(len(normalized))]
    result = []
    for begin, end in normalized_places(tok, text, normalized):
        parts = sources[begin:end]
        result.append((min(part[0] for part in parts), max(part[1] for part in parts)))
    return result


def source_of_byte(text: bytes, normalized: bytes, align: list[int], k: int) -> tuple[int, int]:
    """The bytes of the text that one normalized byte stands for."""
    run = [j for j in range(len(normalized)) if align[j] == align[k]]  # of one place in the text
    begin, end = align[k], align[run[-1] + 1]
    source, target = text[begin:end], normalized[run[0] : run[-1] + 1]
    if not target.endswith((b" ", MARK)):
        source = source[: len(source) - n_white_after(source)]
    is_character = len(characters(source)) == 1 and len(characters(text[begin:end])) >= 1
    found = target.rfind(source) if is_character else -1
    if found < 0:
        return begin, begin + len(source)
    place = min(max(k - run[0] - found, 0), len(source))  # in the character; before and after it is what was added
    return begin + place, begin + place + (found <= k - run[0] < found + len(source))


def characters(text: bytes) -> list[str]:
    return list(text.decode("utf-8", "surrogateescape"))


def n_white_after(source: bytes) -> int:
    """Bytes of white space after the first character and others that are not white; 0: all is white."""
    chars = characters(source)
    n = 0
    while chars and ord(chars[-1]) in WHITE_SPACE:
        n += len(chars.pop().encode())
    return n if chars else 0


def normalized_places(tok: Any, text: bytes, normalized: bytes) -> Spans:
    """The place of each id in the normalized text."""
    kinds = tok._file.vocab
    pieces = tok._encoder.encode_text(text).pieces()
    result: Spans = []
    pos, rest = 0, b""
    for piece_id, piece in zip(tok.encode(text), pieces, strict=True):
        value = BYTE_PIECE.fullmatch(piece)
        if piece_id >= 0 and kinds.type(piece_id) == 6 and value is not None:
            if rest:
                result.append((pos, pos + 1))
                rest = rest[1:]
                pos += not rest
                continue
            data = bytes([int(value[1], 16)])
            if normalized.startswith(data, pos):
                result.append((pos, pos + 1))
                pos += 1
            else:  # the first byte of U+2581, for a space
                assert normalized.startswith(b" ", pos) and data == MARK[:1]
                result.append((pos, pos + 1))
                rest = MARK[1:]
            continue
        size = 0
        while size == 0 or piece not in (
            normalized[pos : pos + size],
            normalized[pos : pos + size].replace(b" ", MARK),
        ):
            size += 1
            assert pos + size <= len(normalized), (piece, normalized[pos:])
        result.append((pos, pos + size))
        pos += size
    assert pos == len(normalized) and not rest
    return result
