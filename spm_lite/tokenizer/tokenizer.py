"""Tokenizer: load, encode, decode. It checks arguments and hands the work to the engine."""

from __future__ import annotations

import os

from spm_lite._typing import TYPE_CHECKING, final
from spm_lite.arguments import (
    allows_surrogates,
    as_cache_bytes,
    as_ids,
    as_iterable,
    as_num_threads,
    text_for_encoder,
)
from spm_lite.decode.decode_batch import decode_flat, decode_lists
from spm_lite.decode.stream import ByteStream, TextStream
from spm_lite.encode import encode_batch as encode_batches
from spm_lite.encode.encoder import DEFAULT_CACHE_BYTES
from spm_lite.errors import ArgumentTypeError, ModelError, OptionError
from spm_lite.ids.batch import Batch, as_numpy
from spm_lite.io.files import as_path, as_vocab_path, read_bytes, read_stream
from spm_lite.model.model_file import read_model, vocab_lines
from spm_lite.texts.inputs import as_texts
from spm_lite.tokenizer.parts import Variants, make_decoder, make_encoder
from spm_lite.tokenizer.pieces import PieceMethods
from spm_lite.tokenizer.segmentations import SegmentationMethods

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, BinaryIO, NoReturn, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.encode.encoder import Encoder
    from spm_lite.progress import Progress
    from spm_lite.texts.text_view import Texts
    from spm_lite.tokenizer.results import CacheInfo, EncodedFiles
    from spm_lite.tokenizer.roundtrip import RoundTripReport
    from spm_lite.tokenizer.specials import Control, Text

    _Text = TypeVar("_Text", str, bytes)


@final
class Tokenizer(SegmentationMethods, PieceMethods):
    """A loaded model: text -> ids -> text. Immutable, safe to share between threads, picklable.

    Two tokenizers are equal when their model bytes are. Source: Kudo and Richardson 2018.
    """

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise ArgumentTypeError("a Tokenizer comes from Tokenizer.load(...) or spm_lite.train(...)")

    def __init_subclass__(cls) -> NoReturn:
        raise ArgumentTypeError(
            f"{cls.__name__} cannot be a subclass of Tokenizer: keep a Tokenizer in an attribute instead"
        )

    # -- the model ----------------------------------------------------------------------------------------------

    @classmethod
    def load(
        cls,
        source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> Tokenizer:
        """The model of a file, given as a path, its bytes, or a binary file open for reading.

        cache_bytes: what it may remember of texts that it has met, for all threads together, and keep of the memory of
        large batches, which gives way to the former; ids never depend on it.
        Raises FileError if the file cannot be read, ModelError if it is damaged or of another format.
        """
        limit = as_cache_bytes(cache_bytes)
        if isinstance(source, (bytes, bytearray, memoryview)):
            return cls._from_bytes(bytes(source), f"{len(source)} bytes of memory", cache_bytes=limit)
        if isinstance(source, (str, os.PathLike)):
            return cls._from_bytes(read_bytes(source), os.fsdecode(source), cache_bytes=limit)
        if not callable(getattr(source, "read", None)):
            raise ArgumentTypeError(f"a model is a path, bytes or a binary file, not {type(source).__name__}")
        return cls._from_bytes(*read_stream(source), cache_bytes=limit)

    @classmethod
    def _from_bytes(
        cls, data: bytes, name: str = "a model", report: Any = None, cache_bytes: int = DEFAULT_CACHE_BYTES
    ) -> Tokenizer:
        """The tokenizer of model bytes; `name` is how messages call them, `report` what training says about them."""
        file = read_model(data, name)
        self = cls.__new__(cls)
        object.__setattr__(self, "_file", file)
        try:
            object.__setattr__(self, "_encoder", make_encoder(file, cache_bytes))
            object.__setattr__(self, "_decoder", make_decoder(file))
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from None
        object.__setattr__(self, "_report", report)
        object.__setattr__(self, "_variants", Variants(self._encoder, self._decoder, file.model_type))
        return self

    def to_bytes(self) -> bytes:
        """The model file's bytes; for an untouched model those it was loaded from."""
        return self._file.data

    def save(self, path: str | os.PathLike[str], vocab: bool | str | os.PathLike[str] | None = False) -> None:
        """Write the model file, whole or not at all. Raises FileError.

        vocab: also write a table of pieces and scores, for people; True: beside the model, named `.vocab`.
        """
        from spm_lite.io.new_files import write_atomically

        model_path = as_path(path, "path")
        vocab_path = as_vocab_path(vocab, model_path)
        if vocab_path is not None and os.path.abspath(vocab_path) == os.path.abspath(model_path):  # noqa: PTH100
            raise OptionError(f"the vocabulary would overwrite the model {model_path!r}: give vocab another path")
        write_atomically(model_path, self.to_bytes())
        if vocab_path is not None:
            write_atomically(vocab_path, b"".join(vocab_lines(self._file.vocab)))

    @property
    def report(self) -> Any:
        """What training read, used and left out; None on a loaded model."""
        return self._report

    @property
    def model_type(self) -> str:
        """`"unigram"`, `"bpe"`, `"char"` or `"word"`."""
        return self._file.model_type

    @property
    def is_lossless(self) -> bool:
        """Whether the model was made so that decoding gives back every text."""
        return self._file.lossless

    @property
    def is_strict(self) -> bool:
        """Whether that holds for the original library's encoder too, by rules that escape U+2581."""
        return self._file.strict

    # -- text -> ids --------------------------------------------------------------------------------------------

    def cache_info(self) -> CacheInfo:
        """How much memory the ids of chunks of text take that were seen before, and what is kept for large batches."""
        from spm_lite.tokenizer.results import CacheInfo

        return CacheInfo(*self._encoder.cache_bytes)

    def clear_cache(self) -> None:
        """Give that memory back. Ids never depend on it."""
        self._variants.clear_cache()
        if hasattr(self, "_segmentations"):
            self._segmentations.clear_cache()

    def _encode_with(
        self,
        text: str | bytes,
        bos: Any,
        eos: Any,
        prefix_space: Any,
        allow_special: Any,
        user_defined: Any,
        errors: Any,
    ) -> list[int]:
        """What `encode` does where it is told more than the text."""
        if errors != "strict":
            text = text_for_encoder(text, errors)
        added = self._bos_eos(bos, eos)
        if isinstance(allow_special, tuple) and not allow_special:
            ids = self._variants.encoder(prefix_space, user_defined).encode(text)
        else:
            from spm_lite.tokenizer import specials

            names = specials.special_ids(self._file.vocab, allow_special)
            ids = self._encode_all(specials.split(text, names), prefix_space, user_defined)
        return add_bos_eos(ids, added)

    def encode_segments(
        self,
        segments: Iterable[Control | Text],
        *,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        user_defined: bool = True,
    ) -> list[int]:
        """The ids of a text put together of what the program says and what others say.

        segments: `Control(name)` is the id of that piece; `Text(text)` is encoded by itself and becomes no control
        piece. The space that the model puts before a text comes before the first text only, if all that stands before
        it are control pieces, so that decoding takes it away again. Where the model removes extra spaces, a later
        text keeps one of those that it begins with. The options are those of `encode`.

        >>> tokenizer.encode_segments([Control("<s>"), Text("</s>")]).count(tokenizer.eos_id)  # doctest: +SKIP
        0
        """
        added = self._bos_eos(bos, eos)
        ids = self._encode_all(list(as_iterable(segments, "segments")), prefix_space, user_defined)
        return add_bos_eos(ids, added)

    def _encode_all(self, segments: list[Any], prefix_space: Any, user_defined: Any) -> list[int]:
        from spm_lite.tokenizer import specials

        return specials.encode_segments(self._variants, self._file.vocab, segments, prefix_space, user_defined)

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        num_threads: int | None = None,
        alpha: float | None = None,
        dropout: float | None = None,
        seed: Any = None,
        errors: str = "strict",
    ) -> Batch:
        """The ids of many texts. num_threads: None for the CPUs that this process may use. errors: as in `encode`.

        texts: str or bytes in any iterable; a list must keep its size meanwhile. Arrays of numpy (U and S, where NULs
        at the end are padding) and columns of strings that speak Arrow's C data interface (pyarrow, polars ...) are
        read without an object for each text.
        prefix_space, user_defined: as of `encode`; not for samples.
        alpha or dropout: not the plain ids but a sample of each text, with `seed`, as `sample_batch` takes it.
        Raises as `encode` does, naming the text's place in the batch.
        """
        if alpha is not None or dropout is not None:
            surrogates = allows_surrogates(errors, "strict")
            if self._variants.encoder(prefix_space, user_defined) is not self._encoder:
                raise OptionError("prefix_space and user_defined are not for samples: leave out alpha and dropout")
            many: Any = as_texts(texts, True) if surrogates else texts
            strength = 1.0 if alpha is None else alpha
            return self.sample_batch(
                many, alpha=strength, dropout=dropout, seed=seed, bos=bos, eos=eos, num_threads=num_threads
            )
        if seed is not None:
            raise OptionError(f"seed={seed!r:.40} is for samples: pass alpha or dropout too")
        ids, offsets = encode_batches.encode_batch(
            *self._many(texts, bos, eos, prefix_space, user_defined, num_threads, errors)
        )
        return Batch._from_vectors(ids, offsets, self.pad_id)

    def encode_lists(
        self,
        texts: Iterable[str | bytes],
        *,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        num_threads: int | None = None,
        errors: str = "strict",
    ) -> list[list[int]]:
        """One list of ids for each of many texts: faster than `encode_batch(texts).to_lists()`, and the same.

        No array of all ids is made in between, and several threads make lists and encode side by side. The options
        are those of `encode_batch`. Raises as that does.
        """
        return encode_batches.encode_lists(
            *self._many(texts, bos, eos, prefix_space, user_defined, num_threads, errors)
        )

    def _many(
        self, texts: Any, bos: Any, eos: Any, prefix_space: Any, user_defined: Any, num_threads: Any, errors: Any
    ) -> tuple[Encoder, Texts, int, int, int]:
        """What `encode_batches` needs to know of many texts."""
        surrogates = allows_surrogates(errors, "strict")
        encoder = self._variants.encoder(prefix_space, user_defined)
        bos_id, eos_id = self._bos_eos(bos, eos)
        return encoder, as_texts(texts, surrogates), as_num_threads(num_threads), bos_id, eos_id

    def encode_files(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        out: str | os.PathLike[str],
        *,
        separator: bytes | None = b"\n",
        dtype: Any = None,
        bos: bool = False,
        eos: bool = False,
        num_threads: int | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> EncodedFiles:
        """The ids of all documents of files, written to `out`: the same as `encode_batch` gives them.

        paths: a path, a glob, or a list of them; UTF-8, not packed. separator: ends a document and belongs to none. The
        end of a file ends one too, unless nothing stands after the last separator; empty documents count, CR is kept.
        None: each file is one document, an empty one too.
        out: ends in `.npy`: ids as an array of numpy, and the offsets, int64, beside it as `.offsets.npy`. Any other
        name: ids alone, little-endian, and the offsets likewise in a file of that name and `.idx`. Document i has
        ids[offsets[i] : offsets[i + 1]]. Both files appear at the end, or neither.
        dtype: "uint16" or "uint32"; None: the first if the vocabulary has at most 65536 pieces. progress: called with
        a Progress, phase "encode", after each block; what it raises ends the work.
        Memory: some blocks of 4 MB for each thread, and several times the longest document.
        Raises FileError for what cannot be read or written, TextError naming file and line for a document of 2^31
        bytes, OptionError if an output is also an input.
        """
        from spm_lite.tokenizer.id_files import encode_files

        return encode_files(self._encoder, paths, out, separator, dtype, self._bos_eos(bos, eos), num_threads, progress)

    def pieces(
        self,
        text: str | bytes,
        *,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        errors: str = "strict",
    ) -> list[str]:
        """The pieces of a text, U+2581 standing for a space. Bytes that are not UTF-8 become lone surrogates.

        prefix_space, user_defined, errors: as of `encode`.
        """
        return self._variants.encoder(prefix_space, user_defined).pieces(text_for_encoder(text, errors), True)

    def spans(
        self,
        text: str | bytes,
        *,
        unit: str | None = None,
        prefix_space: bool | None = None,
        user_defined: bool = True,
    ) -> list[tuple[int, int]]:
        """(begin, end) of each id of `encode(text)`: the part of the text as given that it stands for.

        unit: "char" (code points; of bytes: of their decoding with "surrogateescape"), "byte" (of UTF-8) or "utf16";
        None: what the text is indexed by. Each span begins where the one before it ends, so that together they are
        the text, but for the spaces at its ends that the model removes, and for what it drops before the first id. A
        character that becomes several ids (byte pieces, or the pieces of its normalized form) is the span of the
        last, the others are empty at its start; one that is dropped belongs to the span before it.
        prefix_space, user_defined: as of `encode`.

        >>> tokenizer.spans("ab")[-1][1]  # doctest: +SKIP
        2
        """
        from spm_lite.tokenizer import offsets as places

        return places.spans(self._variants.encoder(prefix_space, user_defined), text, unit)

    def spans_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        unit: str | None = None,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        num_threads: int | None = None,
    ) -> tuple[Batch, NDArray[np.int32]]:
        """(batch, spans) of many texts: what `encode_batch` gives, and an array of two columns, a row for each id.

        The spans of text i are `spans[batch.offsets[i] : batch.offsets[i + 1]]`. Raises as `encode_batch` does.
        """
        from spm_lite.tokenizer import offsets as places

        encoder = self._variants.encoder(prefix_space, user_defined)
        return places.spans_batch(encoder, texts, unit, num_threads, self.pad_id)

    def normalize(self, text: str | bytes, *, errors: str = "strict") -> str:
        """The text as the model sees it, U+2581 standing for a space. Other bytes than UTF-8 become lone surrogates."""
        return self._encoder.normalize(text_for_encoder(text, errors), True)

    # -- texts of a limited number of ids -----------------------------------------------------------------------

    # prefix_space, user_defined: as of `encode`.

    def _count_with(self, text: str | bytes, prefix_space: Any, user_defined: Any) -> int:
        """What `count` does where it is told more than the text."""
        return self._variants.encoder(prefix_space, user_defined).count(text)

    def count_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        num_threads: int | None = None,
    ) -> NDArray[np.int64]:
        """The same for each of many texts. Raises as `encode_batch` does."""
        encoder = self._variants.encoder(prefix_space, user_defined)
        return as_numpy(encode_batches.count_batch(encoder, as_texts(texts), as_num_threads(num_threads)), "int64")

    def count_up_to(
        self, text: str | bytes, limit: int, *, prefix_space: bool | None = None, user_defined: bool = True
    ) -> int:
        """The number of ids of a text, or `limit` if that is less; then the rest of the text is not looked at.

        (It is in BPE models with UNUSED pieces: there ids depend on the whole text.)
        """
        from spm_lite.tokenizer import token_limits as limits

        return limits.count_up_to(self._variants.limits(prefix_space, user_defined), text, limit)

    def truncate(self, text: _Text, n: int, *, prefix_space: bool | None = None, user_defined: bool = True) -> _Text:
        """The longest beginning of a text, of whole characters, that has at most `n` ids when it is encoded alone.

        Of bytes, a character is one of well-formed UTF-8, or an ill-formed byte. A BPE model with UNUSED pieces may
        have few enough ids again further on; it is looked ahead as far as a piece is long.
        """
        from spm_lite.tokenizer import token_limits as limits

        return limits.truncate(self._variants.limits(prefix_space, user_defined), text, n)

    def chunks(
        self,
        text: str | bytes,
        max_tokens: int,
        *,
        overlap: int = 0,
        boundary: str | None = None,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        user_defined: bool = True,
    ) -> Iterator[tuple[int, int]]:
        """Cut a text into spans (begin, end), each of which, encoded alone, has at most `max_tokens` ids.

        Each is as long as it can be, up to a million characters or 64 for each id; with overlap 0 they join to the
        text. overlap: a span begins where the last so many ids of the one before it do, if it gets further than that.
        boundary: "word" ends spans behind white space, "line" behind line feeds, "sentence" behind sentences and line
        feeds; where a span has no place of that kind, behind white space, else between any characters. bos, eos: count
        these ids too. Raises OptionError for a limit below what one character takes.

        >>> [tokenizer.encode(text[b:e]) for b, e in tokenizer.chunks(text, 512)]  # doctest: +SKIP
        """
        from spm_lite.tokenizer import token_limits as limits

        added = sum(i >= 0 for i in self._bos_eos(bos, eos))
        return limits.chunks(
            self._variants.limits(prefix_space, user_defined), text, max_tokens, overlap, boundary, added
        )

    # -- ids -> text --------------------------------------------------------------------------------------------

    def decode(self, ids: Iterable[Any], *, prefix_space: bool | None = None, errors: str = "replace") -> str:
        """The text of ids: a list, tuple, range or integer array. Bytes that are not UTF-8 become U+FFFD.

        prefix_space: True or False to take a space away at the start or not, whatever the model does. False for ids
        that go on where others ended: then, in lossless models, `decode(a) + decode(b, prefix_space=False)` is
        `decode(a + b)` if `a` decodes to something and no character is cut in two.
        errors: "surrogatepass" makes lone surrogates of the bytes that spell them, in a lossless model.
        Raises IdError for an id outside the vocabulary, ArgumentTypeError for one that is not an integer.
        """
        decoder = self._variants.decoder(prefix_space)
        if errors != "replace" and allows_surrogates(errors, "replace"):
            stream = TextStream(decoder, self.is_lossless)
            return stream.push_many(ids) + stream.flush()
        return decoder.decode(ids if type(ids) is list else as_ids(ids))

    def decode_bytes(self, ids: Iterable[Any], *, prefix_space: bool | None = None) -> bytes:
        """The same as bytes, where byte pieces are the bytes they stand for, well-formed or not."""
        return self._variants.decoder(prefix_space).decode_bytes(as_ids(ids), True)

    def decode_batch(
        self, batch: Batch | Iterable[Iterable[Any]], *, num_threads: int | None = None, errors: str = "replace"
    ) -> list[str]:
        """The text of each element of a Batch, or of any sequence of sequences of ids. errors: as in `decode`."""
        threads = as_num_threads(num_threads)
        if allows_surrogates(errors, "replace"):
            lists = batch.to_lists() if isinstance(batch, Batch) else as_iterable(batch, "batch")
            return [self.decode(ids, errors=errors) for ids in lists]
        if isinstance(batch, Batch):
            batch = batch.checked()
            return decode_flat(self._decoder, batch.ids, batch.offsets, threads, False)
        if isinstance(batch, (str, bytes, bytearray)):
            raise ArgumentTypeError(f"batch is {type(batch).__name__}, not a Batch or a sequence of sequences of ids")
        items = as_iterable(batch, "batch")
        return decode_lists(self._decoder, items, threads, False)

    def stream(self, *, errors: str = "replace") -> TextStream:
        """A decoder that is fed one id at a time: `push`, `push_many`, `flush`; `prime` for ids that come before.

        Made once for each text, cheaply; one thread at a time may use it. errors: as in `decode`.

        >>> stream = tokenizer.stream()  # doctest: +SKIP
        >>> "".join(map(stream.push, ids)) + stream.flush() == tokenizer.decode(ids)  # doctest: +SKIP
        True
        """
        return TextStream(self._decoder, allows_surrogates(errors, "replace") and self.is_lossless)

    def stream_bytes(self) -> ByteStream:
        """The same for bytes, as `decode_bytes` gives them: those of byte pieces at once."""
        return ByteStream(self._decoder)

    def roundtrip_report(
        self, texts: Iterable[str | bytes], *, n_examples: int = 20, num_threads: int | None = None
    ) -> RoundTripReport:
        """Which texts decoding does not give back, what changes in them, where, and why.

        texts: an iterable of them, or an Arrow column. n_examples: how many changes are kept with their places. A str
        is compared with `decode`, bytes with `decode_bytes`.
        """
        from spm_lite.tokenizer import roundtrip

        return roundtrip.roundtrip_report(self, texts, n_examples, num_threads)

    # -- an immutable value -------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self.to_bytes() == other.to_bytes() if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        return (
            f"Tokenizer(model_type={self.model_type!r}, vocab_size={self.vocab_size}, "
            f"byte_fallback={self._file.vocab.byte_fallback}, lossless={self.is_lossless})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokenizer._from_bytes, (self.to_bytes(), "a pickled model", None, self._encoder.budget.limit)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Tokenizer does not change: {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Tokenizer does not change: {name!r} cannot be deleted")


def add_bos_eos(ids: list[int], bos_eos: tuple[int, int]) -> list[int]:
    """The ids of a text between those that begin and end it, -1 for none."""
    bos_id, eos_id = bos_eos
    if bos_id >= 0:
        ids.insert(0, bos_id)
    if eos_id >= 0:
        ids.append(eos_id)
    return ids
