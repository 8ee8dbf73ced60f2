"""ids or pieces -> bytes; as plainly as possible, without a denormalizer. Then: which id each character belongs to."""

from __future__ import annotations

from oracle.normalizer import Normalizer
from oracle.segmentation import BYTE, CONTROL, SPACE, UNKNOWN, UNUSED, Pieces


def strict(run: bytes) -> bytes:
    """Well-formed characters, and U+FFFD for each byte that starts none."""
    out = b""
    while run:
        for size in (1, 2, 3, 4):
            try:
                run[:size].decode()
            except UnicodeDecodeError:
                continue
            out += run[:size]
            run = run[size:]
            break
        else:
            out += "\ufffd".encode()
            run = run[1:]
    return out


def decode(
    pieces: Pieces, items: list[tuple[bytes, int]], dummy: bool, remove: bool, surface: bytes, raw: bool = False
) -> bytes:
    """The text of (piece string, id) pairs."""
    out, run, at_start = b"", b"", True
    byte_fallback = any(kind == BYTE for _, _, kind in pieces)

    def flush() -> None:
        nonlocal out, run
        out += run if raw else strict(run)
        run = b""

    for text, i in items:
        kind = UNKNOWN if i < 0 else pieces[i][2]
        if kind == BYTE:
            run += bytes([int(pieces[i][0][3:5], 16)])
            continue
        if byte_fallback and i >= 0 and pieces[i][0] == b"\0":
            kind = UNUSED
        flush()
        if out:
            at_start = False
        if kind == CONTROL:
            continue
        if kind == UNKNOWN:
            out += surface if i >= 0 and pieces[i][0] == text else text
            if text.startswith(SPACE) and dummy and not remove:
                at_start = False
            continue
        if at_start and (dummy or remove) and text.startswith(SPACE):
            text = text[len(SPACE) :]
            if not remove:
                at_start = False
        out += text.replace(SPACE, b" ")
        if out:
            at_start = False
    flush()
    return out


def owners(pieces: Pieces, ids: list[int], dummy: bool, remove: bool, surface: bytes) -> list[tuple[bytes, int]]:
    """(byte, place of its id) of the text before the denormalizer; a byte run's character belongs to its last id."""
    found: list[tuple[bytes, int]] = []
    place = 0
    while place < len(ids):
        end = place + 1
        if pieces[ids[place]][2] == BYTE:
            while end < len(ids) and pieces[ids[end]][2] == BYTE:
                end += 1
        items = [(pieces[i][0], i) for i in ids[:end]]
        text = decode(pieces, items, dummy, remove, surface)[len(found) :]
        if pieces[ids[place]][2] == BYTE:
            run = decode(pieces, items[place:], dummy, remove, surface, raw=True)
            for char, size in steps_of(run, Normalizer({})):
                place += size
                found += [(bytes([byte]), place - 1) for byte in char]
        else:
            found += [(bytes([byte]), place) for byte in text]
        place = end
    return found


def steps_of(text: bytes, rules: Normalizer) -> list[tuple[bytes, int]]:
    """(what a step writes, the bytes that it reads) of a text."""
    steps, pos = [], 0
    while pos < len(text):
        steps.append(rules.step(text[pos:]))
        pos += steps[-1][1]
    return steps


def after_rules(found: list[tuple[bytes, int]], rules: Normalizer) -> list[tuple[bytes, int]]:
    """Pairs (byte, place of its id) after a denormalizer without flags.

    What a step writes belongs to the id of the last byte that it reads.
    """
    result: list[tuple[bytes, int]] = []
    pos = 0
    for run, size in steps_of(b"".join(byte for byte, _ in found), rules):
        pos += size
        result += [(bytes([byte]), found[pos - 1][1]) for byte in run]
    return result


def spans_of(found: list[tuple[bytes, int]], n_ids: int, unit: str) -> list[tuple[int, int]]:
    """The spans of the ids in the str of such bytes: a character belongs to the id of its last byte."""
    text = b"".join(byte for byte, _ in found)
    counts, pos = [0] * n_ids, 0
    for char in text.decode("utf-8", "replace"):
        size = len(char.encode())
        if text[pos : pos + size] != char.encode():  # one U+FFFD for as many bytes as decode to one
            cuts = [text[pos : pos + n] for n in (3, 2, 1)]
            size = next(len(cut) for cut in cuts if cut.decode("utf-8", "replace") == "\ufffd")
        pos += size
        counts[found[pos - 1][1]] += {"byte": len(char.encode()), "char": 1, "utf16": 1 + (ord(char) > 0xFFFF)}[unit]
    return [(sum(counts[:i]), sum(counts[: i + 1])) for i in range(n_ids)]
