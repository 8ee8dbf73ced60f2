"""A tokenizer with new pieces at its end, and the map to its ids. It proves that each new piece is one id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.errors import TrainingError
from spm_lite.tokenizer.lone_pieces import LonePieces, map_of_appended
from spm_lite.vocab.appended_pieces import with_plain_pieces

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.extension.continued_merges import NewPiece
    from spm_lite.vocab.vocab_map import VocabMap


def grown(tok: Tokenizer, pieces: list[NewPiece]) -> Tokenizer:
    """`tok` as it is with further pieces, and their merges where it keeps a list of merges."""
    merges = []
    vocab = tok._file.vocab
    if vocab.merge_list is not None:
        first = len(vocab)
        ids = {text_of(one.text): first + i for i, one in enumerate(pieces)}
        for one in pieces:
            if one.parts is not None:
                left, right = (ids.get(part, vocab.find_id(part)) for part in map(text_of, one.parts))
                merges.append((left, right, ids[text_of(one.text)]))
    data = with_plain_pieces(tok._file, [(one.text, one.score) for one in pieces], merges)
    return tok._from_bytes(data, "the extended model", cache_bytes=tok._encoder.budget.limit)


def text_of(piece: str | bytes) -> bytes:
    """UTF-8 of a str; pieces of byte-level models are bytes."""
    return piece.encode() if isinstance(piece, str) else piece


def map_of(tok: Tokenizer, made: Tokenizer, pieces: list[NewPiece]) -> VocabMap:
    """The map from the old ids to the new ones. Raises TrainingError for a new piece that is not one id by itself."""
    after = LonePieces(made)
    for new_id, one in enumerate(pieces, tok.vocab_size):
        if after.ids(text_of(one.text)) != [new_id]:
            raise TrainingError(
                f"the new piece {one.text!r:.60} is not one id by itself, so it would be dead: give another n_new, and "
                "report this"
            )
    return map_of_appended(tok, made, [one.why for one in pieces])
