"""The part of a Tokenizer that counts ids and keeps texts within a number of ids."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_num_threads
from spm_lite.encode.encode_batch import count_batch
from spm_lite.texts.batch import as_numpy
from spm_lite.texts.inputs import as_texts
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from spm_lite.progress.meter import Progress
    from spm_lite.specs import ReadOptions
    from spm_lite.tokenizer.file_counts import FileCounts

    _Text = TypeVar("_Text", str, bytes)


class LimitMethods(EncodingMethods):
    """Counting and truncation."""

    __slots__ = ()

    def _count_with(
        self, text: str | bytes, limit: Any, bos: Any, eos: Any, prefix_space: Any, user_defined: Any
    ) -> int:
        """The number of ids of a text, for a call of `count` with options."""
        added = self._n_added(bos, eos)
        if limit is None:
            return self._variants.encoder(prefix_space, user_defined).count(text) + added
        from spm_lite.tokenizer import token_limits

        limits = self._variants.limits(prefix_space, user_defined)
        return token_limits.count_up_to(limits, text, limit, added)

    def _n_added(self, bos: Any, eos: Any) -> int:
        """How many ids bos and eos add to a text."""
        return sum(i >= 0 for i in self._bos_eos(bos, eos))

    def count_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        num_threads: int | None = None,
        column: str | None = None,
    ) -> NDArray[np.int64]:
        """The number of ids of each text, as an array of int64.

        Args:
            texts, bos, eos, prefix_space, user_defined, num_threads, column: as in `encode_batch`.
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
        added = self._n_added(bos, eos)
        counts = count_batch(encoder, as_texts(texts, column=column), as_num_threads(num_threads))
        numbers = as_numpy(counts, "int64")
        return numbers + added if added else numbers

    def count_files(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        num_threads: int | None = None,
        progress: Callable[[Progress], object] | bool | None = None,
        **reading: Unpack[ReadOptions],
    ) -> FileCounts:
        """The number of ids of all documents of files, as `spm-lite count` shows it: of each file, and in all.

        Args:
            paths: a path, a folder, a glob, or a list of them, of text, JSON lines, CSV, Parquet and others.
            num_threads: None for all CPUs that this process may use.
            progress: as in `encode_files`, with phase "count".
            reading: how the files are read, by column, separator and the other options of reading, as in `train`.
        Returns:
            A FileCounts: `total`, and `files` by name; each has tokens, documents and bytes.
        Raises:
            FileError: a file cannot be read.
            OptionError: a file has no such column.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> with open("a.txt", "w") as file:
        ...     _ = file.write("one\\ntwo\\n")
        >>> tok.count_files("a.txt").total
        FileCount(tokens=6, documents=2, bytes=6)
        """
        from spm_lite.files.read_options import as_reading
        from spm_lite.tokenizer.file_counts import count_files

        tok: Any = self  # a Tokenizer
        return count_files(tok, paths, as_reading(reading, "count_files"), num_threads, progress)

    def truncate(
        self,
        text: _Text,
        n: int,
        *,
        boundary: str | None = None,
        bos: bool = False,
        eos: bool = False,
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
                "sentence" are as in `chunks`.
            bos, eos: count these ids too.
            prefix_space, user_defined: as in `encode`.
        Returns:
            A str, or bytes for bytes.
        Raises:
            OptionError: n is negative or below the number of ids of bos and eos, or the boundary is none of these.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.truncate("one two", 5)
        'one t'
        """
        from spm_lite.tokenizer import token_limits

        limits, added = self._variants.limits(prefix_space, user_defined), self._n_added(bos, eos)
        return token_limits.truncate(limits, text, n, boundary, added)

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

        limits, added = self._variants.limits(prefix_space, user_defined), self._n_added(bos, eos)
        return token_limits.chunks(limits, text, max_tokens, overlap, boundary, added)
