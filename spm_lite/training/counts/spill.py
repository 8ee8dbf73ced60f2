"""External counting within a memory limit: full tables go to disk as sorted runs, which are merged at the end."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO

from spm_lite.errors import FileError
from spm_lite.progress.meter import Reporter
from spm_lite.training.counts.chunk_budget import Budget, LongChunks
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.runs import (
    BlockPass,
    Histogram,
    HistogramPass,
    LoadingPass,
    LongPass,
    RunMerger,
    spill_tables,
)

FAN_IN = 32  # runs merged at once


class Spill:
    """The runs of one counting, in temporary files. A context manager: its exit removes the files.

    Where the system allows it, the files have no name, so that not even a killed process leaves one.
    """

    def __init__(self, table_bytes: int, budget: Budget, progress: Reporter | None = None) -> None:
        """table_bytes: memory of the tables above which they are written, bytes. budget: for the final table."""
        self.table_bytes = table_bytes
        self.budget = budget
        self.progress = progress
        self.levels: list[list[FileIO]] = []  # runs; each of level k + 1 is merged from FAN_IN of level k
        self.bytes_written = 0
        self.n_spills = 0
        self.files: list[FileIO] = []  # the open files, and some that were closed

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *error: object) -> None:
        self.levels.clear()
        with ExitStack() as stack:  # closes all files even if closing one fails
            for file in self.files:
                stack.callback(file.close)

    def spill(self, tables: list[ChunkTable]) -> None:
        """Write each table as a run, and empty the tables."""
        tables = [table for table in tables if len(table)]
        self.tell("spill", self.bytes_written, 0)
        with self.disk_errors():
            files = [self.new_file() for _ in tables]
            self.bytes_written += spill_tables(tables, files)
        self.n_spills += 1
        self.tell("spill", self.bytes_written, 0)
        for file in files:
            self.add_run(file, 0)

    def add_run(self, file: FileIO, level: int) -> None:
        """Add a run to a level; a full level is merged into one run of the next."""
        if level == len(self.levels):
            self.levels.append([])
        self.levels[level].append(file)
        if len(self.levels[level]) == FAN_IN:
            merged = self.merge(self.levels[level], Histogram(self.budget), LongChunks())
            self.levels[level] = []
            self.add_run(merged, level + 1)

    def finish(self, tables: list[ChunkTable]) -> ChunkTable:
        """Return the table of all runs and of `tables`, as large as the budget allows."""
        if any(len(table) for table in tables):
            self.spill(tables)
        histogram, long_chunks = Histogram(self.budget), LongChunks()
        merged = self.merge([file for level in self.levels for file in level], histogram, long_chunks)
        self.levels.clear()
        crowded = histogram.crowded()
        while crowded is not None and crowded[1] - crowded[0] > 1:  # zoom in, down to a single count
            histogram = Histogram(self.budget, *crowded[:2])
            self.run(HistogramPass(merged, histogram), merged)
            crowded = histogram.crowded()
        if crowded is None:
            loading = LoadingPass(merged, self.budget)
        else:
            loading = LoadingPass(merged, self.budget, crowded[0], crowded[2], crowded[3])
        self.run(loading, merged)
        if len(long_chunks) > 0:
            self.run(LongPass(merged, loading, long_chunks), merged)
        merged.close()
        return loading.finish()

    def finish_whole(self, tables: list[ChunkTable]) -> SpilledTable:
        """Return the table of all runs and of `tables`, whatever its size: it stays in its file."""
        if any(len(table) for table in tables):
            self.spill(tables)
        merged = self.merge([file for level in self.levels for file in level], Histogram(self.budget), LongChunks())
        self.levels.clear()
        self.files.remove(merged)
        return SpilledTable(merged)

    def merge(self, files: list[FileIO], histogram: Histogram, long_chunks: LongChunks) -> FileIO:
        """Merge several runs into one, close them, and return the merged run."""
        n_bytes = sum(file.seek(0, 2) for file in files)
        with self.disk_errors():
            target = self.new_file()
            merge = RunMerger(files, target, histogram, long_chunks)
        has_more = True
        while has_more:
            with self.disk_errors():
                has_more = merge.step()
            self.tell("merge", merge.n_read, n_bytes)
        for file in files:
            file.close()
        return target

    def run(self, over: HistogramPass | LoadingPass | LongPass, merged: FileIO) -> None:
        """Run all steps of a pass over the merged run."""
        n_bytes = merged.seek(0, 2)
        merged.seek(0)
        has_more = True
        while has_more:
            with self.disk_errors():
                has_more = over.step()
            self.tell("merge", over.n_read, n_bytes)

    def tell(self, phase: str, done: int, total: int) -> None:
        """Call the progress function, if there is one."""
        if self.progress is not None:
            self.progress(phase, done, total)

    def new_file(self) -> FileIO:
        """Return a new raw temporary file."""
        file = tempfile.TemporaryFile(prefix="spm_lite-", buffering=0)  # noqa: SIM115  (closed at the end)
        self.files = [other for other in self.files if not other.closed] + [file]
        return file

    def bytes_held(self) -> int:
        """Return the bytes that the temporary files hold now."""
        return sum(file.seek(0, 2) for file in self.files if not file.closed)

    @contextmanager
    def disk_errors(self) -> Iterator[None]:
        """Turn an OSError while runs are written or read into a FileError that names the folder."""
        try:
            yield
        except OSError as error:
            folder = tempfile.tempdir or os.environ.get("TMPDIR", "")
            name = errno.errorcode.get(error.errno or 0, "")
            reason = (
                f"counting beyond the memory limit needs room for temporary files, and after {self.bytes_held():,} "
                f"bytes: {error.strerror or error}. "
            )
            raise FileError(error.errno or 0, reason + ways_out(name), folder) from error


class SpilledTable:
    """A table in a temporary file, to be read block by block as often as wanted. The file goes with this object."""

    def __init__(self, file: FileIO) -> None:
        self.file = file

    def __iter__(self) -> Iterator[ChunkTable]:
        self.file.seek(0)
        blocks = BlockPass(self.file)
        while len(block := blocks.next_table()):
            yield block

    def __len__(self) -> int:
        """The bytes of the file."""
        return self.file.seek(0, 2)

    def __del__(self) -> None:
        self.file.close()


def ways_out(name: str) -> str:
    """Return advice, for an error message, about the system error of this name, such as ENOSPC."""
    if name in ("EMFILE", "ENFILE"):
        return "Close some, allow more ('ulimit -n'), or raise memory_limit"
    first = "Make room there" if name in ("ENOSPC", "EDQUOT", "EFBIG") else "Make it a folder that can be written"
    return f"{first}, name another folder by TMPDIR, or raise memory_limit"
