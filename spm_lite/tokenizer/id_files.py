"""Encode files of text to files of ids, block by block, without a Python object for each document or id."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_iterable, as_num_threads, usable_cpus
from spm_lite.encode.encode_batch import encode_batch
from spm_lite.errors import ArgumentTypeError, OptionError, TextError
from spm_lite.files.documents import DocumentBlock, DocumentReader
from spm_lite.files.id_forms import as_dtype, as_format, paths_of, vocabulary_name
from spm_lite.files.open_files import as_path
from spm_lite.files.paths import expand, is_unlike_its_size, shorten, total_size
from spm_lite.files.plain_text import log_notes
from spm_lite.files.remote import AnyFile
from spm_lite.files.whole_id_files import WholeFiles
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.texts.wrong_texts import raise_first
from spm_lite.tokenizer.results import EncodedFiles

if TYPE_CHECKING:
    from spm_lite.base.system.arrays import Int32Array, Int64Array
    from spm_lite.encode.encoder import Encoder

BLOCK_SIZE = 1 << 22  # bytes of text for each thread, of at most as many threads as CPUs


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
    format: Any = None,
    model: bytes = b"",
    on_error: str = "raise",
) -> EncodedFiles:
    """Encode files for `Tokenizer.encode_files`. model: its bytes, for formats that name it."""
    import numpy as np  # noqa: F401  (imported before any file is created: it takes a while)

    name = as_path(out, "out")
    form = as_format(format, name)
    limit = as_dtype(dtype, encoder.vocab.size, form)
    threads = as_num_threads(num_threads)
    report = as_reporter(progress)
    files, targets = as_inputs(paths), paths_of(name, form)
    refuse_inputs(targets, files)
    total = 0 if any(map(is_unlike_its_size, files)) else total_size(files)
    vocabulary = vocabulary_name(model) if form == "datatrove" else ""
    with WholeFiles(targets, form, limit, vocabulary) as target, closing_bar(report):
        reader = DocumentReader(separator, BLOCK_SIZE * min(threads, usable_cpus()), column, on_error)
        for block in reader.blocks(files):
            target.writer.write(*encode_block(encoder, block, threads, bos_eos))
            if report is not None:
                report("encode", reader.n_bytes, total)
        target.finish()
    log_notes(reader.notes)
    return EncodedFiles(target.writer.n_documents, target.writer.n_ids, reader.n_bytes, limit)


def encode_block(
    encoder: Encoder, block: DocumentBlock, threads: int, bos_eos: tuple[int, int]
) -> tuple[Int32Array, Int64Array]:
    """(ids, offsets) of the documents of a block. Raises TextError naming the document that cannot be encoded."""
    try:
        return encode_batch(encoder, block.texts, threads, *bos_eos)
    except TextError:
        raise_first(map(block.text, range(len(block.texts))), encoder.encode, block.name)
        raise


def as_inputs(paths: Any) -> list[AnyFile]:
    """The files that `paths` names; those of a glob in sorted order."""
    is_one = isinstance(paths, (str, os.PathLike))
    items = [paths] if is_one else list(as_iterable(paths, "paths", "a path, or a list of paths"))
    found: list[AnyFile] = []
    for number, item in enumerate(items):
        if not isinstance(item, (str, os.PathLike)):
            raise ArgumentTypeError(f"path {number} is {type(item).__name__}, not str or PathLike")
        found += expand(item, f"no file {shorten(os.fspath(item))!r} to encode")
    if not found:
        raise OptionError("paths is empty: name at least one file")
    return found


def refuse_inputs(targets: tuple[str, ...], files: Iterable[AnyFile]) -> None:
    """Raise OptionError if an output would replace an input, such as one of an earlier call that a glob matches."""
    known = {(status.st_dev, status.st_ino) for status in map(os.stat, filter(os.path.exists, files))}
    for target in filter(os.path.exists, targets):
        status = os.stat(target)  # noqa: PTH116
        if (status.st_dev, status.st_ino) in known:
            raise OptionError(f"out: {target!r} is among the files to encode: give out another name, or leave it out")
