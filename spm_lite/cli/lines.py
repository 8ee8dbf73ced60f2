"""Converts the lines of all inputs, for the commands `encode` and `decode`."""

from __future__ import annotations

from collections.abc import Callable

from spm_lite.cli.outputs import goes_to_terminal, open_output
from spm_lite.cli.progress_bar import ProgressBar
from spm_lite.cli.streams import all_inputs, input_size, read_files


def convert_lines(
    files: list[str],
    output: str | None,
    convert: Callable[[list[bytes], str, int], list[bytes]],
    stage: str,
    quiet: bool,
) -> None:
    """Convert the lines of all inputs and write them, block by block.

    convert: (lines, their file, the number of the first) -> as many lines. stage: the label of the progress bar.
    """
    bar = ProgressBar(quiet or goes_to_terminal(output))
    inputs = all_inputs(files, output)
    done, total = 0, input_size(inputs)
    with open_output(output) as out, bar:
        for path, first, lines, complete in read_files(inputs):
            out.write(b"\n".join(convert(lines, path, first)))
            if complete:
                out.write(b"\n")
            out.flush()
            done += sum(map(len, lines)) + len(lines)
            bar(stage, done, total)
