"""Vocabulary look-ups: the part of SentencePieceProcessor that maps pieces to ids and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set, ValuesView
from typing import Any, TypeVar, overload

from spm_lite.errors import ArgumentTypeError, IdError
from spm_lite.kinds import BYTE, CONTROL, UNKNOWN, UNUSED
from spm_lite.sentencepiece.call_arguments import Text, as_id, as_ids, as_pieces, is_sequence, piece_bytes
from spm_lite.sentencepiece.processing.loaded import LoadedModel
from spm_lite.vocab.piece_objects import are_of_type, find_ids, find_scores, find_strings

Result = TypeVar("Result")


class PieceLookup(LoadedModel):
    """Look-ups by piece or id: a single one gives a value, a sequence a list."""

    def GetPieceSize(self) -> int:
        """The number of pieces; 0 without a model."""
        return 0 if self._tok is None else self._tok.vocab_size

    def __len__(self) -> int:
        return self.GetPieceSize()

    @overload
    def PieceToId(self, piece: Text) -> int: ...
    @overload
    def PieceToId(self, piece: list[str] | list[bytes] | tuple[Text, ...]) -> list[int]: ...
    def PieceToId(self, piece: Any) -> Any:
        """The id of a piece, or of each piece of a sequence. Any other text has the id of the unknown piece, or -1."""
        found = None if self._tok is None else find_ids(self._tok._file.vocab, piece)
        if found is not None:
            return found
        if isinstance(piece, (str, bytes, bytearray)):
            return self._id_of(piece_bytes(piece))
        if not is_sequence(piece):
            raise ArgumentTypeError(f"a piece is str or bytes, or a sequence of them, not {type(piece).__name__}")
        return [self._id_of(text) for text in as_pieces(piece)]

    @overload
    def __getitem__(self, piece: Text) -> int: ...
    @overload
    def __getitem__(self, piece: list[str] | list[bytes] | tuple[Text, ...]) -> list[int]: ...
    def __getitem__(self, piece: Any) -> Any:
        return self.PieceToId(piece)

    @overload
    def IdToPiece(self, id: int) -> str: ...
    @overload
    def IdToPiece(self, id: Sequence[int]) -> list[str]: ...
    def IdToPiece(self, id: Any) -> Any:
        """The text of a piece, or of each id of a sequence. This and the methods below raise IdError for other ids."""
        found = None if self._tok is None else find_strings(self._tok._encoder.objects, id)
        return self._each(id, self._piece_of) if found is None else found

    @overload
    def GetScore(self, id: int) -> float: ...
    @overload
    def GetScore(self, id: Sequence[int]) -> list[float]: ...
    def GetScore(self, id: Any) -> Any:
        """The score of a piece, a float32."""
        found = None if self._tok is None else find_scores(self._tok._file.vocab, id)
        return self._each(id, lambda number: self._loaded()._file.vocab.score(number)) if found is None else found

    @overload
    def IsUnknown(self, id: int) -> bool: ...
    @overload
    def IsUnknown(self, id: Sequence[int]) -> list[bool]: ...
    def IsUnknown(self, id: Any) -> Any:
        """Whether an id is that of the unknown piece; a list of ids gives a list."""
        return self._are(id, UNKNOWN)

    @overload
    def IsControl(self, id: int) -> bool: ...
    @overload
    def IsControl(self, id: Sequence[int]) -> list[bool]: ...
    def IsControl(self, id: Any) -> Any:
        """Whether the piece is a control piece, which never comes from text."""
        return self._are(id, CONTROL)

    @overload
    def IsUnused(self, id: int) -> bool: ...
    @overload
    def IsUnused(self, id: Sequence[int]) -> list[bool]: ...
    def IsUnused(self, id: Any) -> Any:
        """Whether the piece is UNUSED: encoding never produces it."""
        return self._are(id, UNUSED)

    @overload
    def IsByte(self, id: int) -> bool: ...
    @overload
    def IsByte(self, id: Sequence[int]) -> list[bool]: ...
    def IsByte(self, id: Any) -> Any:
        """Whether a piece stands for one byte, such as <0x0A>; a list of ids gives a list."""
        return self._are(id, BYTE)

    def unk_id(self) -> int:
        """The id of the unknown piece; -1: none."""
        return self._special_id(0)

    def bos_id(self) -> int:
        """The id of the piece for the beginning of a text; -1: none."""
        return self._special_id(1)

    def eos_id(self) -> int:
        """The id of the piece for the end of a text; -1: none."""
        return self._special_id(2)

    def pad_id(self) -> int:
        """The id of the padding piece; -1: none."""
        return self._special_id(3)

    def _special_id(self, place: int) -> int:
        return -1 if self._tok is None else self._tok._file.special_ids[place]

    def _id_of(self, text: bytes) -> int:
        return 0 if self._tok is None else self._tok._file.vocab.find_id(text)

    def _piece_of(self, number: int) -> str:
        return self._loaded()._encoder.objects.string(number)

    def _are(self, id: Any, kind: int) -> Any:
        """Whether a piece is of a type, or each of many."""
        found = None if self._tok is None else are_of_type(self._tok._file.vocab, id, kind)
        if found is not None:
            return found
        return self._each(id, lambda number: self._loaded()._file.vocab.type(number) == kind)

    def _each(self, value: Any, function: Callable[[int], Result]) -> Result | list[Result]:
        """Apply `function` to an id, or to each id of a sequence."""
        if isinstance(value, (Iterator, Set, ValuesView)):  # sentencepiece accepts these in look-ups only
            value = list(value)
        if is_sequence(value):
            return [function(self._checked(number)) for number in as_ids(value)]
        return function(self._checked(as_id(value)))

    def _checked(self, number: int) -> int:
        """Return the id. Raises IdError outside the vocabulary."""
        size = self.GetPieceSize()
        if not 0 <= number < size:
            raise IdError(f"OUT_OF_RANGE: piece id is out of range. It is {number}, ids are 0 to {size - 1}")
        return number

    # The lower-case names of sentencepiece.
    get_piece_size = piece_size = vocab_size = GetPieceSize
    piece_to_id = PieceToId
    id_to_piece = IdToPiece
    get_score = GetScore
    is_unknown = IsUnknown
    is_control = IsControl
    is_unused = IsUnused
    is_byte = IsByte
