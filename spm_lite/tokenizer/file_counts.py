"""How many tokens files have, document by document: `Tokenizer.count_files`, and the command `count`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.arguments import as_num_threads
from spm_lite.files.corpus import find_named
from spm_lite.files.documents import CorpusFigures, Part, Source, n_bytes_of, read_documents, texts_of
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import Reading
from spm_lite.progress.meter import Progress
from spm_lite.progress.reporter import as_reporter, closing_bar

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer


class FileCount(NamedTuple):
    """Tokens, documents and bytes of a file, or of several together.

    Attributes:
        tokens: ids of all documents.
        documents: how many there are; a document is a line, unless an option of reading says otherwise.
        bytes: of the texts, without what separates them.
    """

    tokens: int = 0
    documents: int = 0
    bytes: int = 0


class FileCounts(NamedTuple):
    """Tokens of files, as `Tokenizer.count_files` returns them; `str(counts)` has a line for each file.

    Attributes:
        total: the FileCount of all files together.
        files: the FileCount of each file by its name, in the order of reading.
    """

    total: FileCount
    files: dict[str, FileCount]

    def __str__(self) -> str:
        return "\n".join(f"{one.tokens}\t{name}" for name, one in self.rows())

    def rows(self) -> list[tuple[str, FileCount]]:
        """The lines of a table: a total comes last if there are several files.

        Returns:
            A list of pairs of a name and its FileCount.
        """
        return [*self.files.items()] + ([("total", self.total)] if len(self.files) > 1 else [])


for _kind in (FileCount, FileCounts):
    _kind.__module__ = "spm_lite"  # where users find them; a pickle names this place


def count_files(
    tok: Tokenizer,
    paths: Any,
    reading: Reading,
    num_threads: int | None,
    progress: Callable[[Progress], object] | bool | None,
) -> FileCounts:
    """The work of `Tokenizer.count_files`, with a bar and notes. reading: how documents are found."""
    as_num_threads(num_threads)  # fails now if it is wrong
    report, files, figures = as_reporter(progress), find_named(paths, "paths"), CorpusFigures()

    def parts() -> Iterable[Part]:
        for part in read_documents(Source(tuple(files), None, reading), figures):
            yield part
            if report is not None:
                report("count", figures.bytes_read, figures.bytes_known)

    with closing_bar(report):
        found = counted(tok, map(str, files), parts(), num_threads)
    log_notes(figures.notes.texts)
    return found


def counted(tok: Tokenizer, names: Iterable[str], parts: Iterable[Part], num_threads: int | None) -> FileCounts:
    """Count the tokens of parts of files. names: of all files; one without a document counts too."""
    sums: dict[str, FileCount] = dict.fromkeys(names, FileCount())
    for part in parts:
        texts: Any = texts_of(part.documents)
        n_tokens, before = int(tok.count_batch(texts, num_threads=num_threads).sum()), sums[str(part.path)]
        now = FileCount(n_tokens, len(texts), n_bytes_of(part.documents))
        sums[str(part.path)] = FileCount(*map(sum, zip(before, now, strict=True)))
    return FileCounts(FileCount(*map(sum, zip(FileCount(), *sums.values(), strict=True))), sums)
