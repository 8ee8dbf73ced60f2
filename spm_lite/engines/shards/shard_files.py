"""The files of one shard: whole or absent, written under names of their own.

Any number of processes, also on other machines, may write the same shard at once: they write the same bytes.
`make_shard` turns the documents of its slices into ids, and the ids into its files.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from spm_lite.engines.shards.folders import AnyFolder, LocalFolder, RemoteFolder
from spm_lite.engines.shards.records import shard_name, temporary_path
from spm_lite.engines.shards.slices import file_of
from spm_lite.engines.shards.sources import JSONL, TEXT, reading_of
from spm_lite.errors import FileError, OptionError
from spm_lite.files.documents import CorpusFigures, Source, n_bytes_of, read_documents
from spm_lite.files.id_forms import make_writer, paths_of, vocabulary_name
from spm_lite.files.id_writer import IdWriter, OutputFile
from spm_lite.files.new_files import sync_folder
from spm_lite.files.paired_files import naming
from spm_lite.files.plain_text import log_notes
from spm_lite.files.temporary_files import is_locked
from spm_lite.tokenizer.id_files import BLOCK_SIZE, encode_parts, gathered

if TYPE_CHECKING:
    from typing_extensions import Self

    from spm_lite.engines.shards.plans import Plan
    from spm_lite.tokenizer.tokenizer import Tokenizer


READ_SIZE = 1 << 20


class ShardFiles:
    """A context manager around the writer of a shard; leaving it without `finish` removes what was written.

    job: 8 hex digits of the plan, by which left-over files are known.
    """

    writer: IdWriter

    def __init__(self, folder: Path, number: int, job: str, format: str, dtype: str, vocabulary: str) -> None:
        self._folder = folder
        self._targets = [folder / name for name in paths_of(shard_name(number, format), format)]
        self._job = job
        self._given = format, dtype, vocabulary
        self._open: list[tuple[Path, Any]] = []  # temporary files and their streams
        self._is_finished = False

    def __enter__(self) -> ShardFiles:
        try:
            outputs = []
            for target in self._targets:
                path = temporary_path(target, self._job)
                with naming(target):
                    stream = path.open("xb")
                is_locked(stream.fileno())  # as long as it is open: its process lives
                self._open.append((path, stream))
                outputs.append(OutputFile(stream, path, str(target)))
            self.writer = make_writer(outputs, *self._given)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if not self._is_finished:
            self.writer.forget()
        self._remove()

    def _remove(self) -> None:
        for path, stream in self._open:
            with suppress(OSError):
                stream.close()
            with suppress(OSError):
                path.unlink()

    def finish(self) -> list[dict[str, Any]]:
        """Complete the files, sync them and put them in their places; return name, size and SHA-256 of each."""
        self.writer.finish()
        self._is_finished = True
        found = []
        for target, (path, stream) in zip(self._targets, self._open, strict=True):
            with naming(target):
                stream.flush()
                os.fsync(stream.fileno())
                stream.close()
                found.append({"name": target.name, "size": path.stat().st_size, "sha256": digest_of(path)})
        for target, (path, _) in zip(self._targets, self._open, strict=True):
            with naming(target):
                path.replace(target)
        sync_folder(self._folder)
        return found


class UploadedFiles:
    """Writes a shard for a folder elsewhere: its files are written here, and copied there when they are whole."""

    def __init__(self, folder: RemoteFolder, number: int, *given: str) -> None:
        self._folder = folder
        self._here = TemporaryDirectory(prefix="spm_lite-")
        self._files = ShardFiles(Path(self._here.name), number, *given)

    def __enter__(self) -> Self:
        try:
            self._files.__enter__()
        except BaseException:
            self._here.cleanup()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._files.__exit__(*error)
        self._here.cleanup()

    @property
    def writer(self) -> IdWriter:
        """What takes the documents."""
        return self._files.writer

    def finish(self) -> list[dict[str, Any]]:
        """Complete the files and copy them; return name, size and SHA-256 of each."""
        found = self._files.finish()
        for file in found:
            self._folder.put(Path(self._here.name) / file["name"], file["name"])
        return found


def shard_files(folder: AnyFolder, number: int, *given: str) -> ShardFiles | UploadedFiles:
    """A context manager around the writer of a shard. given: job, format, dtype and vocabulary."""
    if isinstance(folder, LocalFolder):
        return ShardFiles(folder.path, number, *given)
    return UploadedFiles(folder, number, *given)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb", buffering=0) as file:
        while data := file.read(READ_SIZE):
            digest.update(data)
    return digest.hexdigest()


def make_shard(plan: Plan, task: int, tok: Tokenizer, threads: int) -> dict[str, Any]:
    """Write the files of a shard and return what its record tells of them.

    Spans are the bytes of text that were read, so that `finish` can tell that none is lost or read twice.
    """
    options, n_bytes, spans = plan.options, 0, []
    reading = reading_of(options)
    ends = tok._bos_eos(options["bos"], options["eos"])
    given = plan.key(task)[:8], options["format"], options["dtype"], vocabulary_name(plan.model)
    with shard_files(plan.folder(), task, *given) as files:
        for part in plan.tasks[task]:
            source = plan.sources[part.source]
            file: Any = file_of(source, part, reading)
            if source.kind in (TEXT, JSONL):
                spans.append([part.source, file.begin, file.end])
            read = CorpusFigures()
            documents = read_documents(Source((file,), None, reading), read)
            try:
                for parts in gathered(documents, BLOCK_SIZE * threads):
                    files.writer.write(*encode_parts(tok._encoder, parts, threads, ends))
                    n_bytes += sum(n_bytes_of(one.documents) for one in parts)
                log_notes(read.notes.texts if part.begin == 0 else read.notes.bad.notes)  # those on a file come once
            except OptionError as error:  # a row without the column, which the plan has not seen
                raise FileError(str(error)) from None
        written = files.finish()
        figures = {"documents": files.writer.n_documents, "ids": files.writer.n_ids, "bytes": n_bytes}
    return {**figures, "spans": spans, "files": written}
