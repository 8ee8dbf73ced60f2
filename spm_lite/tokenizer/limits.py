"""The part of a Tokenizer that counts ids and keeps texts within a number of ids."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_num_threads
from spm_lite.encode.encode_batch import count_batch
from spm_lite.texts.batch import as_numpy
from spm_lite.texts.inputs import as_texts
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeVar

    import numpy as np
    from numpy.typing import NDArray

    _Text = TypeVar("_Text", str, bytes)


class LimitMethods(EncodingMethods):
    """Counting and truncation."""

    __slots__ = ()

    def _count_with(self, text: str | bytes, prefix_space: Any, user_defined: Any) -> int:
        """The number of ids of a text, for a call of `count` with options."""
        return self._variants.encoder(prefix_space, user_defined).count(text)

    def count_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        num_threads: int | None = None,
        column: str | None = None,
    ) -> NDArray[np.int64]:
        """The number of ids of each text, as an array of int64.

        Args:
            texts, prefix_space, user_defined, num_threads, column: as in `encode_batch`.
        Returns:
            An array of int64, one number for each text.
        Raises:
            SpmLiteError: as in `encode_batch`.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.count_batch(["ab", "c"]).tolist()
        [2, 1]
        """
        encoder = self._variants.encoder(prefix_space, user_defined)
        return as_numpy(count_batch(encoder, as_texts(texts, column=column), as_num_threads(num_threads)), "int64")

    def patches(self, ids: Iterable[int], size: int, *, pad_id: int | None = None) -> NDArray[np.int32]:
        """The ids of one text in patches of a fixed length, the last one filled up: an array of shape (n, size).

        Args:
            ids: as in `decode`.
            size: ids in a patch.
            pad_id: the padding id; None: the one of the model.
        Returns:
            An array of int32 with ceil(number of ids / size) rows. `Batch.patches` makes patches of many texts.
        Raises:
            OptionError: size is below 1, or a patch needs padding and the model has no padding id.

        >>> import spm_lite
        >>> spm_lite.byte_tokenizer().patches([5, 6, 7], 2).tolist()
        [[5, 6], [7, 0]]
        """
        from spm_lite.texts.batch import Batch

        return Batch.from_lists([ids], self._file.special_ids[3]).patches(size, pad_id)

    def count_up_to(
        self, text: str | bytes, limit: int, *, prefix_space: bool | None = None, user_defined: bool = True
    ) -> int:
        """The number of ids of a text, at most `limit`. The text is read only as far as needed to reach the limit.

        In BPE models with UNUSED pieces the whole text is read, because ids depend on all of it.

        Args:
            text: str, or bytes of UTF-8.
            limit: 0 or more ids.
            prefix_space, user_defined: as in `encode`.
        Returns:
            An int, at most `limit`.
        Raises:
            OptionError: the limit is negative.
            TextError: the part that is read holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.count_up_to("a long text", 4)
        4
        """
        from spm_lite.tokenizer import token_limits

        return token_limits.count_up_to(self._variants.limits(prefix_space, user_defined), text, limit)

    def truncate(
        self,
        text: _Text,
        n: int,
        *,
        boundary: str | None = None,
        prefix_space: bool | None = None,
        user_defined: bool = True,
    ) -> _Text:
        """The longest prefix of a text, in whole characters, that has at most `n` ids when it is encoded alone.

        In bytes, a character is one of well-formed UTF-8, or one ill-formed byte.

        Args:
            text: str, or bytes of UTF-8.
            n: ids, 0 or more.
            boundary: "grapheme" cuts no grapheme cluster, such as a letter with its marks or an emoji of several
                characters. The result is empty if the first cluster has more than `n` ids. "word", "line" and
                "sentence" are as in `chunks`. With UNUSED pieces in a BPE model a longer prefix may fit again. The
                search looks ahead by the length of the longest piece.
            prefix_space, user_defined: as in `encode`.
        Returns:
            A str, or bytes for bytes.
        Raises:
            OptionError: n is negative, or the boundary is none of these.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.truncate("one two", 5)
        'one t'
        """
        from spm_lite.tokenizer import token_limits

        return token_limits.truncate(self._variants.limits(prefix_space, user_defined), text, n, boundary)

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

        Each span is as long as it can be, up to about a million characters, or 64 for each id if that is more. With
        overlap 0, the spans joined are the text.

        Args:
            text: str, or bytes of UTF-8.
            max_tokens: ids that a span has at most.
            overlap: number of ids that a span shares with the span before it. It begins where the last `overlap` ids of
                that span begin, unless it would then reach no further.
            boundary: "word" ends spans after white space, "line" after line feeds, "sentence" after sentences and line
                feeds. Where a span has no such place, it ends after white space; without any, between two characters.
                "grapheme" ends and begins spans between grapheme clusters (Unicode, annex 29). A cluster that has more
                ids than the limit is cut between two of its characters.
            bos, eos: count these ids too.
            prefix_space, user_defined: as in `encode`.
        Returns:
            An iterator of (begin, end), in the unit in which the text is indexed.
        Raises:
            OptionError: one character has more ids than the limit; or an argument is out of range.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> list(tok.chunks("one two", 4))
        [(0, 4), (4, 7)]
        """
        from spm_lite.tokenizer import token_limits

        added = sum(i >= 0 for i in self._bos_eos(bos, eos))
        return token_limits.chunks(
            self._variants.limits(prefix_space, user_defined), text, max_tokens, overlap, boundary, added
        )
