"""The card of a model in a notebook: what it is, its special pieces, and some pieces that it has learned."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from spm_lite.cards import card
from spm_lite.kinds import CONTROL, NORMAL, USER_DEFINED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spm_lite.tokenizer.tokenizer import Tokenizer

MOST_PIECES = 20


def model_card(tok: Tokenizer) -> str:
    """The card as HTML."""
    vocab = tok._file.vocab
    special = zip(("unknown", "begin", "end", "padding"), tok._file.special_ids, strict=True)
    named = [f"{name} {tok.id_to_piece(piece_id)} = {piece_id}" for name, piece_id in special if piece_id >= 0]
    known = set(tok._file.special_ids)
    others = (i for i in range(len(vocab)) if vocab.type(i) in (CONTROL, USER_DEFINED) and i not in known)
    learned = (i for i in range(len(vocab)) if vocab.type(i) == NORMAL and is_longer(tok.id_to_piece(i)))
    rows = {
        "type": tok.model_type,
        "pieces": f"{tok.vocab_size:,}",
        "lossless": "yes: every text comes back"
        if tok.info.is_lossless
        else "no: what it loses is in `spm-lite inspect`",
        "byte pieces": "for text that no other piece covers" if vocab.byte_fallback else "none",
        "special": ", ".join(named),
        "more special": first_few(map(tok.id_to_piece, islice(others, MOST_PIECES + 1))),
        "such as": first_few(map(tok.id_to_piece, islice(learned, MOST_PIECES + 1))),
    }
    return card("Tokenizer", {name: value for name, value in rows.items() if value})


def is_longer(piece: str) -> bool:
    """Whether a piece is more than a character with a space before it."""
    return len(piece) > 2


def first_few(pieces: Iterable[str]) -> str:
    """The first pieces, with a sign that there are more."""
    names = list(pieces)
    return "  ".join(names[:MOST_PIECES]) + ("  …" if len(names) > MOST_PIECES else "")
