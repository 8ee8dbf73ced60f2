"""Ids or pieces to text: the part of SentencePieceProcessor that decodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spm_lite.decode.decode_batch import decode_lists
from spm_lite.decode.decoded_text import decode_text
from spm_lite.errors import ArgumentTypeError, IdError, OptionError, SpmLiteError
from spm_lite.sentencepiece.call_arguments import (
    as_ids,
    as_list,
    as_num_threads,
    as_pieces,
    check_num_threads,
    is_sequence,
)
from spm_lite.sentencepiece.processing.loaded import LoadedModel
from spm_lite.sentencepiece.returns import PiecesOfText, ReturnType, as_return_type, offset_mapping, resolve
from spm_lite.tokenizer.tokenizer import Tokenizer
from spm_lite.vocab.piece_objects import are_ids

TEXTS: tuple[ReturnType, ...] = (str, bytes)


class TextDecoder(LoadedModel):
    """Decoding: a sequence of ids or pieces gives one result, a sequence of sequences a list of results."""

    def Decode(
        self,
        input: Any,
        return_type: ReturnType | None = None,
        out_type: ReturnType | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """The text of one id or piece, of a sequence of them, or of each of a sequence of sequences.

        Args:
            input: an id or a piece, a sequence of them, or a sequence of such sequences.
            return_type: str, bytes, "offset_mapping", "proto", "serialized_proto"; None: str.
            out_type: the older name of `return_type`.
            num_threads, thread_pool: as in `Encode`.
            return_bytes: with "offset_mapping", whether text and pieces are bytes. Pieces given as bytes give bytes.
        Returns:
            A result of that type; a list of them for a sequence of sequences.
        Raises:
            OptionError: an unknown return type, or one that does not go with another argument.
            IndexError: an id is outside the vocabulary.
            RuntimeError: no model is loaded.
        """
        if return_type is None and out_type is None and num_threads is None and return_bytes is None:
            text = self._plain_text(input)  # the usual call, at once
            if text is not None:
                return text
        kind = resolve(return_type, out_type, str)
        if return_bytes is not None and kind != "offset_mapping":
            raise OptionError("return_bytes is only supported when return_type='offset_mapping'")
        threads = check_num_threads(self._num_threads if num_threads is None else num_threads)
        if kind in (int, "numpy"):
            raise OptionError(f"unknown return_type={kind!r} or input type: decoding gives text")
        if input is None or (isinstance(input, (str, bytes)) and not input):
            input = []
        elif not is_sequence(input) and (isinstance(input, (str, bytes)) or not hasattr(input, "__len__")):
            input = [input]
        if not is_batch(input):
            return self._decode_one(input, kind, return_bytes, piece_type(input))
        rows = list(input) if hasattr(input, "dtype") else as_list(input)
        pieces = piece_type(next((row for row in rows if hasattr(row, "__len__") and len(row)), ()))
        threads = as_num_threads(threads, thread_pool)
        kinds = set(map(type, rows))
        are_plain = not any(issubclass(row_kind, (bytes, Mapping)) for row_kind in kinds)  # of ints, but not of ids
        if kind is str and pieces is None and are_plain and not self._decode_options:
            decoder = self._loaded()._decoder
            if not kinds.isdisjoint((set, frozenset)):  # taken as sentencepiece takes them
                rows = [list(row) if row.__class__ in (set, frozenset) else row for row in rows]
            try:
                return decode_lists(decoder, rows, threads, False)
            except (SpmLiteError, TypeError):  # _ids() raises the error, or accepts numpy's integers
                return decode_lists(decoder, [self._ids(row) for row in rows], threads, False)
        if kind is str and all(row.__class__ is list and row and row[0].__class__ is str for row in rows):
            texts = [self._plain_text(row) for row in rows]
            if None not in texts:
                return texts
        return [self._decode_one(row, kind, return_bytes, pieces) for row in rows]

    def _plain_text(self, row: Any) -> str | None:
        """The text of a list of ids or str pieces, or of a single one; None: the input needs the general path."""
        if row.__class__ is not list:
            row = [row]
        if not row or self._tok is None or self._decode_options:
            return None
        decoder, kind = self._tok._decoder, row[0].__class__
        try:
            if kind is int:
                return decoder.decode(row)
            if kind is str and row[0]:
                return decoder.decode_pieces(row, False, True)
        except (SpmLiteError, UnicodeError):
            pass
        return None

    def _decode_one(
        self, row: Any, kind: ReturnType, return_bytes: bool | None, pieces_are: type[str] | type[bytes] | None
    ) -> Any:
        """The result for one sequence. pieces_are: the type of its pieces; None: it holds ids."""
        pieces, gives_bytes = pieces_are is not None, pieces_are is bytes
        ids = None if pieces else self._ids(row)  # checked before the model: without one, every id is out of range
        tok = self._loaded()
        items: list[Any] = as_pieces(row) if ids is None else ids
        if kind in TEXTS and not self._decode_options:
            return self._text(tok, items, pieces, gives_bytes or kind is bytes)
        for name in self._decode_options:
            items = with_option(items, name, pieces, tok)
        result: PiecesOfText = decode_text(tok._decoder, items, pieces)
        if kind in TEXTS:
            return result.text if gives_bytes or kind is bytes else as_str(result.text)
        if kind != "offset_mapping":
            return as_return_type(result, kind)
        as_bytes = gives_bytes or bool(return_bytes)
        return {"text": result.text if as_bytes else as_str(result.text), **offset_mapping(result, as_bytes)}

    def _text(self, tok: Tokenizer, items: Any, pieces: bool, gives_bytes: bool) -> Any:
        """The text as str, or as bytes where `gives_bytes`."""
        if pieces:
            return tok._decoder.decode_pieces(items, False, not gives_bytes)
        return tok._decoder.decode_bytes(items, False) if gives_bytes else tok._decoder.decode(items)

    def _ids(self, row: Any) -> list[int]:
        """The ids of a sequence, all of them in the vocabulary."""
        items = row.tolist() if is_int_array(row) else row
        if items.__class__ is list and self._tok is not None and are_ids(self._tok._file.vocab, items):
            return items
        ids = as_ids(row)
        size = 0 if self._tok is None else self._tok.vocab_size
        if ids and not (min(ids) >= 0 and max(ids) < size):
            number = next(i for i in ids if not 0 <= i < size)
            raise IdError(f"OUT_OF_RANGE: piece id is out of range. It is {number}, ids are 0 to {size - 1}")
        return ids

    # The lower-case names of sentencepiece.
    decode = detokenize = Detokenize = Decode


def is_batch(value: Any) -> bool:
    """Whether a value is a sequence of sequences."""
    if hasattr(value, "ndim"):
        return bool(value.ndim > 1)
    if not is_sequence(value):
        raise ArgumentTypeError(f"ids or pieces are a list or another sequence, not {type(value).__name__}")
    return len(value) > 0 and is_sequence(value[0])


def is_int_array(value: Any) -> bool:
    """Whether a value is a one-dimensional array of numpy or the like that holds integers."""
    dtype = getattr(value, "dtype", None)
    return getattr(dtype, "kind", "") in ("i", "u") and getattr(value, "ndim", 0) == 1 and hasattr(value, "tolist")


def piece_type(row: Any) -> type[str] | type[bytes] | None:
    """The type of the pieces of a sequence, by its first element; None: it holds ids."""
    if hasattr(row, "dtype") or isinstance(row, (bytearray, memoryview)) or not is_sequence(row) or not len(row):
        return None
    return str if isinstance(row[0], str) else bytes if isinstance(row[0], bytes) else None


def as_str(text: Any) -> str:
    """Decoded text as str; bytes that are not UTF-8 become U+FFFD."""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def with_option(items: list[Any], name: str, pieces: bool, tok: Tokenizer) -> list[Any]:
    """Apply one extra option to ids or pieces before they are decoded."""
    if name == "reverse":
        return items[::-1]
    if name in ("bos", "eos"):
        piece_id = tok.bos_id if name == "bos" else tok.eos_id
        added = [tok._file.vocab.text(piece_id) if pieces else piece_id]
        return added + items if name == "bos" else items + added
    if pieces and tok.unk_id >= 0:  # unk, unk_piece: pieces outside the vocabulary become the unknown piece
        unknown = tok._file.vocab.text(tok.unk_id)
        return [unknown if tok._file.vocab.find_id(piece) == tok.unk_id else piece for piece in items]
    return items
