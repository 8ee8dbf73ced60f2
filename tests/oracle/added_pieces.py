"""Encoding of lossless models with added pieces, said as plainly as possible: a text with its spaces marked -> ids.

A literal U+2581 is replaced by a character that no piece holds before spaces become U+2581. So the segmenters of
`segmentation` need not tell the two apart.
"""

from __future__ import annotations

from oracle.segmentation import BYTE, SEGMENTERS

from spm_lite import Tokenizer

SPACE = "\u2581"
LITERAL = "\u2582"  # for a literal U+2581: as many bytes, and in no text of a test


def encode(tok: Tokenizer, text: str, prefix_space: bool = True) -> list[int]:
    """The ids of a text in a lossless model."""
    kinds = [tok.piece_type(i).replace("_", "-") for i in range(len(tok))]
    types = ["", "normal", "unknown", "control", "user-defined", "unused", "byte"]
    names = [tok.id_to_piece(i).encode() for i in range(len(tok))]
    pieces = [(names[i], tok.score(i), types.index(kinds[i])) for i in range(len(tok))]
    byte_ids = {name: i for i, (name, _, kind) in enumerate(pieces) if kind == BYTE}
    marked = (" " if text and prefix_space else "") + text
    marked = marked.replace(SPACE, LITERAL).replace(" ", SPACE)
    ids: list[int] = []
    for covered, piece_id in SEGMENTERS[tok.model_type](pieces, marked.encode()):
        if piece_id == tok.unk_id:
            ids += [byte_ids[b"<0x%02X>" % byte] for byte in covered.decode().replace(LITERAL, SPACE).encode()]
        else:
            ids.append(piece_id)
    return ids
