"""Tokenizers of other packages, recognized by their attributes, so that no package is imported for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from spm_lite.errors import ArgumentTypeError, FileError, OptionError
from spm_lite.evaluation.figures.subjects import Coded, OwnSubject, Subject, text_or_bytes

Ids = Sequence[Sequence[int]]
Place = tuple[int, int]


class ForeignSubject(Subject):
    """A tokenizer that is not ours.

    encode: ids of many texts, without special ids. spans: (begin, end) in code points of each id; token_bytes: of one
    id. None: the tokenizer does not have it.
    """

    def __init__(
        self,
        name: str,
        kind: str,
        encode: Callable[[list[str]], Ids],
        *,
        size: int | None = None,
        unknown_id: int | None = None,
        decode: Callable[[Sequence[int]], str] | None = None,
        spans: Callable[[list[str]], tuple[Ids, Sequence[Sequence[Place]]]] | None = None,
        token_bytes: Callable[[int], bytes] | None = None,
    ) -> None:
        super().__init__(name, size or 0, -1 if unknown_id is None else unknown_id)
        self.kind = kind
        self.size_is_known = size is not None
        self._encode, self._decode, self._spans, self._token_bytes = encode, decode, spans, token_bytes
        self.has_decoding = decode is not None
        self.has_places = spans is not None or (token_bytes is not None and self.unknown_id < 0)
        self._surfaces: list[str | bytes | None] | None = None
        self._known_bytes: dict[int, bytes | None] = {}
        self._check()

    def _check(self) -> None:
        """Raise OptionError if the tokenizer adds ids to a text, or gives another number of results."""
        empty, letter = self.ids(["", "a"])
        if empty:
            raise OptionError(
                f"tokenizer {self.name!r} gives the ids {empty!r:.60} for an empty text: special ids must not be "
                "added. Turn them off, or wrap it in a function that does"
            )
        if not letter:
            raise OptionError(f"tokenizer {self.name!r} gives no id for the text 'a'")

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        rows = [list(map(int, row)) for row in self._encode(list(texts))]
        self._check_number(len(rows), len(texts))
        self._see(max((max(row) for row in rows if row), default=-1))
        return rows

    def _check_number(self, n: int, n_texts: int) -> None:
        if n != n_texts:
            raise OptionError(f"tokenizer {self.name!r} gave the ids of {n} texts for {n_texts}: it must give one each")

    def _see(self, largest: int) -> None:
        """Take note of an id, where the size of the vocabulary is not known."""
        if largest >= self.size:
            if self.size_is_known:
                raise OptionError(
                    f"tokenizer {self.name!r} gave the id {largest}, but its vocabulary has {self.size} ids: pass a "
                    "larger vocab_size"
                )
            self.size = largest + 1

    def coded(self, texts: Sequence[str]) -> Coded:
        rows, spans = self._tokens(texts)
        if spans is None:
            return coded_rows(rows, self._places_by_bytes(texts, rows) if self.has_places else None)
        flat = [end for row in spans for span in row for end in span]
        if len(flat) != 2 * sum(map(len, rows)):
            raise OptionError(f"tokenizer {self.name!r} gave {len(flat) // 2} spans for {sum(map(len, rows))} ids")
        return coded_rows(rows, flat)

    def _tokens(self, texts: Sequence[str]) -> tuple[Ids, Sequence[Sequence[Place]] | None]:
        """The ids of each text, and their spans if the tokenizer tells them."""
        if self._spans is None:
            return self.ids(texts), None
        rows, spans = self._spans(list(texts))
        for given in (rows, spans):
            self._check_number(len(given), len(texts))
        self._see(max((max(row) for row in rows if len(row)), default=-1))
        return rows, spans

    def covered(self, texts: Sequence[str], number: int) -> Coded:
        """As in `Subject`: from the bytes of tokens where they join to the text, else from spans."""
        rows, spans = self._tokens(texts)
        flat: list[int] = []
        for i, (text, row) in enumerate(zip(texts, rows, strict=True)):
            found = self._joined(text.encode(), row)
            if found is None:
                found = self._places_by_spans(text, row, None if spans is None else spans[i], number + i)
            flat += found
        return coded_rows(rows, flat)

    def _places_by_spans(self, text: str, row: Sequence[int], spans: Sequence[Place] | None, number: int) -> list[int]:
        """Begin and end of each token in bytes. Raises OptionError without spans, and for wrong ones."""
        if spans is None:
            raise OptionError(
                f"tokenizer {self.name!r} has no spans, and its single tokens do not join to text {number}: load its "
                "files by spm_lite.load, use the fast class of transformers, or wrap it in an object with encode_batch "
                "and spans_batch"
            )
        try:
            return byte_places(text, spans, len(row))
        except (ValueError, TypeError) as error:
            raise OptionError(
                f"tokenizer {self.name!r} gave wrong spans for text {number}: {error}. Wrap it in an object with "
                "encode_batch and spans_batch that gives (begin, end) of each id in characters"
            ) from None

    def _joined(self, data: bytes, row: Sequence[int]) -> list[int] | None:
        """Begin and end of each token in the bytes of a text, before which a space may have been put.

        None: the bytes of single tokens do not join to the text.
        """
        parts: list[bytes] = []
        for token_id in row:
            if token_id not in self._known_bytes:
                self._known_bytes[token_id] = self._bytes_alone(token_id)
            part = self._known_bytes[token_id]
            if part is None:
                return None
            parts.append(part)
        joined = b"".join(parts)
        n_before = len(joined) - len(data)
        if joined != data and joined != b" " + data:
            return None
        ends = [max(end - n_before, 0) for end in accumulate(map(len, parts), initial=0)]
        return [place for pair in pairwise(ends) for place in pair]

    def _bytes_alone(self, token_id: int) -> bytes | None:
        """The bytes of one token; without spans, those of its decoded text if need be. None: they are not known."""
        try:
            if self._token_bytes is not None:
                return self._token_bytes(token_id)
            if self._spans is None and self._decode is not None:
                return self._decode([token_id]).encode()
        except (KeyError, IndexError, ValueError, TypeError):  # a hole in the vocabulary
            pass
        return None

    def _places_by_bytes(self, texts: Sequence[str], rows: Ids) -> list[int]:
        """Places from the bytes of tokens, which join to the text: the last token of a character has it."""
        assert self._token_bytes is not None
        sizes: dict[int, int] = {}
        flat: list[int] = []
        for text, row in zip(texts, rows, strict=True):
            characters = characters_at(text)
            pos = 0
            for token_id in row:
                if token_id not in sizes:
                    sizes[token_id] = len(self._token_bytes(token_id))
                begin = characters[min(pos, len(characters) - 1)]
                pos += sizes[token_id]
                flat += (begin, characters[min(pos, len(characters) - 1)])
        return flat

    def surfaces(self) -> list[str | bytes | None] | None:
        if self._token_bytes is None:
            return None
        if self._surfaces is None or len(self._surfaces) < self.size:
            self._surfaces = [self._surface(i) for i in range(self.size)]
        return self._surfaces

    def _surface(self, token_id: int) -> str | bytes | None:
        assert self._token_bytes is not None
        try:
            data = self._token_bytes(token_id)
        except (KeyError, IndexError, ValueError, TypeError):  # a hole in the vocabulary
            return None
        return text_or_bytes(data)

    def byte_ids(self) -> Sequence[int]:
        surfaces = self.surfaces()
        return () if surfaces is None else [i for i, text in enumerate(surfaces) if isinstance(text, bytes)]

    def decode(self, ids: Sequence[int]) -> str:
        assert self._decode is not None
        return self._decode(list(ids))

    def about(self) -> dict[str, Any]:
        return {
            "type": self.kind,
            "size": self.size,
            "size_is_known": self.size_is_known,
            "has": [
                name
                for name, part in (
                    ("unk_id", self.unknown_id >= 0 or None),
                    ("spans", self.has_places or None),
                    ("decode", self._decode),
                    ("token_bytes", self._token_bytes),
                )
                if part
            ],
        }


def coded_rows(rows: Ids, places: Sequence[int] | None) -> Coded:
    """The tokens of some texts as arrays. places: begin and end of each token."""
    lengths = [len(row) for row in rows]
    ids = np.fromiter((int(i) for row in rows for i in row), np.int32, sum(lengths))
    offsets = np.array([0, *accumulate(lengths)], np.int64)
    return Coded(ids, offsets, None if places is None else np.array(places, np.int32))


def byte_places(text: str, spans: Sequence[Place], n_ids: int) -> list[int]:
    """Begin and end of each token in bytes. spans: in characters. Raises ValueError for spans that cannot be right.

    >>> byte_places("aé!", [(0, 2), (2, 3)], 2)
    [0, 3, 3, 4]
    """
    if len(spans) != n_ids:
        raise ValueError(f"{len(spans)} spans for {n_ids} ids")
    ends = range(len(text) + 1) if text.isascii() else [0, *accumulate(len(character.encode()) for character in text)]
    flat: list[int] = []
    last = 0
    for begin, end in spans:
        if not 0 <= begin <= end <= len(text):
            raise ValueError(f"({begin}, {end}) is no part of its {len(text)} characters")
        if begin < end:
            if begin < last:
                raise ValueError(f"({begin}, {end}) begins before the span of the token before it, at {last}")
            last = begin
        flat += (ends[begin], ends[end])
    return flat


def characters_at(text: str) -> list[int]:
    """For each byte of UTF-8 and the end: the number of characters that end at it or before.

    >>> characters_at("aé")
    [0, 1, 1, 2]
    """
    result = [0]
    for number, character in enumerate(text):
        result += [number] * (len(character.encode("utf-8", "surrogatepass")) - 1) + [number + 1]
    return result


class GivenIds(Subject):
    """Ids made elsewhere, for the texts of each source in order. Of such a tokenizer only the ids are known."""

    has_places = False
    has_decoding = False
    can_encode = False

    def __init__(self, name: str, rows: Any, size: int | None) -> None:
        self.rows = {key: list(value) for key, value in rows.items()} if isinstance(rows, Mapping) else list(rows)
        known = self.rows.values() if isinstance(self.rows, dict) else [self.rows]
        largest = max((int(max(row)) for part in known for row in part if len(row)), default=0)
        super().__init__(name, largest + 1 if size is None else size, -1)
        self.size_is_known = size is not None
        if largest >= self.size:
            raise OptionError(
                f"tokenizer {name!r} has the id {largest}, but its vocabulary has {size} ids: pass a larger vocab_size"
            )
        self._rest: list[Any] = []
        self._source = ""

    def open(self, source: str, n_sources: int) -> None:
        """Begin with the texts of a source."""
        self._source = source
        if isinstance(self.rows, dict):
            if source not in self.rows:
                raise OptionError(f"tokenizer {self.name!r} has no ids for the text {source!r}: it has {[*self.rows]}")
            self._rest = self.rows[source]
        elif n_sources != 1:
            raise OptionError(f"tokenizer {self.name!r} is one list of ids for {n_sources} texts: pass a dict by text")
        else:
            self._rest = self.rows

    def coded(self, texts: Sequence[str]) -> Coded:
        rows, self._rest = self._rest[: len(texts)], self._rest[len(texts) :]
        if len(rows) < len(texts):
            raise OptionError(
                f"tokenizer {self.name!r} has fewer ids than {self._source!r} has texts: give one row each"
            )
        return coded_rows(rows, None)

    def close(self) -> None:
        """Raise OptionError if there are ids for more texts than the source had."""
        if len(self._rest):
            raise OptionError(
                f"tokenizer {self.name!r} has {len(self._rest)} more rows of ids than {self._source!r} has texts"
            )

    def about(self) -> dict[str, Any]:
        return {"type": "ids", "size": self.size, "size_is_known": self.size_is_known, "has": []}


def as_subject(obj: Any, name: str, vocab_size: int | None = None) -> Subject:
    """A tokenizer of any kind, wrapped for an audit. Raises ArgumentTypeError for something else."""
    from spm_lite.tokenizer.tokenizer import Tokenizer

    if isinstance(obj, Subject):
        return obj
    if isinstance(obj, Tokenizer):
        return OwnSubject(name, obj)
    if isinstance(obj, (str, os.PathLike)):
        return subject_of_path(obj, name, vocab_size)
    for test, make in KINDS:
        if test(obj):
            return make(obj, name, vocab_size)
    raise ArgumentTypeError(
        f"tokenizer {name!r} is {type(obj).__name__}: give a Tokenizer, a path, a SentencePieceProcessor, a tokenizer "
        "of tokenizers, transformers or tiktoken, an object with encode_batch, a function of a text, or lists of ids"
    )


def subject_of_path(path: str | os.PathLike[str], name: str, vocab_size: int | None) -> Subject:
    """The tokenizer of a file of any format, or of a name such as "tiktoken:gpt2"."""
    text = os.fsdecode(path)
    if text.startswith("tiktoken:"):
        return as_subject(tiktoken_encoding(text.partition(":")[2]), name, vocab_size)
    from spm_lite.errors import ModelError
    from spm_lite.tokenizer.tokenizer import Tokenizer

    try:
        return OwnSubject(name, Tokenizer.load(path))
    except (ModelError, OptionError) as error:
        found = read_by_tokenizers(text)
        if found is None:
            raise
        del error
    return as_subject(found, name, vocab_size)


def read_by_tokenizers(path: str) -> Any:
    """What the package tokenizers makes of a tokenizer.json that no model of ours can be; None: nothing."""
    from importlib import import_module

    if not path.endswith(".json"):
        return None
    try:
        return import_module("tokenizers").Tokenizer.from_file(path)
    except Exception:  # it is not installed, or it raises plain Exception
        return None


def imported(module: str, package: str) -> Any:
    """A module of another package. Raises OptionError where it is not installed."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise OptionError(f"this needs the package {package}, which is not installed: pip install {package}") from error


def has(obj: Any, *names: str) -> bool:
    return all(hasattr(obj, name) for name in names)


def of_sentencepiece(obj: Any, name: str, vocab_size: int | None) -> Subject:
    """A SentencePieceProcessor: its model, read by our engine, which gives the same ids."""
    from spm_lite.tokenizer.tokenizer import Tokenizer

    return OwnSubject(name, Tokenizer.load(obj.serialized_model_proto()))


def tiktoken_encoding(name: str) -> Any:
    """An encoding of tiktoken. Raises OptionError for a name that it does not know, FileError if it cannot load one."""
    tiktoken = imported("tiktoken", "tiktoken")
    known = tiktoken.list_encoding_names()
    if name not in known:
        raise OptionError(f"tiktoken:{name:.60} is not an encoding of tiktoken, which has {', '.join(known)}")
    try:
        return tiktoken.get_encoding(name)
    except (OSError, ValueError) as error:  # no network, or another file than it expects
        reason = " ".join(str(error).split())
        raise FileError(
            f"tiktoken cannot load {name!r}, which it downloads once: connect this machine to the internet, or let "
            f"TIKTOKEN_CACHE_DIR name the folder where it was kept before ({reason:.200})"
        ) from error


def of_tiktoken(obj: Any, name: str, vocab_size: int | None) -> Subject:
    return ForeignSubject(
        name,
        "tiktoken",
        obj.encode_ordinary_batch,
        size=vocab_size or obj.n_vocab,
        decode=obj.decode,
        token_bytes=obj.decode_single_token_bytes,
    )


def of_tokenizers(obj: Any, name: str, vocab_size: int | None) -> Subject:
    def encoded(texts: list[str]) -> list[Any]:
        return list(obj.encode_batch(texts, add_special_tokens=False))

    def spans(texts: list[str]) -> tuple[Ids, Sequence[Sequence[Place]]]:
        found = encoded(texts)
        return [one.ids for one in found], [one.offsets for one in found]

    unknown = getattr(getattr(obj, "model", None), "unk_token", None)
    return ForeignSubject(
        name,
        "tokenizers",
        lambda texts: [one.ids for one in encoded(texts)],
        size=vocab_size or obj.get_vocab_size(with_added_tokens=True),
        unknown_id=None if unknown is None else obj.token_to_id(unknown),
        decode=lambda ids: obj.decode(ids, skip_special_tokens=False),
        spans=spans,
        token_bytes=byte_level(obj),
    )


def byte_level(obj: Any) -> Callable[[int], bytes] | None:
    """The bytes of a token, where its vocabulary is spelled in GPT-2's alphabet of bytes; else None."""
    from spm_lite.formats.byte_spelling import unspell

    if type(getattr(obj, "decoder", None)).__name__ != "ByteLevel":
        return None

    def token_bytes(token_id: int) -> bytes:
        text = obj.id_to_token(token_id)
        if text is None:
            raise KeyError(token_id)
        data = unspell(text)
        return text.encode() if data is None else data

    return token_bytes


def of_transformers(obj: Any, name: str, vocab_size: int | None) -> Subject:
    def encode(texts: list[str]) -> Ids:
        rows: Ids = obj(texts, add_special_tokens=False)["input_ids"]
        return rows

    def spans(texts: list[str]) -> tuple[Ids, Sequence[Sequence[Place]]]:
        found = obj(texts, add_special_tokens=False, return_offsets_mapping=True)
        return found["input_ids"], found["offset_mapping"]

    return ForeignSubject(
        name,
        "transformers",
        encode,
        size=vocab_size or len(obj),
        unknown_id=getattr(obj, "unk_token_id", None),
        decode=lambda ids: obj.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False),
        spans=spans if getattr(obj, "is_fast", False) else None,
        token_bytes=byte_level(getattr(obj, "backend_tokenizer", None)),
    )


def of_protocol(obj: Any, name: str, vocab_size: int | None) -> Subject:
    """An object with `encode_batch`, and whatever else it has."""

    def spans(texts: list[str]) -> tuple[Ids, Sequence[Sequence[Place]]]:
        return obj.encode_batch(texts), obj.spans_batch(texts)

    return ForeignSubject(
        name,
        type(obj).__name__,
        obj.encode_batch,
        size=vocab_size or getattr(obj, "vocab_size", None),
        unknown_id=getattr(obj, "unk_id", None),
        decode=getattr(obj, "decode", None),
        spans=spans if hasattr(obj, "spans_batch") else None,
        token_bytes=getattr(obj, "token_bytes", None),
    )


def of_function(obj: Any, name: str, vocab_size: int | None) -> Subject:
    return ForeignSubject(name, "function", lambda texts: [obj(text) for text in texts], size=vocab_size)


def are_ids(obj: Any) -> bool:
    """Whether something is rows of ids: a list of lists or arrays, an array of them, or a dict of such by text."""
    if isinstance(obj, Mapping):
        return bool(obj) and all(are_ids(part) for part in obj.values())
    if isinstance(obj, (str, bytes)) or not isinstance(obj, Iterable) or not has(obj, "__len__", "__getitem__"):
        return False
    rows = list(obj)
    return bool(rows) and all(
        has(row, "__len__", "__getitem__") and not isinstance(row, (str, bytes)) and not callable(row) for row in rows
    )


KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any, str, int | None], Subject]], ...] = (
    (lambda obj: has(obj, "serialized_model_proto", "id_to_piece"), of_sentencepiece),
    (lambda obj: has(obj, "encode_ordinary_batch", "n_vocab"), of_tiktoken),
    (lambda obj: has(obj, "encode_batch", "get_vocab_size", "token_to_id"), of_tokenizers),
    (lambda obj: callable(obj) and has(obj, "convert_ids_to_tokens", "unk_token_id"), of_transformers),
    (lambda obj: has(obj, "encode_batch"), of_protocol),
    (callable, of_function),
    (are_ids, lambda obj, name, vocab_size: GivenIds(name, obj, vocab_size)),
)
