"""The read-only result objects of sentencepiece 0.2.1, of `out_type="immutable_proto"`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import index
from typing import Any, Generic, NamedTuple, TypeVar, final, overload

from spm_lite.errors import ArgumentTypeError, IdError
from spm_lite.vocab.messages import message_class, read_message, serialize

Item = TypeVar("Item")


class ImmutableSentencePieceText_ImmutableSentencePiece(NamedTuple):
    """One piece. begin, end: code points of the text."""

    piece: str = ""
    id: int = 0
    surface: str = ""
    begin: int = 0
    end: int = 0

    @property
    def piece_as_bytes(self) -> bytes:
        return self.piece.encode("utf-8", "surrogateescape")

    @property
    def surface_as_bytes(self) -> bytes:
        return self.surface.encode("utf-8", "surrogateescape")

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return (
            f'piece: "{self.piece}"\nid: {self.id}\nsurface: "{self.surface}"\nbegin: {self.begin}\nend: {self.end}\n'
        )

    def __repr__(self) -> str:
        return str(self)


ImmutableSentencePieceText_ImmutableSentencePiece.__module__ = (
    "spm_lite"  # where users find it; a pickle names this place
)


@final
class ReadOnlyItems(Sequence[Item], Generic[Item]):
    """A read-only sequence; its errors name the kind of its items."""

    def __init__(self, items: list[Item], name: str) -> None:
        self._items = items
        self._name = name

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, key: int) -> Item: ...
    @overload
    def __getitem__(self, key: slice) -> list[Item]: ...
    def __getitem__(self, key: int | slice) -> Item | list[Item]:
        if isinstance(key, slice):
            return self._items[key]
        try:
            number = index(key)
        except TypeError:
            raise ArgumentTypeError(f"{self._name} index is int or slice, not {type(key).__name__}") from None
        if not -len(self) <= number < len(self):
            raise IdError(f"{self._name} index is out of range: {number}, the length is {len(self)}")
        return self._items[number]

    def __eq__(self, other: object) -> bool:
        return self._items == other._items if isinstance(other, ReadOnlyItems) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self._items))

    def __repr__(self) -> str:
        fields = {"piece": "pieces", "nbests": "nbests"}[self._name]
        return "\n".join(f"{fields} {{\n{item}}}" for item in self._items)

    __str__ = __repr__


class ImmutableMessage:
    """A serialized message, parsed at first use. Equality and hash compare its bytes."""

    message_name = ""

    def __init__(self, data: bytes = b"") -> None:
        self._data = data

    def SerializeAsString(self) -> bytes:
        """Serialize the message; its offsets count code points, as in version 0.2.1."""
        return serialize(self._in_code_points())

    def _in_code_points(self) -> Any:
        """The message with its offsets converted from bytes to code points."""
        raise NotImplementedError

    @cached_property
    def _message(self) -> Any:
        return read_message(self.message_name, self._data)

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._data)

    def __reduce__(self) -> tuple[Callable[[bytes], ImmutableMessage], tuple[bytes]]:
        return type(self), (self._data,)


@final
class ImmutableSentencePieceText(ImmutableMessage):
    """What encoding with out_type="immutable_proto" returns: the text, the score, and a message for each piece."""

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    message_name = "SentencePieceText"

    @property
    def text(self) -> str:
        return as_str(self._message.text)

    @property
    def text_as_bytes(self) -> bytes:
        return self.text.encode("utf-8", "surrogateescape")

    @property
    def score(self) -> float:
        score: float = self._message.score
        return score

    @cached_property
    def pieces(self) -> ReadOnlyItems[ImmutableSentencePieceText_ImmutableSentencePiece]:
        """The pieces, with offsets in code points."""
        data = self.text_as_bytes
        n_chars = [0]  # for each byte and for the end: characters that begin before it
        for byte in data:
            n_chars.append(n_chars[-1] + (byte & 0xC0 != 0x80))
        at = [n_chars[i] if i == len(data) or data[i] & 0xC0 != 0x80 else n_chars[i] - 1 for i in range(len(data) + 1)]
        return ReadOnlyItems(
            [
                ImmutableSentencePieceText_ImmutableSentencePiece(
                    as_str(piece.piece),
                    piece.id,
                    as_str(piece.surface),
                    at[min(piece.begin, len(data))],
                    at[min(piece.end, len(data))],
                )
                for piece in self._message.pieces
            ],
            "piece",
        )

    def _in_code_points(self) -> Any:
        message = read_message(self.message_name, self._data)
        for piece, shown in zip(message.pieces, self.pieces, strict=True):
            piece.begin, piece.end = shown.begin, shown.end
        return message

    def __repr__(self) -> str:
        return f'text: "{self.text}"\nscore: {self.score}\n{self.pieces}'

    __str__ = __repr__


@final
class ImmutableNBestSentencePieceText(ImmutableMessage):
    """Several segmentations of a text."""

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    message_name = "NBestSentencePieceText"

    @cached_property
    def nbests(self) -> ReadOnlyItems[ImmutableSentencePieceText]:
        """The segmentations."""
        return ReadOnlyItems([ImmutableSentencePieceText(serialize(nbest)) for nbest in self._message.nbests], "nbests")

    def _in_code_points(self) -> Any:
        message = message_class(self.message_name)()
        message.nbests.extend(nbest._in_code_points() for nbest in self.nbests)
        return message

    def __repr__(self) -> str:
        return str(self.nbests)

    __str__ = __repr__


def as_str(value: str | bytes) -> str:
    """The text of a string field, which protobuf returns as bytes if it is ill-formed UTF-8."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")
