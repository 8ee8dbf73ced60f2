"""Encode files of text to files of ids, block by block, without a Python object for each document or id."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_iterable, as_num_threads, usable_cpus
from spm_lite.encode.encode_batch import encode_batch
from spm_lite.errors import ArgumentTypeError, OptionError, TextError
from spm_lite.ids.batch import as_numpy
from spm_lite.io.corpus import expand, is_unlike_its_size, shorten, total_size
from spm_lite.io.documents import DocumentBlock, DocumentReader
from spm_lite.io.files import as_path
from spm_lite.io.new_files import NewFile, new_file
from spm_lite.io.paired_files import commit_pair, naming, settle_pair
from spm_lite.io.plain_text import log_notes
from spm_lite.io.temporary_files import new_tag
from spm_lite.progress import Progress, as_reporter, shown
from spm_lite.tokenizer.calls.results import EncodedFiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.base.system.arrays import Int32Array, Int64Array
    from spm_lite.encode.encoder import Encoder

BLOCK_SIZE = 1 << 22  # bytes of text for each thread, of at most as many threads as CPUs
DTYPES = {"uint16": "<u2", "uint32": "<u4"}
HEADER_SIZE = 128  # bytes; of a .npy file


def encode_files(
    encoder: Encoder,
    paths: Any,
    out: Any,
    separator: bytes,
    dtype: Any,
    bos_eos: tuple[int, int],
    num_threads: int | None,
    progress: Callable[[Progress], object] | bool | None,
    column: str = "",
) -> EncodedFiles:
    import numpy as np  # noqa: F401  (imported before any file is created: it takes a while)

    limit = as_dtype(dtype, encoder.vocab.size)
    threads = as_num_threads(num_threads)
    report = as_reporter(progress)
    files, targets = as_inputs(paths), as_targets(out)
    refuse_inputs(targets, files)
    total = 0 if any(map(is_unlike_its_size, files)) else total_size(files)
    with IdFiles(targets, limit) as target, shown(report):
        reader = DocumentReader(separator, BLOCK_SIZE * min(threads, usable_cpus()), column)
        for block in reader.blocks(files):
            target.write(*encode_block(encoder, block, threads, bos_eos))
            if report is not None:
                report("encode", reader.n_bytes, total)
        target.finish()
    log_notes(reader.notes)
    return EncodedFiles(target.n_documents, target.n_ids, reader.n_bytes, limit)


def encode_block(
    encoder: Encoder, block: DocumentBlock, threads: int, bos_eos: tuple[int, int]
) -> tuple[Int32Array, Int64Array]:
    """(ids, offsets) of the documents of a block. Raises TextError naming the document that cannot be encoded."""
    try:
        return encode_batch(encoder, block.texts, threads, *bos_eos)
    except TextError:
        for i in range(len(block.texts)):
            try:
                encoder.encode(block.text(i))
            except TextError as error:
                raise TextError(f"{block.name(i)}: {error}") from None
        raise


class IdFiles:
    """Writes the file of ids and the file of offsets; both appear together at the end, or neither.

    Files whose names end in .npy are arrays as numpy saves them. Others hold the numbers alone, little-endian.
    """

    def __init__(self, paths: tuple[str, str], dtype: str) -> None:
        self.n_documents = 0
        self.n_ids = 0
        self._paths = paths
        self._forms = (DTYPES[dtype], "<i8")
        self._has_header = paths[0].endswith(".npy")
        self._files: list[NewFile] = []
        self._stack = ExitStack()

    def __enter__(self) -> IdFiles:
        settle_pair(*self._paths)
        tag = new_tag()
        try:
            for i, path in enumerate(self._paths):
                self._files.append(new_file(path, tag))
                self._stack.push(self._files[i])  # before it is opened: Ctrl-C may come at any moment
                with naming(self._paths[i]):
                    self._files[i].__enter__()
            for i in range(2 if self._has_header else 0):
                self._append(i, bytes(HEADER_SIZE))  # a placeholder: the header holds the size, known only at the end
            self._append_numbers(1, [0])
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def write(self, ids: Int32Array, offsets: Int64Array) -> None:
        """Append the ids of some documents; document i has ids[offsets[i] : offsets[i + 1]]."""
        if len(ids):
            self._append_numbers(0, as_numpy(ids, "uint32"))
        self._append_numbers(1, as_numpy(offsets, "int64")[1:] + self.n_ids)
        self.n_documents += len(offsets) - 1
        self.n_ids += len(ids)

    def finish(self) -> None:
        """Complete both files and put them in their places."""
        sizes = (self.n_ids, self.n_documents + 1)
        for i, (file, size) in enumerate(zip(self._files, sizes, strict=True)):
            with naming(self._paths[i]):
                if self._has_header:
                    file.stream.seek(0)
                    file.stream.write(npy_header(self._forms[i], size))
                file.complete()
        commit_pair(self._files[0], self._files[1], self._paths)

    def _append_numbers(self, i: int, numbers: NDArray[Any] | list[int]) -> None:
        import numpy as np

        self._append(i, np.asarray(numbers).astype(self._forms[i], copy=False).data.cast("B"))

    def _append(self, i: int, data: bytes | memoryview) -> None:
        with naming(self._paths[i]):
            self._files[i].stream.write(data)


def npy_header(form: str, size: int) -> bytes:
    """The header of a .npy file of one dimension, always HEADER_SIZE bytes: version 1.0 of the format."""
    text = f"{{'descr': '{form}', 'fortran_order': False, 'shape': ({size},), }}"
    start = b"\x93NUMPY\x01\x00" + (HEADER_SIZE - 10).to_bytes(2, "little")
    return start + text.encode().ljust(HEADER_SIZE - 11) + b"\n"


def as_dtype(dtype: Any, vocab_size: int) -> str:
    """The name of the wanted type, which must hold every id; None chooses the smallest."""
    fits = vocab_size <= 1 << 16
    if dtype is None:
        return "uint16" if fits else "uint32"
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))  # of a type or dtype of numpy
    if name not in DTYPES:
        raise OptionError(f"dtype {name!r:.40} is neither 'uint16' nor 'uint32'; None chooses by the vocabulary")
    if name == "uint16" and not fits:
        raise OptionError(f"dtype 'uint16' ends at 65535, but there are {vocab_size} pieces: pass 'uint32' or None")
    return name


def as_inputs(paths: Any) -> list[Path]:
    """The files that `paths` names; those of a glob in sorted order."""
    is_one = isinstance(paths, (str, os.PathLike))
    items = [paths] if is_one else list(as_iterable(paths, "paths", "a path, or a list of paths"))
    found: list[Path] = []
    for number, item in enumerate(items):
        if not isinstance(item, (str, os.PathLike)):
            raise ArgumentTypeError(f"path {number} is {type(item).__name__}, not str or PathLike")
        found += expand(item, f"no file {shorten(os.fspath(item))!r} to encode")
    if not found:
        raise OptionError("paths is empty: name at least one file")
    return found


def as_targets(out: Any) -> tuple[str, str]:
    """The names of the file of ids and the file of offsets."""
    name = as_path(out, "out")
    return name, f"{name[:-4]}.offsets.npy" if name.endswith(".npy") else f"{name}.idx"


def refuse_inputs(targets: tuple[str, str], files: Iterable[Path]) -> None:
    """Raise OptionError if an output would replace an input, such as one of an earlier call that a glob matches."""
    known = {(status.st_dev, status.st_ino) for status in map(os.stat, filter(os.path.exists, files))}
    for target in filter(os.path.exists, targets):
        status = os.stat(target)  # noqa: PTH116
        if (status.st_dev, status.st_ino) in known:
            raise OptionError(f"out: {target!r} is among the files to encode: give out another name, or leave it out")
