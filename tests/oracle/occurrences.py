"""How often pieces occur, naive: in the chunks of each source of a training, before weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import spm_lite
from spm_lite import Tokenizer


def chunks_of(texts: Iterable[str], **options: Any) -> Counter[str]:
    """The chunks of some texts, as they are counted. options: of `CountTable.count`."""
    return Counter({text.decode(): n for text, n in spm_lite.CountTable.count(texts, **options).chunks.items()})


def occurrences(piece: str, chunks: Counter[str]) -> int:
    """How often a piece stands in chunks; occurrences may overlap."""
    return sum(n * sum(text.startswith(piece, i) for i in range(len(text))) for text, n in chunks.items())


def learned_pieces(tok: Tokenizer) -> list[str]:
    """The pieces that are not special, in id order."""
    return [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) == "normal"]
