"""Reads the documents of all inputs with a progress bar, and converts them for the commands `encode` and `decode`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spm_lite.cli.notes import show_notes
from spm_lite.cli.outputs import goes_to_terminal, open_output
from spm_lite.cli.streams import all_inputs, input_size, read_files
from spm_lite.files.documents import LINE_END
from spm_lite.files.plain_text import FormatNotes
from spm_lite.progress.bar import ProgressBar


def convert_lines(
    files: list[str],
    output: str | None,
    convert: Callable[[list[bytes], str, int], list[bytes]],
    stage: str,
    quiet: bool,
    read_separator: bytes = LINE_END,
    write_separator: bytes = LINE_END,
    notes: FormatNotes | None = None,
    column: str = "",
    ends_each: bool = False,
) -> None:
    """Convert the documents of all inputs and write them, block by block.

    convert: (documents, their file, the number of the first) -> as many documents. stage: the label of the progress
    bar. notes: examines the beginning of each input. column: of files of records, as in `read_files`. ends_each: the
    last document gets a separator even if its text has none.
    """
    bar = ProgressBar(quiet or goes_to_terminal(output))
    inputs = all_inputs(files, output)
    with open_output(output) as out, bar:
        for path, first, documents, complete in read_shown(inputs, bar, stage, read_separator, notes, column):
            out.write(write_separator.join(convert(documents, path, first)))
            if complete or ends_each:
                out.write(write_separator)
            out.flush()
    if notes is not None:
        show_notes(notes.texts, quiet)


def read_shown(
    inputs: list[str], bar: ProgressBar, stage: str, separator: bytes, notes: FormatNotes | None, column: str
) -> Iterator[tuple[str, int, list[bytes], bool]]:
    """Yield the documents of all inputs as `read_files` does, and show each part in a bar once it was dealt with."""
    done, total = 0, input_size(inputs)
    for path, first, documents, complete in read_files(inputs, separator, notes, column):
        yield path, first, documents, complete
        done += sum(map(len, documents)) + len(documents) * len(separator)
        bar(stage, done, total)
