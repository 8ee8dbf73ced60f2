"""Naive twin of the vocabulary: rules as a list of ifs, name tables as dictionaries."""

from __future__ import annotations

import math
import re

Piece = tuple[bytes, float, int]
UNKNOWN, CONTROL, UNUSED, BYTE = 2, 3, 5, 6
RESERVED = {UNKNOWN, CONTROL, BYTE}


def refusal(pieces: list[Piece], model_type: str, byte_fallback: bool) -> str | None:
    """Why the original refuses these pieces; None: it takes them."""
    if model_type == "unigram" and not all(math.isfinite(score) for _, score, _ in pieces):
        return "score is NaN or Inf."
    if any(len(text) >= 8000 for text, _, _ in pieces):
        return "piece is too long."
    names: dict[bool, set[bytes]] = {True: set(), False: set()}
    unknowns = 0
    byte_pieces = set()
    for text, _, piece_type in pieces:
        if not text:
            return "piece must not be empty."
        if text == b"\0" and (byte_fallback or piece_type == UNUSED):
            continue
        if b"\0" in text:
            return "piece must not include null character."
        table = names[piece_type in RESERVED and model_type != "bpe"]
        shown = text.decode(errors="backslashreplace")
        if text in table:
            return f"{shown} is already defined."
        table.add(text)
        if piece_type == UNKNOWN:
            unknowns += 1
            if unknowns > 1:
                return "unk is already defined."
        if piece_type == BYTE:
            if not byte_fallback:
                return f"byte piece {shown} is found although `byte_fallback` is false."
            if not re.fullmatch(rb"<0x[0-9A-F]{2}>", text):
                return f"byte piece {shown} is invalid."
            byte_pieces.add(text)
    if not unknowns and not byte_fallback:
        return "unk is not defined."
    if byte_fallback and len(byte_pieces) < 256:
        return "there are not 256 byte pieces although `byte_fallback` is true."
    plain = [text for text, _, piece_type in pieces if piece_type not in RESERVED and text != b"\0"]
    if model_type == "unigram" and not plain:
        return "no pieces are loaded."
    return None


def find(pieces: list[Piece], text: bytes, byte_fallback: bool) -> int:
    """The id of a text in pieces that were not refused: reserved, plain, unknown, -1."""
    named = [(i, name, kind) for i, (name, _, kind) in enumerate(pieces) if name != b"\0" or not byte_fallback]
    reserved = {name: i for i, name, kind in named if kind in RESERVED}
    plain = {name: i for i, name, kind in named if kind not in RESERVED and name != b"\0"}
    unknown = next((i for i, _, kind in named if kind == UNKNOWN), -1)
    return reserved.get(text, plain.get(text, unknown))
