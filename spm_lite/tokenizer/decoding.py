"""The part of a Tokenizer that turns ids into text: whole, in batches, and one id at a time."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING, overload
from spm_lite.arguments import allows_surrogates, as_flag, as_ids, as_iterable, as_num_threads, refuse_arguments
from spm_lite.decode.decode_batch import decode_flat, decode_lists
from spm_lite.decode.stream import ByteStream, TextStream
from spm_lite.errors import OptionError
from spm_lite.texts.batch import Batch
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, NoReturn

    import numpy as np
    from numpy.typing import NDArray


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
    def stream(self, *, errors: str = "replace", as_bytes: Literal[False] = False) -> TextStream: ...
    @overload
    def stream(self, *, errors: str = "replace", as_bytes: Literal[True]) -> ByteStream: ...
    def stream(self, *, errors: str = "replace", as_bytes: bool = False) -> TextStream | ByteStream:
        """A TextStream, which decodes ids one at a time. Its methods: `push`, `push_many`, `flush`, `prime`.

        `push` returns the new text that an id makes certain, `flush` the rest; `prime` takes ids that come before. Make
        one stream for each text. Only one thread at a time may use it.

        Args:
            errors: as in `decode`.
            as_bytes: True decodes to bytes, as `decode_bytes` does; bytes of byte pieces come at once.
        Returns:
            A TextStream, or a ByteStream.
        Raises:
            OptionError: errors has another name.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> "".join(map(stream.push, tok.encode("café"))) + stream.flush()
        'café'
        >>> tok.stream(as_bytes=True).push_many(tok.encode("é"))
        b'\\xc3\\xa9'
        """
        turns_back = allows_surrogates(errors, "replace")
        if as_flag(as_bytes, "as_bytes"):
            if turns_back:
                raise OptionError("errors='surrogatepass' and as_bytes=True: bytes come as they are, leave out errors")
            return ByteStream(self._decoder)
        return TextStream(self._decoder, turns_back and self._file.lossless)
