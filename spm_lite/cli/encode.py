"""`spm-lite encode`: each line of text becomes a line of ids or pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.cli.lines import convert_lines
from spm_lite.cli.outputs import refuse_inputs
from spm_lite.cli.parsing import CommandParser, UsageError, add_common, file_name, positive_int
from spm_lite.cli.progress_bar import ProgressBar
from spm_lite.cli.streams import real_files

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.tokenizer.tokenizer import Tokenizer

DESCRIPTION = """\
Turn text into ids, line by line. FILE may be a pattern such as 'part-*.txt';
'-' or no FILE is standard input.

With a model that spm-lite trained with its defaults, 'spm-lite decode' gives back every byte:
line ends as they were, a missing last line end, empty lines, and bytes that are not UTF-8.

For programs, --output-format bin writes the ids alone to OUT, little-endian, and to OUT.idx where
each line begins among them (int64, one more than there are lines); npy writes OUT.npy and
OUT.offsets.npy, the same as arrays of numpy."""

ARRAYS = ("bin", "npy")  # formats of Tokenizer.encode_files


def main(argv: list[str]) -> int:
    """Run the command; return the exit code."""
    parser = CommandParser("encode", "[FILE...] --model M [options]", DESCRIPTION)
    parser.add_argument("--model", type=file_name, required=True, metavar="M", help="the model file; required")
    parser.add_argument(
        "--output",
        type=file_name,
        metavar="FILE",
        help="where to write, complete or not at all; it may be FILE itself, but for arrays [standard output]",
    )
    parser.add_argument(
        "--output-format",
        choices=("id", "piece", *ARRAYS),
        default="id",
        help="ids, pieces with ▁ for a space, or arrays of ids (see above) [id]",
    )
    parser.add_argument(
        "--dtype", choices=("uint16", "uint32"), help="of arrays of ids [uint16 if all pieces have such ids]"
    )
    parser.add_argument("--bos", action="store_true", help="begin each line with the beginning-of-text id")
    parser.add_argument("--eos", action="store_true", help="end each line with the end-of-text id")
    parser.add_argument("--num-threads", type=positive_int, metavar="N", help="threads [all usable CPUs]")
    add_common(parser)
    options, files = parser.parse(argv)
    if options.output is not None:
        refuse_inputs([options.output], [options.model])  # the output may replace an input, but not the model

    check_format(options.output_format, options.output, options.dtype)

    from spm_lite.tokenizer.tokenizer import Tokenizer

    tok = Tokenizer.load(options.model)
    if options.output_format in ARRAYS:
        write_arrays(tok, files, options)
        return 0
    writer = IdWriter(tok, options.output_format, options.bos, options.eos, options.num_threads)
    convert_lines(files, options.output, lambda lines, *_: writer.encode(lines), "encoding", options.quiet)
    return 0


def check_format(form: str, output: str | None, dtype: str | None) -> None:
    """Raise UsageError if the options of the output contradict each other."""
    if form not in ARRAYS:
        if dtype is not None:
            raise UsageError(f"--dtype is for arrays: --output-format {' or '.join(ARRAYS)}")
        return
    if output is None or output == "-":
        raise UsageError(f"--output-format {form} makes two files; name the first with --output")
    if output.endswith(".npy") != (form == "npy"):
        rule = "must end in .npy" if form == "npy" else "must not end in .npy, or pass --output-format npy"
        raise UsageError(f"--output-format {form}: the name {output} {rule}")


def write_arrays(tok: Tokenizer, files: list[str], options: Namespace) -> None:
    """Encode all lines into the two files of arrays."""
    with real_files(files) as paths, ProgressBar(options.quiet) as bar:
        tok.encode_files(
            paths,
            options.output,
            dtype=options.dtype,
            bos=options.bos,
            eos=options.eos,
            num_threads=options.num_threads,
            progress=bar.measured,
        )


class IdWriter:
    """Encodes lines of text to lines of ids or pieces."""

    def __init__(self, tok: Tokenizer, form: str, bos: bool, eos: bool, num_threads: int | None) -> None:
        self._tok = tok
        self._bos = bos
        self._eos = eos
        self._num_threads = num_threads
        self._names = [str(i) if form == "id" else tok.id_to_piece(i) for i in range(tok.vocab_size)]
        self._shown_as_text = tok.unk_id if form == "piece" else -1  # for this id the text itself is written

    def encode(self, lines: list[bytes]) -> list[bytes]:
        """Encode each line."""
        lists = self._tok.encode_lists(lines, bos=self._bos, eos=self._eos, num_threads=self._num_threads)
        name_of = self._names.__getitem__
        return [
            " ".join(map(name_of, ids)).encode("utf-8", "surrogateescape")
            if self._shown_as_text not in ids
            else self._with_unknown(line)
            for line, ids in zip(lines, lists, strict=True)
        ]

    def _with_unknown(self, line: bytes) -> bytes:
        """The pieces of a line with text that no piece covers; that text is written as it is."""
        pieces = self._tok.pieces(line)
        before = [self._names[self._tok.bos_id]] if self._bos else []
        after = [self._names[self._tok.eos_id]] if self._eos else []
        return " ".join([*before, *pieces, *after]).encode("utf-8", "surrogateescape")
