"""Subjects: the tokenizers of an audit, ours and others, as the figures see them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spm_lite.errors import OptionError
from spm_lite.evaluation.figures.character_counts import script_of_piece
from spm_lite.evaluation.figures.token_sums import TokenSums
from spm_lite.kinds import BYTE, CONTROL, SPACE, UNKNOWN

SPACE_BYTES = SPACE.encode()
NO_TEXT = (CONTROL, UNKNOWN)  # types of pieces without a text of their own

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.tokenizer.tokenizer import Tokenizer


class Coded(NamedTuple):
    """The tokens of some texts."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]  # of each text, and of the end
    places: NDArray[np.int32] | None  # begin and end of each token in code points, one after the other


class Subject:
    """A tokenizer of an audit. What it cannot tell is None or empty.

    size: of the vocabulary. unknown_id: -1: none. own: the Tokenizer, if it is one of ours.
    """

    own: Tokenizer | None
    has_places = True  # the texts of tokens are known
    has_decoding = True
    can_encode = True  # texts other than those of the sources
    size_is_known = True

    def __init__(self, name: str, size: int, unknown_id: int) -> None:
        self.own = None
        self._sizes: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
        self.name = name
        self.size = size
        self.unknown_id = unknown_id

    def new_sums(self) -> TokenSums:
        """Sums for one thread."""
        return TokenSums(self.size, self.unknown_id, self.byte_ids(), self.space_ids())

    def byte_ids(self) -> Sequence[int]:
        """The ids of tokens that are a byte of a character without a piece."""
        return ()

    def space_ids(self) -> Sequence[int]:
        """The ids of tokens that are only U+2581."""
        return ()

    def surfaces(self) -> list[str | bytes | None] | None:
        """The text of each id, with a space for U+2581: str, or bytes that are not UTF-8 alone; None: not known."""
        return None

    def size_histogram(self) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """(bytes, characters) of each id, at most 17; None: not known."""
        surfaces = self.surfaces()
        if surfaces is None:
            return None
        if self._sizes is None or len(self._sizes[0]) < len(surfaces):
            self._sizes = sizes_of(surfaces)
        return self._sizes

    def open(self, source: str, n_sources: int) -> None:
        """Begin with the texts of a source, one of several."""

    def close(self) -> None:
        """The source has ended."""

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text."""
        raise NotImplementedError

    def coded(self, texts: Sequence[str]) -> Coded:
        """The tokens of some texts; not asked of our own, which is read without a Python object for each token."""
        raise NotImplementedError

    def covered(self, texts: Sequence[str], number: int) -> Coded:
        """The same with places in bytes. number: of the first text, for messages.

        Raises OptionError if the tokenizer does not tell what its tokens cover.
        """
        raise OptionError(
            f"tokenizer {self.name!r} is only ids, which do not tell the bytes that a token covers: pass the tokenizer "
            "that made them"
        )

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids."""
        raise NotImplementedError

    def about(self) -> dict[str, Any]:
        """What the report says of it."""
        raise NotImplementedError


class OwnSubject(Subject):
    """A Tokenizer of ours."""

    own: Tokenizer

    def __init__(self, name: str, tokenizer: Tokenizer) -> None:
        self.vocab = tokenizer._file.vocab
        super().__init__(name, self.vocab.size, self.vocab.unknown_index)
        self.own = tokenizer
        self.types = [self.vocab.type(i) for i in range(self.size)]

    def byte_ids(self) -> Sequence[int]:
        if self.vocab.is_bytes:  # parts of characters
            return [i for i, text in enumerate(self.surfaces()) if isinstance(text, bytes)]
        return [i for i, kind in enumerate(self.types) if kind == BYTE]

    def space_ids(self) -> Sequence[int]:
        place = self.vocab.find_id(SPACE_BYTES)
        return [place] if not self.vocab.is_bytes and place >= 0 and self.vocab.text(place) == SPACE_BYTES else []

    @cached_property
    def pieces(self) -> list[str]:
        """The text of each piece; bytes that are not UTF-8 are lone surrogates."""
        return [self.vocab.text(i).decode("utf-8", "surrogateescape") for i in range(self.size)]

    def surfaces(self) -> list[str | bytes | None]:
        return self._surfaces

    @cached_property
    def _surfaces(self) -> list[str | bytes | None]:
        if self.vocab.is_bytes:
            texts = map(self.vocab.text, range(self.size))
            return [None if kind in NO_TEXT else text_or_bytes(t) for t, kind in zip(texts, self.types, strict=True)]
        rules = self.vocab.word_rules
        mark = SPACE if rules is None else rules.continuation_prefix
        space = " " if rules is None else ""
        return [
            None if kind in NO_TEXT else bytes([int(piece[3:5], 16)]) if kind == BYTE else piece.replace(mark, space)
            for piece, kind in zip(self.pieces, self.types, strict=True)
        ]

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return self.own.encode_lists(list(texts))

    def decode(self, ids: Sequence[int]) -> str:
        return self.own.decode(list(ids))

    def about(self) -> dict[str, Any]:
        return {
            "sha256": hashlib.sha256(self.own.to_bytes()).hexdigest(),
            "type": self.own.model_type,
            "size": self.size,
            "byte_fallback": self.vocab.byte_fallback,
        }


def text_or_bytes(data: bytes) -> str | bytes:
    """Bytes as text, if they are whole characters."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def sizes_of(surfaces: Sequence[str | bytes | None]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(bytes, characters) of each surface, at most 17; bytes that are not UTF-8 alone have no characters."""
    sizes = np.array([0 if text is None else len(as_bytes(text)) for text in surfaces], np.int64)
    characters = np.array([len(text) if isinstance(text, str) else 0 for text in surfaces], np.int64)
    return np.minimum(sizes, 17), np.minimum(characters, 17)


def as_bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text


def crosses_space(surface: str | bytes | None) -> bool:
    """Whether a piece goes on after a word with a space, as superwords do.

    >>> crosses_space(" of the"), crosses_space(" of"), crosses_space("  ")
    (True, False, False)
    """
    if surface is None:
        return False
    shown = surface if isinstance(surface, str) else surface.decode("latin-1")
    return " " in shown.lstrip(" ")


def script_of(subject: Subject, token_id: int, surface: str | bytes | None) -> str:
    """The script of a token; `byte` and `unknown` for these."""
    if token_id == subject.unknown_id or surface is None:
        return "unknown"
    return script_of_piece(surface) if isinstance(surface, str) else "byte"
