"""The part of a Tokenizer that encodes many texts and whole files."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import allows_surrogates, as_iterable, as_num_threads
from spm_lite.encode import encode_batch as encode_batches
from spm_lite.texts.batch import Batch
from spm_lite.texts.inputs import as_texts
from spm_lite.tokenizer.foreign_arguments import refuse_arguments
from spm_lite.tokenizer.pieces import PieceMethods
from spm_lite.tokenizer.segmentations import SegmentationMethods

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn

    from typing_extensions import Unpack

    from spm_lite.encode.encoder import Encoder
    from spm_lite.progress.meter import Progress
    from spm_lite.specs import ReadOptions
    from spm_lite.texts.text_view import Texts
    from spm_lite.tokenizer.results import EncodedFiles


class BatchMethods(SegmentationMethods, PieceMethods):
    """Many texts to ids."""

    __slots__ = ()

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        num_threads: int | None = None,
        errors: str = "strict",
        unknown: str | None = None,
        column: str | None = None,
        **other: NoReturn,
    ) -> Batch:
        """The ids of many texts, as a Batch: one array of ids, and the offsets of each text in it.

        Args:
            texts: any iterable of str or bytes; a list must keep its size during the call. Two kinds are read without a
                Python object for each text: numpy arrays, and columns of strings with Arrow's C data interface
                (pyarrow, polars ...). In numpy arrays (U and S), NULs at the end are padding. An iterable may also
                give columns or tables.
            bos, eos, prefix_space, user_defined, errors, unknown: as in `encode`.
            num_threads: None for all CPUs that this process may use, or fewer by OMP_NUM_THREADS.
            column: the name of the texts in a table, such as a record batch; None: it has only one column.
        Returns:
            A Batch.
        Raises:
            TextError: as in `encode`; the message names the index of the text in the batch.
            OptionError: as in `encode`.
            ArgumentTypeError: an item is neither str nor bytes.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> batch = tok.encode_batch(["ab", "c"])
        >>> batch.ids.tolist(), batch.offsets.tolist()
        ([100, 101, 102], [0, 2, 3])
        """
        if other:
            refuse_arguments("encode_batch", other)
        if column is not None:
            texts = as_texts(texts, allows_surrogates(errors, "strict"), column)  # type: ignore[assignment]
        ids, offsets = encode_batches.encode_batch(
            *self._many(texts, bos, eos, prefix_space, user_defined, num_threads, errors, unknown)
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
        unknown: str | None = None,
        **other: NoReturn,
    ) -> list[list[int]]:
        """The ids of many texts, as one list for each: equal to `encode_batch(texts).to_lists()`, but faster.

        Args:
            texts, bos, eos, prefix_space, user_defined, num_threads, errors, unknown: as in `encode_batch`.
        Returns:
            A list of lists of int.
        Raises:
            SpmLiteError: as in `encode_batch`.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.encode_lists(["ab", "c"])
        [[100, 101], [102]]
        """
        if other:
            refuse_arguments("encode_lists", other)
        return encode_batches.encode_lists(
            *self._many(texts, bos, eos, prefix_space, user_defined, num_threads, errors, unknown)
        )

    def _many(
        self,
        texts: Any,
        bos: Any,
        eos: Any,
        prefix_space: Any,
        user_defined: Any,
        num_threads: Any,
        errors: Any,
        unknown: Any,
    ) -> tuple[Encoder, Texts, int, int, int]:
        """The arguments of the functions of `encode_batch`: (encoder, texts, threads, bos_id, eos_id)."""
        surrogates = allows_surrogates(errors, "strict")
        encoder = self._variants.encoder(prefix_space, user_defined)
        if unknown == "raise":  # they are read twice
            texts = texts.to_pylist() if hasattr(texts, "to_pylist") else list(as_iterable(texts, "texts"))
        many = as_texts(texts, surrogates)
        if unknown is not None:
            from spm_lite.tokenizer import unknown_words

            encoder = unknown_words.encoder_for(unknown, self._variants, self._file.vocab, prefix_space, user_defined)
            if unknown == "raise":
                for i, text in enumerate(texts):
                    unknown_words.check_known(encoder, text, f"text {i}: ")
        bos_id, eos_id = self._bos_eos(bos, eos)
        return encoder, many, as_num_threads(num_threads), bos_id, eos_id

    def encode_files(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        out: str | os.PathLike[str],
        *,
        format: str | None = None,
        dtype: Any = None,
        bos: bool = False,
        eos: bool = False,
        num_threads: int | None = None,
        progress: Callable[[Progress], object] | bool | None = None,
        **reading: Unpack[ReadOptions],
    ) -> EncodedFiles:
        """Encode all documents of files and write their ids to `out`. `encode_batch` gives the same ids.

        Memory: some blocks of 4 MB for each thread, and several times the longest document.

        Args:
            paths: a path, a folder, a glob, or a list of them. Compressed files (gzip, bzip2, xz, zstd) are unpacked.
                Files named .jsonl, .csv, .tsv, .parquet, .arrow or .feather hold records.
            out: the file of ids, or the prefix of its name. All files appear at the end, or none.
            format: what is written; None: "npy" for a name in `.npy`, else "bin". Both hold ids and offsets: document
                i has ids[offsets[i] : offsets[i + 1]]. Or "megatron" (NeMo too), "datatrove", or "parquet", with a
                column `input_ids` of list<int32>.
            dtype: "uint16" or "uint32" (Megatron: "int32"); None: the smallest that holds the vocabulary.
            bos, eos: as in `encode`, for each document.
            num_threads: None for all CPUs that this process may use, or fewer by OMP_NUM_THREADS.
            progress: True shows a progress bar. A function is called with a Progress of phase "encode" after each
                block; an exception that the function raises ends the call.
            reading: how the files are read, by column, separator and the other options of reading, as in `train`. Empty
                documents count. CR and a BOM are kept as text, unless newline="auto" is given.
        Returns:
            An EncodedFiles: the numbers of documents, ids and bytes, and the dtype.
        Raises:
            FileError: a file cannot be read or written.
            TextError: a document has 2^31 bytes; the message names file and line.
            OptionError: an output is also an input.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> with open("a.txt", "w") as file:
        ...     _ = file.write("one\\ntwo\\n")
        >>> tok.encode_files("a.txt", "ids.npy")
        EncodedFiles(documents=2, ids=6, bytes=8, dtype='uint16')
        """
        from spm_lite.files.read_options import as_reading
        from spm_lite.tokenizer.id_files import encode_files

        checked, added = as_reading(reading, "encode_files", keeps_bytes=True), self._bos_eos(bos, eos)
        return encode_files(
            self._encoder, paths, out, checked, dtype, added, num_threads, progress, format, self._file.data
        )
