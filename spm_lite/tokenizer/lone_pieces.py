"""Pieces by themselves: the ids of a piece's own text, to which nothing is added and from which nothing is removed."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.encode.encoder import Encoder
from spm_lite.encode.segment.bpe import BpeSegmenter
from spm_lite.kinds import BYTE, NORMAL, SPACE, UNKNOWN
from spm_lite.normalize.from_settings import make_normalizer
from spm_lite.specs import NormalizerSpec
from spm_lite.vocab.vocab_map import GrownPiece, VocabMap

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from spm_lite.tokenizer.tokenizer import Tokenizer


class LonePieces:
    """Encodes the texts of pieces, given as bytes with U+2581 for a space where the model writes it so."""

    __slots__ = ("_encoder", "_has_marks", "_vocab")

    def __init__(self, tok: Tokenizer) -> None:
        own, self._vocab = tok._encoder.normalizer, tok._file.vocab
        spec = NormalizerSpec(add_dummy_prefix=False, escape_whitespaces=own.escape_whitespaces)
        normalizer = make_normalizer(spec, may_be_compact=own.compact, lossless=own.lossless)
        # A pattern would cut a piece that is a part of a character.
        segmenter = BpeSegmenter(self._vocab, own.compact) if self._vocab.is_cut else tok._encoder.segmenter
        self._encoder = Encoder(normalizer, segmenter, 0)
        self._has_marks = not self._vocab.is_bytes and own.escape_whitespaces

    def ids(self, piece: bytes) -> list[int]:
        """The ids of the text of a piece."""
        return self._encoder.encode(piece.replace(SPACE.encode(), b" ") if self._has_marks else piece)

    def count(self, pieces: list[bytes], num_threads: int) -> Any:
        """The number of ids of each text, as an array of int64."""
        from spm_lite.encode.encode_batch import count_batch
        from spm_lite.texts.object_texts import ObjectTexts

        mark = SPACE.encode()
        texts = [piece.replace(mark, b" ") for piece in pieces] if self._has_marks else pieces
        return count_batch(self._encoder, ObjectTexts(texts), num_threads)

    def size(self, piece_id: int) -> int:
        """The bytes of text that a piece stands for; 1 for a byte piece, and for unknown text."""
        if self._vocab.type(piece_id) in (BYTE, UNKNOWN):
            return 1
        text = self._vocab.text(piece_id)
        return len(text if self._vocab.is_bytes else text.replace(SPACE.encode(), b" "))

    def grown(self, after: Tokenizer, new_id: int, why: str) -> GrownPiece:
        """A piece of another tokenizer, with the ids of its text here."""
        old_ids = tuple(self.ids(after._file.vocab.text(new_id)))
        return GrownPiece(after.id_to_piece(new_id), old_ids, tuple(map(self.size, old_ids)), why)

    def dead(self) -> set[int]:
        """The ids of plain pieces that their own text does not give."""
        plain = (i for i in range(len(self._vocab)) if self._vocab.type(i) == NORMAL)
        return {i for i in plain if self.ids(self._vocab.text(i)) != [i]}


def map_of_appended(before: Tokenizer, after: Tokenizer, reasons: Iterable[str]) -> VocabMap:
    """The map to a vocabulary with further pieces at the end. reasons: why each of them is there."""
    alone = LonePieces(before)
    found = {new_id: alone.grown(after, new_id, why) for new_id, why in enumerate(reasons, before.vocab_size)}
    return VocabMap(range(before.vocab_size), after.vocab_size, found)
