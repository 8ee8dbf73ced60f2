"""ids or pieces -> bytes; as plainly as possible, without a denormalizer."""

from __future__ import annotations

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
