"""Text to pieces: the part of SentencePieceProcessor that encodes and normalizes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.encode.encode_batch import encode_batch, encode_lists
from spm_lite.encode.spans import encode_texts
from spm_lite.errors import ArgumentTypeError, OptionError, TextError
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.call_arguments import (
    OptionRuntimeError,
    StateError,
    Text,
    TextRuntimeError,
    TextTypeError,
    as_bool,
    as_float,
    as_int,
    as_num_threads,
    check_num_threads,
    check_texts,
    checked_text,
    limit_threads,
)
from spm_lite.sentencepiece.normalized import normalize_input, normalize_str
from spm_lite.sentencepiece.processing.additions import NO_FLAGS, EditedText, Flags, check_flags, flagged
from spm_lite.sentencepiece.processing.loaded import LoadedModel
from spm_lite.sentencepiece.returns import (
    LISTS,
    OLD_IMMUTABLE,
    RETURN_TYPES,
    PiecesOfText,
    ReturnType,
    as_array,
    as_return_type,
    resolve,
    shown_nbest,
)
from spm_lite.texts.id_lists import PausedGc
from spm_lite.texts.object_texts import ObjectTexts
from spm_lite.tokenizer.tokenizer import Tokenizer, add_bos_eos

if TYPE_CHECKING:
    from spm_lite.lattice.reference_paths import ReferencePaths

MAX_NBEST = 512
LONG_TEXT = 1 << 20  # characters, or bytes; several threads share a longer text
TEXTS_AT_ONCE = 4096  # whose pieces are held at once


class Sampling(NamedTuple):
    """The parameters of drawing one segmentation."""

    nbest_size: int
    alpha: float


class Request(NamedTuple):
    """One call of Encode, its arguments resolved."""

    kind: ReturnType
    flags: Flags
    sampling: Sampling | None
    return_bytes: bool | None


class TextEncoder(LoadedModel):
    """Encoding and normalizing: a single text gives one result, a list of texts a list of results."""

    def Encode(
        self,
        input: Text | list[Any],
        add_bos: Any = None,
        add_eos: Any = None,
        reverse: Any = None,
        emit_unk_piece: Any = None,
        enable_sampling: Any = None,
        nbest_size: int | None = None,
        alpha: float | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_type: ReturnType | None = None,
        out_type: ReturnType | None = None,
        return_bytes: bool | None = None,
    ) -> Any:
        """The ids or pieces of a text, or of each text of a list.

        None means the default given to the constructor.

        Args:
            input: str, or bytes of UTF-8, or a list of them.
            add_bos, add_eos, reverse, emit_unk_piece: as in the constructor.
            enable_sampling, nbest_size, alpha: as in the constructor.
            num_threads: as in the constructor.
            thread_pool: a ThreadPool, whose number of threads is used instead.
            return_type: int for ids, str or bytes for pieces, "numpy", "offset_mapping", "proto", "serialized_proto".
            out_type: the older name of `return_type`.
            return_bytes: with "offset_mapping": True: pieces are bytes, and offsets count bytes; None: as `input` is.
        Returns:
            A result of that type; a list of them for a list of texts.
        Raises:
            OptionError: an unknown return type, or one that does not go with another argument; sampling without
                `nbest_size` or `alpha`.
            RuntimeError: no model is loaded.
            TypeError: `input` is neither a text nor a list of texts.
        """
        # The usual call first: most programs make it millions of times, and the checks below cost more than encoding.
        if (
            input.__class__ is str
            and reverse is emit_unk_piece is enable_sampling is None
            and nbest_size is alpha is num_threads is return_bytes is None
            and (return_type is None or out_type is None)
            and self._is_plain()
        ):
            kind = out_type if return_type is None else return_type
            if add_bos is add_eos is None:
                pieces = self._plain_pieces(input, kind)
            else:
                pieces = self._framed_ids(input, kind, add_bos, add_eos)
            if pieces is not None:
                return pieces
        add_bos, out_type = as_now(add_bos, out_type, return_type, (add_eos, reverse, emit_unk_piece))
        kind = resolve(return_type, out_type, self._return_type)
        if return_bytes is not None and kind != "offset_mapping":
            raise OptionError("return_bytes is only supported when return_type='offset_mapping'")
        return_bytes = None if return_bytes is None else as_bool(return_bytes, "return_bytes")
        sampling = self._sampling(enable_sampling, nbest_size, alpha)
        threads = check_num_threads(self._num_threads if num_threads is None else num_threads)
        request = Request(kind, self._flags(add_bos, add_eos, reverse, emit_unk_piece), sampling, return_bytes)
        if isinstance(input, list):
            return self._encode_list(list.copy(input), request, as_num_threads(threads, thread_pool))
        return self._encode_text(checked_text(input), request)

    def NBestEncode(
        self,
        input: Text | list[Any],
        add_bos: Any = None,
        add_eos: Any = None,
        reverse: Any = None,
        emit_unk_piece: Any = None,
        nbest_size: int | None = None,
        return_type: ReturnType | None = None,
        out_type: ReturnType | None = None,
    ) -> Any:
        """The n best segmentations of a text, or of each text of a list; Unigram models only.

        Args:
            input, add_bos, add_eos, reverse, emit_unk_piece, return_type, out_type: as in `Encode`.
            nbest_size: how many at most; below 1 counts as 1.
        Returns:
            A list of results, best first, or one message of all; a list of these for a list of texts.
        Raises:
            OptionError: the return type is "offset_mapping".
            RuntimeError: no model is loaded, or the model is of another type.
        """
        add_bos, out_type = as_now(add_bos, out_type, return_type, (add_eos, reverse, emit_unk_piece))
        kind = resolve(return_type, out_type, self._return_type)
        if kind == "offset_mapping":
            raise OptionError(f"unknown return_type={kind}: n-best results have no offset mapping; 'proto' has offsets")
        flags = self._flags(add_bos, add_eos, reverse, emit_unk_piece)
        n = as_int(self._nbest_size if nbest_size is None else nbest_size, "nbest_size")
        if isinstance(input, list):
            texts = list(input)
            check_texts(texts)
            return [self._nbest(text, max(n, 1), kind, flags) for text in texts]
        return self._nbest(checked_text(input), max(n, 1), kind, flags)

    def ParallelEncode(
        self,
        input: Text | list[Any],
        add_bos: Any = None,
        add_eos: Any = None,
        reverse: Any = None,
        emit_unk_piece: Any = None,
        chunk_len: int | None = None,
        num_threads: int | None = None,
        thread_pool: Any = None,
        return_type: ReturnType | None = None,
        out_type: ReturnType | None = None,
    ) -> Any:
        """Return what Encode returns. chunk_len: characters; must be given, and changes nothing."""
        kind = resolve(return_type, out_type, self._return_type)
        if not isinstance(chunk_len, int) or chunk_len <= 0:
            raise OptionError(f"chunk_len must be positive. It is {chunk_len!r:.40}")
        if kind == "offset_mapping":
            raise OptionError(f"unknown return_type={kind}: use Encode for it")
        threads = check_num_threads(self._num_threads if num_threads is None else num_threads)
        threads = as_num_threads(threads, thread_pool)
        request = Request(kind, self._flags(add_bos, add_eos, reverse, emit_unk_piece), None, None)
        if isinstance(input, list):
            try:
                return self._encode_list(list.copy(input), request, threads)
            except TextTypeError as error:  # sentencepiece takes the texts one by one here, so it is no TypeError
                raise TextRuntimeError(str(error)) from None
        return self._encode_text(checked_text(input), request)

    def Normalize(self, input: Text | list[Any], with_offsets: bool | None = None) -> Any:
        """The normalized text, of the input's type; a list gives a list.

        with_offsets: return (text, offsets) with one offset per character (per byte, for bytes) and one for the end.
        """
        if input.__class__ is str and self._tok is not None:
            if with_offsets:
                return normalize_str(self._tok._encoder.normalizer, input, True)
            try:
                return self._tok._encoder.normalize(input, True)
            except TextError:  # the general path raises it again
                pass
        if self._tok is not None:
            return normalize_input(self._tok._encoder.normalizer, input, bool(with_offsets))
        if isinstance(input, list):
            return [self.Normalize(text, with_offsets) for text in input]
        if with_offsets:
            self._loaded()
        return checked_text(input)[:0]

    def _is_plain(self) -> bool:
        """Whether there is a model, and no default of the processor changes its pieces or draws at random."""
        return not (
            self._add_bos
            or self._add_eos
            or self._reverse
            or self._emit_unk_piece
            or self._enable_sampling
            or self._encode_options
            or self._tok is None
        )

    def _plain_pieces(self, text: Any, kind: Any) -> Any:
        """The result of a call without flags; None: the general path must handle or refuse it."""
        kind = self._return_type if kind is None else kind
        encoder = self._loaded()._encoder
        try:
            if kind is int:
                return encoder.encode(text)
            if kind is str or kind is bytes:
                return encoder.pieces(text, kind is str)
            if kind == "numpy":
                return as_array(encode_batch(encoder, ObjectTexts((text,)), self._threads_for(text), -1, -1)[0])
            return as_return_type(encoder.encode_text(text), kind) if kind in RETURN_TYPES else None
        except TextError:
            return None

    def _framed_ids(self, text: str, kind: Any, bos: Any, eos: Any) -> list[int] | None:
        """The ids of a text with BOS and EOS added; None: the general path must handle or refuse the call."""
        if not ((kind is None and self._return_type is int) or kind is int):
            return None
        if not ((bos is None or bos.__class__ is bool) and (eos is None or eos.__class__ is bool)):
            return None
        tok = self._loaded()
        bos_id, eos_id = tok.bos_id if bos else -1, tok.eos_id if eos else -1
        if (bos and bos_id < 0) or (eos and eos_id < 0):
            return None
        try:
            return add_bos_eos(tok._encoder.encode(text), (bos_id, eos_id))
        except TextError:
            return None

    def _threads_for(self, text: Text) -> int:
        """The number of threads for one text: several share a long one."""
        return limit_threads(self._num_threads) if len(text) > LONG_TEXT else 1

    def _flags(self, bos: Any, eos: Any, reverse: Any, emit_unk_piece: Any) -> Flags:
        return Flags(
            as_bool(self._add_bos if bos is None else bos, "add_bos"),
            as_bool(self._add_eos if eos is None else eos, "add_eos"),
            as_bool(self._reverse if reverse is None else reverse, "reverse"),
            as_bool(self._emit_unk_piece if emit_unk_piece is None else emit_unk_piece, "emit_unk_piece"),
        )

    def _sampling(self, enable: Any, nbest_size: Any, alpha: Any) -> Sampling | None:
        """The parameters of sampling; None: the best segmentation is wanted."""
        enable = self._enable_sampling if enable is None else enable
        nbest_size = self._nbest_size if nbest_size is None else nbest_size
        alpha = self._alpha if alpha is None else alpha
        if enable is True and (nbest_size is None or nbest_size in (0, 1) or alpha is None):
            raise OptionError(
                'When enable_sampling is True, We must specify "nbest_size > 1" or "nbest_size = -1", and "alpha". '
                f"They are {nbest_size!r} and {alpha!r}"
            )
        size, rate = as_int(nbest_size, "nbest_size"), as_float(alpha, "alpha")
        if not as_bool(enable, "enable_sampling"):
            return None
        if not 0.0 <= rate < float("inf"):
            raise OptionRuntimeError(f"INTERNAL: alpha is {rate}: must be finite and 0 or more")
        check_nbest_size(size)
        return Sampling(size, rate)

    def _encode_list(self, texts: list[Any], request: Request, threads: int) -> list[Any]:
        check_texts(texts)
        if not texts:
            return []
        tok = self._loaded()
        if request.sampling is None and not self._encode_options:
            if request.kind in (int, "numpy"):
                if request.flags != NO_FLAGS:
                    check_flags(request.flags, tok, request.kind)
                return encode_ids(tok, tuple(texts), request, threads)
            if request.kind in (str, bytes) and request.flags == NO_FLAGS:
                return encode_pieces(tok, texts, request.kind is str)
            if request.flags == NO_FLAGS:
                return encode_shown(tok, texts, request, threads)
        if request.return_bytes is None:  # the first text decides
            request = request._replace(return_bytes=isinstance(texts[0], bytes))
        return [self._encode_text(text, request, i) for i, text in enumerate(texts)]

    def _encode_text(self, text: Text, request: Request, place: int | None = None) -> Any:
        tok = self._loaded()
        kind, flags = request.kind, request.flags
        if flags != NO_FLAGS:
            check_flags(flags, tok, kind)
        try:
            if kind is int and not self._encode_options:
                return flagged(self._encoded_ids(tok, text, request.sampling), flags, tok, kind)
            if kind in (str, bytes) and request.sampling is None and not self._encode_options:
                return flagged(tok._encoder.pieces(text, kind is str), flags, tok, kind)
            if kind == "numpy" and request.sampling is None and not self._encode_options:
                return encode_ids(tok, (text,), request, self._threads_for(text))[0]
            result = self._result(tok, text, request.sampling)
        except TextError as error:
            raise (TextRuntimeError if place is None else TextTypeError)(str(error)) from None
        return_bytes = isinstance(text, bytes) if request.return_bytes is None else request.return_bytes
        return self._shown(result, kind, flags, tok, return_bytes)

    def _encoded_ids(self, tok: Tokenizer, text: Text, sampling: Sampling | None) -> list[int]:
        """The ids of a text, of the best segmentation or a drawn one; equal to the ids of `_result`."""
        if sampling is None:
            return tok._encoder.encode(text)
        return self._sampler(tok).sample_ids(text, *sampling, settings.thread_random(), settings.nbest_timeout_ms())

    def _result(self, tok: Tokenizer, text: Text, sampling: Sampling | None) -> PiecesOfText:
        """The pieces of a text, of the best segmentation or a drawn one, after the extra options."""
        if sampling is None:
            return self._edited(tok._encoder.encode_text(text), tok)
        drawn = self._sampler(tok).sample_limited(
            text, *sampling, settings.thread_random(), settings.nbest_timeout_ms()
        )
        return self._edited(drawn, tok)

    def _sampler(self, tok: Tokenizer) -> ReferencePaths:
        """The lattice calls of a model. Raises StateError for a type that sampling does not support."""
        paths = self._paths(tok)
        if not paths.can_sample:
            raise StateError(
                f"INTERNAL: SampleEncode is not available for the current model, whose type is {tok.model_type}"
            )
        return paths

    def _nbest(self, text: Text, n: int, kind: ReturnType, flags: Flags) -> Any:
        tok = self._loaded()
        if flags != NO_FLAGS:
            check_flags(flags, tok, kind)
        check_nbest_size(n)
        paths = self._paths(tok)
        if not paths.can_list:
            raise StateError(
                f"INTERNAL: NBestEncode is not available for the current model, whose type is {tok.model_type}"
            )
        try:
            if kind is int and not self._encode_options:
                rows = paths.nbest_ids(text, n, settings.nbest_timeout_ms())
                return [flagged(row, flags, tok, kind) for row in rows]
            found = paths.nbest_limited(text, n, settings.nbest_timeout_ms())
        except TextError as error:
            raise TextRuntimeError(str(error)) from None
        results = [(self._edited(result, tok), score) for result, score in found]
        if kind in LISTS:
            return [self._shown(result, kind, flags, tok) for result, _ in results]
        return shown_nbest(results, kind)

    def _edited(self, result: PiecesOfText, tok: Tokenizer) -> PiecesOfText:
        """Apply the extra options of the processor to a result."""
        return EditedText(result, self._encode_options, tok) if self._encode_options else result

    def _shown(
        self, result: PiecesOfText, kind: ReturnType, flags: Flags, tok: Tokenizer, return_bytes: bool = False
    ) -> Any:
        """Convert a result to the return type, with the flags applied."""
        if flags == NO_FLAGS:
            return as_return_type(result, kind, return_bytes)
        if kind == "numpy":
            return as_array(flagged(result.ids(), flags, tok, int))
        return flagged(as_return_type(result, kind), flags, tok, kind)

    # The lower-case names of sentencepiece.
    encode = tokenize = Tokenize = Encode
    nbest_encode = NBestEncode
    parallel_encode = ParallelEncode
    normalize = Normalize


def encode_ids(tok: Tokenizer, texts: tuple[Text, ...], request: Request, threads: int) -> list[Any]:
    """The ids of many texts, as lists or arrays, encoded on several threads."""
    flags = request.flags
    bos_id, eos_id = tok._bos_eos(flags.bos, flags.eos)
    if flags.reverse:
        bos_id, eos_id = eos_id, bos_id  # each row is reversed below
    many = tok._encoder, ObjectTexts(texts), threads, bos_id, eos_id
    try:
        if request.kind is int:
            lists = encode_lists(*many)
            return [row[::-1] for row in lists] if flags.reverse else lists
        ids, offsets = encode_batch(*many)
    except TextError as error:
        raise TextTypeError(str(error)) from None
    flat = as_array(ids)
    rows = [flat[begin:end] for begin, end in pairwise(offsets.view().tolist())]
    return [row[::-1] for row in rows] if flags.reverse else rows


def encode_pieces(tok: Tokenizer, texts: list[Text], as_str: bool) -> list[Any]:
    """The pieces of many texts, a list for each."""
    try:
        return [tok._encoder.pieces(text, as_str) for text in texts]
    except TextError as error:
        raise TextTypeError(str(error)) from None


def encode_shown(tok: Tokenizer, texts: list[Text], request: Request, threads: int) -> list[Any]:
    """Offset mappings or messages of many texts, some at a time: pieces are found on several threads."""
    as_bytes = isinstance(texts[0], bytes) if request.return_bytes is None else request.return_bytes
    results: list[Any] = []
    with PausedGc():
        for begin in range(0, len(texts), TEXTS_AT_ONCE):
            try:
                found = encode_texts(tok._encoder, texts[begin : begin + TEXTS_AT_ONCE], threads)
            except TextError as error:
                raise TextTypeError(str(error)) from None
            results += [as_return_type(result, request.kind, as_bytes) for result in found]
    return results


def as_now(add_bos: Any, out_type: Any, return_type: Any, flags: tuple[Any, ...]) -> tuple[Any, Any]:
    """(add_bos, out_type) of a call whose second argument may be the return type, as in 0.2.1: encode(text, str)."""
    if add_bos.__class__ is not type and not isinstance(add_bos, str):
        return add_bos, out_type
    is_only = out_type is None and return_type is None and not any(flag is not None for flag in flags)
    if is_only and (add_bos in RETURN_TYPES or add_bos == OLD_IMMUTABLE):
        return None, add_bos
    raise ArgumentTypeError(
        f"add_bos={add_bos!r:.40}: must be True or False. For another type of result give return_type={add_bos!r:.40}"
    )


def check_nbest_size(nbest_size: int) -> None:
    """Raise OptionRuntimeError for a size above MAX_NBEST."""
    if nbest_size > MAX_NBEST:
        raise OptionRuntimeError(f"INTERNAL: nbest_size must be nbest_size <= {MAX_NBEST}. It is {nbest_size}")
