"""Encode files of text to files of ids, block by block, without a Python object for each document or id."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_num_threads, usable_cpus
from spm_lite.encode.encode_batch import encode_batch
from spm_lite.errors import OptionError, TextError
from spm_lite.files.corpus import find_named
from spm_lite.files.documents import MAX_SIZE, CorpusFigures, Part, Source, read_documents, split_block, texts_of
from spm_lite.files.id_forms import as_dtype, as_format, paths_of, vocabulary_name
from spm_lite.files.open_files import as_path
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import LINE_END, Reading
from spm_lite.files.remote import AnyFile
from spm_lite.files.whole_id_files import WholeFiles
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.texts.delimited_texts import Documents
from spm_lite.texts.wrong_texts import raise_first
from spm_lite.tokenizer.results import EncodedFiles

if TYPE_CHECKING:
    from spm_lite.base.system.arrays import Int32Array, Int64Array
    from spm_lite.encode.encoder import Encoder
    from spm_lite.texts.text_view import Texts

BLOCK_SIZE = 1 << 22  # bytes of text for each thread, of at most as many threads as CPUs


def encode_files(
    encoder: Encoder,
    paths: Any,
    out: Any,
    reading: Reading,
    dtype: Any,
    bos_eos: tuple[int, int],
    num_threads: int | None,
    progress: Callable[[Progress], object] | bool | None,
    format: Any = None,
    model: bytes = b"",
) -> EncodedFiles:
    """Encode files for `Tokenizer.encode_files`. model: its bytes, for formats that name it."""
    import numpy as np  # noqa: F401  (imported before any file is created: it takes a while)

    name = as_path(out, "out")
    form = as_format(format, name)
    limit = as_dtype(dtype, encoder.vocab.size, form)
    threads = as_num_threads(num_threads)
    report = as_reporter(progress)
    files, targets = find_named(paths, "paths"), paths_of(name, form)
    refuse_inputs(targets, files)
    vocabulary = vocabulary_name(model) if form == "datatrove" else ""
    figures, size = CorpusFigures(), BLOCK_SIZE * min(threads, usable_cpus())
    with WholeFiles(targets, form, limit, vocabulary) as target, closing_bar(report):
        for parts in gathered(read_documents(Source(tuple(files), None, reading), figures), size):
            target.writer.write(*encode_parts(encoder, parts, threads, bos_eos))
            if report is not None:
                report("encode", figures.bytes_read, figures.bytes_known)
        target.finish()
    log_notes(figures.notes.texts)
    return EncodedFiles(target.writer.n_documents, target.writer.n_ids, figures.bytes_read, limit)


def gathered(parts: Iterable[Part], size: int) -> Iterator[list[Part]]:
    """Yield parts that are encoded together: parts of lines up to `size` bytes, so that all threads have work."""
    kept: list[Part] = []
    n_bytes = 0
    for part in parts:
        if not isinstance(part.documents, bytes):
            if kept:
                yield kept
            yield [part]
            kept, n_bytes = [], 0
            continue
        kept.append(part)
        n_bytes += len(part.documents)
        if n_bytes >= size:
            yield kept
            kept, n_bytes = [], 0
    if kept:
        yield kept


def texts_of_parts(parts: list[Part]) -> Texts:
    """The texts of parts; several are parts of lines."""
    if len(parts) == 1:
        return texts_of(parts[0].documents)
    lines = Documents(LINE_END, MAX_SIZE)
    for part in parts:
        lines.add(part.documents, 0, True)  # type: ignore[arg-type]
    return lines


def encode_parts(
    encoder: Encoder, parts: list[Part], threads: int, bos_eos: tuple[int, int]
) -> tuple[Int32Array, Int64Array]:
    """(ids, offsets) of the texts of some parts. Raises TextError naming the text that cannot be encoded."""
    try:
        return encode_batch(encoder, texts_of_parts(parts), threads, *bos_eos)
    except TextError:
        for part in parts:
            raise_first(split_block(part.documents), encoder.encode, part.name)
        raise


def refuse_inputs(targets: tuple[str, ...], files: Iterable[AnyFile]) -> None:
    """Raise OptionError if an output would replace an input, such as one of an earlier call that a glob matches."""
    known = {(status.st_dev, status.st_ino) for status in map(os.stat, filter(os.path.exists, files))}
    for target in filter(os.path.exists, targets):
        status = os.stat(target)  # noqa: PTH116
        if (status.st_dev, status.st_ino) in known:
            raise OptionError(f"out: {target!r} is among the files to encode: give out another name, or leave it out")
