"""The part of a Tokenizer that turns ids into text: whole, in batches, and one id at a time."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING, overload
from spm_lite.arguments import (
    BOOLS,
    SURROGATES,
    allows_surrogates,
    as_flag,
    as_id,
    as_ids,
    as_iterable,
    as_num_threads,
)
from spm_lite.decode.decode_batch import decode_flat, decode_lists
from spm_lite.decode.stream import ByteStream, TextStream
from spm_lite.errors import ArgumentTypeError, OptionError, TextError
from spm_lite.texts.batch import Batch
from spm_lite.tokenizer.encoding import EncodingMethods
from spm_lite.tokenizer.foreign_arguments import refuse_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, NoReturn

    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.decode.stop_strings import StopStrings
    from spm_lite.vocab.vocab import Vocab

SOME_ROWS = "a Batch, or a list of lists of ids, such as [[12, 7]]"  # for messages


class DecodingMethods(EncodingMethods):
    """Ids to text."""

    __slots__ = ()

    def _decode_with(self, ids: Iterable[Any], prefix_space: bool | None, errors: str) -> str:
        """What `decode` returns if an option is given, or the ids are not in a list."""
        decoder = self._variants.decoder(prefix_space)
        if errors != "replace" and allows_surrogates(errors, "replace"):
            stream = TextStream(decoder, self._file.lossless)
            return stream.push_many(ids) + stream.flush()
        return decoder.decode(as_ids(ids))

    def decode_bytes(self, ids: Iterable[Any], *, prefix_space: bool | None = None) -> bytes:
        """The text of ids as bytes; a byte piece becomes its byte, whether or not the bytes are well-formed UTF-8.

        Args:
            ids, prefix_space: as in `decode`.
        Returns:
            bytes.
        Raises:
            SpmLiteError: as in `decode`.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.decode_bytes(tok.encode(b"a\\xff"))
        b'a\\xff'
        """
        return self._variants.decoder(prefix_space).decode_bytes(as_ids(ids), True)

    def decode_batch(
        self,
        batch: Batch | Iterable[Iterable[Any]],
        *,
        num_threads: int | None = None,
        errors: str = "replace",
        **other: NoReturn,
    ) -> list[str]:
        """The text of each element of a Batch, or of any sequence of sequences of ids.

        Args:
            batch: a Batch, or a sequence of sequences of ids.
            num_threads: None for all CPUs that this process may use.
            errors: as in `decode`.
        Returns:
            A list of str.
        Raises:
            IdError: an id is outside the vocabulary; the message names the text.
            ArgumentTypeError: `batch` is not a sequence of sequences of ids.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.decode_batch(tok.encode_batch(["ab", "c"]))
        ['ab', 'c']
        """
        if other:
            refuse_arguments("decode_batch", other)
        threads = as_num_threads(num_threads)
        if allows_surrogates(errors, "replace"):
            lists = batch.to_lists() if isinstance(batch, Batch) else as_iterable(batch, "batch", SOME_ROWS)
            return [self.decode(ids, errors=errors) for ids in lists]
        if isinstance(batch, Batch):
            return decode_flat(self._decoder, *batch.arrays(), threads, False)
        items = as_iterable(batch, "batch", SOME_ROWS)
        return decode_lists(self._decoder, items, threads, False)

    def decode_spans(
        self, ids: Iterable[Any], *, unit: str | None = None, prefix_space: bool | None = None
    ) -> list[tuple[int, int]]:
        """The spans (begin, end) of the text of `decode(ids)`, one for each id.

        Any ids will do, even if `encode` never gives them. Spans follow one another, and cover the text.

        Args:
            ids: as in `decode`.
            unit: "char" (code points), "byte" (of the UTF-8 of that text) or "utf16" (code units); None: "char".
            prefix_space: as in `decode`.
        Returns:
            A list of pairs. An id that adds no text has an empty span: a control piece, or a space at the start that is
            removed. Several ids may make text together: byte pieces of a character, or pieces that a rule of the
            denormalization joins. That text belongs to the last of them, and the others have empty spans before it. A
            byte that is part of no character is a U+FFFD of its own.
        Raises:
            OptionError: the unit has another name.
            IdError: an id is outside the vocabulary.
            ArgumentTypeError: an id is not an integer.
            TextError: an offset in the text exceeds 2147483647.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.decode_spans(tok.encode("ab"))
        [(0, 1), (1, 2)]
        """
        from spm_lite.tokenizer import offsets

        return offsets.decode_spans(self._variants.decoder(prefix_space), ids, unit)

    def decode_spans_batch(
        self, batch: Batch | Iterable[Iterable[Any]], *, unit: str | None = None, num_threads: int | None = None
    ) -> tuple[list[str], NDArray[np.int32]]:
        """The texts and the spans of many sequences of ids: (texts, spans).

        Args:
            batch: as in `decode_batch`.
            unit: as in `decode_spans`.
            num_threads: None for all CPUs that this process may use.
        Returns:
            What `decode_batch` returns, and an array with a row (begin, end) for each id. For a Batch the spans of text
            i are `spans[batch.offsets[i] : batch.offsets[i + 1]]`; the spans of other sequences follow one another.
        Raises:
            SpmLiteError: as in `decode_batch` and `decode_spans`.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> texts, spans = tok.decode_spans_batch(tok.encode_batch(["ab", "c"]))
        >>> texts, spans.tolist()
        (['ab', 'c'], [[0, 1], [1, 2], [0, 1]])
        """
        from spm_lite.tokenizer import offsets

        return offsets.decode_spans_batch(self._decoder, batch, unit, num_threads)

    @overload
    def stream(
        self,
        *,
        errors: str = "replace",
        as_bytes: Literal[False] = False,
        skip_special: bool | Iterable[Any] = False,
        stop: str | Iterable[str] | None = None,
    ) -> TextStream: ...
    @overload
    def stream(
        self,
        *,
        errors: str = "replace",
        as_bytes: Literal[True],
        skip_special: bool | Iterable[Any] = False,
        stop: bytes | Iterable[bytes] | None = None,
    ) -> ByteStream: ...
    def stream(
        self,
        *,
        errors: str = "replace",
        as_bytes: bool = False,
        skip_special: bool | Iterable[Any] = False,
        stop: Any = None,
    ) -> TextStream | ByteStream:
        """A TextStream, which decodes ids one at a time. Its methods: `push`, `push_spans`, `flush`, `prime`.

        `push` returns the new text that an id makes certain, `flush` the rest. Make a stream for each text and thread.

        Args:
            errors: as in `decode`.
            as_bytes: True decodes to bytes, as `decode_bytes` does; bytes of byte pieces come at once.
            skip_special: True leaves out all control pieces and the unknown piece: the text is that of `decode` without
                these ids. A list leaves out these ids, or special pieces of these names, such as user-defined ones.
            stop: a string, or several; bytes if `as_bytes`. The text ends before the first one, whatever ids it is made
                of. Text that may become one is held back. `stopped` of the stream is the string that was found.
        Returns:
            A TextStream, or a ByteStream.
        Raises:
            SpmLiteError: errors has another name, or an item of `stop` or `skip_special` is empty, wrong or unknown.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream(stop=["END"])
        >>> [stream.push(part) for part in (tok.encode("café E"), tok.encode("ND"))], stream.stopped
        (['café ', ''], 'END')
        >>> tok.stream(as_bytes=True).push_many(tok.encode("é"))
        b'\\xc3\\xa9'
        """
        turns_back = allows_surrogates(errors, "replace")
        own, skips_special = skipped_ids(self._file.vocab, skip_special)
        if as_flag(as_bytes, "as_bytes"):
            if turns_back:
                raise OptionError("errors='surrogatepass' and as_bytes=True: bytes come as they are, leave out errors")
            stops = as_stops(stop, True, False)
            return ByteStream(self._decoder, stops=stops, skipped=own, skips_special=skips_special)
        stops = as_stops(stop, False, turns_back)
        surrogates = turns_back and self._file.lossless
        return TextStream(self._decoder, surrogates, stops=stops, skipped=own, skips_special=skips_special)


def skipped_ids(vocab: Vocab, skip_special: Any) -> tuple[list[int], bool]:
    """(ids to leave out, whether to leave out all special pieces) of an argument `skip_special`."""
    if isinstance(skip_special, bool) or type(skip_special).__name__ in BOOLS:
        return [], bool(skip_special)
    from spm_lite.tokenizer.specials import special_id

    items = as_iterable(skip_special, "skip_special", "True, or a list of ids or names, such as ['<s>']", False)
    return [special_id(vocab, one) if isinstance(one, (str, bytes)) else as_id(one, vocab.size) for one in items], False


def as_stops(stop: Any, as_bytes: bool, surrogates: bool) -> StopStrings | None:
    """The automaton of an argument `stop`; None: no string stops a text."""
    if stop is None:
        return None
    from spm_lite.decode.stop_strings import StopStrings

    kind, wanted = (bytes, "as_bytes=True wants bytes") if as_bytes else (str, "only as_bytes=True takes bytes")
    strings = [stop] if isinstance(stop, (str, bytes)) else [*as_iterable(stop, "stop", "a list of strings", False)]
    texts = []
    for i, one in enumerate(strings):
        if not isinstance(one, kind):
            name = type(one).__name__
            raise ArgumentTypeError(f"stop string {i} is {name} {one!r:.40}, not {kind.__name__}: {wanted}")
        if not one:
            raise OptionError(f"stop string {i} is empty: it would end each text where it begins; leave it out")
        try:
            texts.append(
                bytes(one) if isinstance(one, bytes) else one.encode("utf-8", SURROGATES if surrogates else "strict")
            )
        except UnicodeEncodeError as error:
            raise TextError(
                f"stop string {i} holds a lone surrogate at character {error.start}: no decoded text has one, "
                "unless errors='surrogatepass'"
            ) from None
    return StopStrings(texts, tuple(strings)) if texts else None
