"""`spm-lite encode`: each document becomes a line of ids or pieces."""

from __future__ import annotations

from collections import Counter

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.console import show_notes, shown_notes
from spm_lite.cli.options.document_options import add_document_options, read_options, reading_of
from spm_lite.cli.options.parsing import (
    CommandParser,
    UsageError,
    add_common,
    add_model,
    add_output,
    add_threads,
    file_name,
    load_model,
    whole_number,
)
from spm_lite.cli.outputs import check_target, goes_to_terminal, open_output, refuse_inputs
from spm_lite.cli.streams import all_inputs, convert_lines, read_shown, real_files
from spm_lite.files.documents import CorpusFigures, split_block
from spm_lite.files.text_lines import escape_word
from spm_lite.printable import safe_json
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable

    from spm_lite.files.read_options import Reading
    from spm_lite.tokenizer.tokenizer import Tokenizer

DESCRIPTION = """\
Turn text into ids, document by document. A document is a line, unless an option below says otherwise.
FILE may be a folder, or a pattern such as 'part-*.txt'; '-' or no FILE is standard input.

Compressed files (gzip, bzip2, xz, zstd) are unpacked. In .jsonl, .csv, .tsv, .parquet, .arrow and
.feather files, each text in the column that --column names is a document.

If the model was trained with the defaults of spm-lite, 'spm-lite decode' restores every byte:
line ends, a missing last line end, empty lines, and bytes that are not UTF-8.

Characters that a line cannot hold are written as escapes in pieces, such as \\x0a for a line feed.

Formats for programs (--output-format):
  bin        OUT has the ids, little-endian; OUT.idx has the position where each document begins, and the end (int64)
  npy        OUT.npy and OUT.offsets.npy: the same as numpy arrays
  megatron   OUT.bin and OUT.idx, for Megatron-LM and NeMo
  datatrove  OUT.ds, OUT.ds.index and OUT.ds.metadata
  parquet    OUT has a column input_ids of lists"""

COMMON = {"model", "output", "output_format", "json", "bos", "eos", "separator", "whole_files", "num_threads", "quiet"}
ARRAYS = ("bin", "npy", "megatron", "datatrove", "parquet")  # formats of Tokenizer.encode_files


def make_parser() -> CommandParser:
    parser = CommandParser("encode", "MODEL [FILE...] [options]", DESCRIPTION, None, COMMON)
    add_model(parser)
    add_output(parser, "; it may be FILE itself, except for arrays")
    parser.add_argument(
        "--output-format",
        choices=("id", "piece", *ARRAYS),
        default="id",
        help="ids, pieces with ▁ for a space, or files of ids for programs (see above) [id]",
    )
    parser.add_argument("--json", action="store_true", help="write ids and pieces of each document as one line of JSON")
    parser.add_argument(
        "--dtype",
        choices=("uint16", "uint32", "int32"),
        help="number type of the ids in files for programs [uint16 if all ids fit]",
    )
    parser.add_argument("--bos", action="store_true", help="begin each document with the beginning-of-text id")
    parser.add_argument("--eos", action="store_true", help="end each document with the end-of-text id")
    add_threads(parser)
    add_document_options(parser, reads_records=True, keeps_bytes=True)
    add_vocabulary_options(parser)
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    reading = reading_of(vars(options), keeps_bytes=True)
    check_format(options)
    if options.output is not None:  # the output may replace an input, but not these
        refuse_inputs([options.output], [options.model, *filter(None, [options.vocabulary])])
    if options.vocabulary is None and options.vocabulary_threshold != 1:
        raise UsageError("--vocabulary-threshold needs --vocabulary: give both, or leave it out")
    tok = load_model(options, options.model)
    if options.vocabulary is not None:
        with shown_notes(options.quiet, "encode"):
            from pathlib import Path

            tok = tok.restrict(Path(options.vocabulary), threshold=options.vocabulary_threshold)
    if options.generate_vocabulary:
        write_vocabulary(tok, files, reading, options)
    elif options.output_format in ARRAYS:
        write_arrays(tok, files, options)
    else:
        form = "json" if options.json else options.output_format
        writer = IdWriter(tok, form, options.bos, options.eos, options.num_threads)
        convert_lines(
            files,
            options.output,
            lambda documents, *_: writer.encode(documents),
            "encode",
            options.quiet,
            reading,
            ends_each=options.json,
        )
    return 0


def add_vocabulary_options(parser: CommandParser) -> None:
    """Add the options that restrict the pieces, and that count them."""
    group = parser.add_argument_group("vocabulary")
    group.add_argument(
        "--vocabulary",
        type=file_name,
        metavar="FILE",
        help="unigram, bpe: use only the pieces in this file (lines of piece TAB count) and single characters",
    )
    group.add_argument(
        "--vocabulary-threshold",
        type=whole_number,
        default=1,
        metavar="N",
        help="leave out pieces with a smaller count [1]",
    )
    group.add_argument(
        "--generate-vocabulary",
        action="store_true",
        help="write how often each piece occurs in the text, for --vocabulary, instead of ids",
    )


def check_format(options: Namespace) -> None:
    """Raise UsageError if the options of the output contradict each other."""
    form, output, dtype = options.output_format, options.output, options.dtype
    if options.generate_vocabulary and (form != "id" or dtype is not None or options.json):
        raise UsageError("--generate-vocabulary writes pieces and counts: leave out --output-format, --json, --dtype")
    if options.json and form != "id":
        raise UsageError(f"--json has ids and pieces: leave out --output-format {form}")
    if form not in ARRAYS:
        if dtype is not None:
            raise UsageError(f"--dtype is for files for programs: --output-format {' or '.join(ARRAYS)}")
        return
    if output is None or output == "-":
        raise UsageError(f"--output-format {form} makes files; name the first with --output")
    if output.endswith(".npy") != (form == "npy"):
        rule = "must end in .npy" if form == "npy" else "must not end in .npy, or pass --output-format npy"
        raise UsageError(f"--output-format {form}: the name {output} {rule}")


def write_vocabulary(tok: Tokenizer, files: list[str], reading: Reading, options: Namespace) -> None:
    """Write lines of piece, TAB and count, the most frequent first, for all pieces of the text."""
    from spm_lite.kinds import CONTROL, UNKNOWN

    vocab, figures, counts = tok._file.vocab, CorpusFigures(), Counter[int]()
    inputs = all_inputs(files, options.output)
    with open_output(options.output) as out, ProgressBar(options.quiet or goes_to_terminal(options.output)) as bar:
        for part in read_shown(inputs, bar, "encode", reading, figures):
            for ids in tok.encode_lists(split_block(part.documents), num_threads=options.num_threads):
                counts.update(ids)
        rows = [(vocab.text(i), n) for i, n in counts.items() if vocab.type(i) not in (CONTROL, UNKNOWN)]
        for text, count in sorted(rows, key=lambda row: (-row[1], row[0])):
            out.write(b"%s\t%d\n" % (escape_word(text), count))
    show_notes(figures.notes.texts, options.quiet, "encode")


def write_arrays(tok: Tokenizer, files: list[str], options: Namespace) -> None:
    """Encode all documents into files for programs."""
    check_target(options.output)
    with real_files(files) as paths, shown_notes(options.quiet, "encode"), ProgressBar(options.quiet) as bar:
        refuse_inputs([options.output], map(str, paths))
        tok.encode_files(
            paths,
            options.output,
            dtype=options.dtype,
            bos=options.bos,
            eos=options.eos,
            num_threads=options.num_threads,
            progress=bar.measured,
            format=options.output_format,
            **read_options(vars(options)),
        )


class Names(dict[int, str]):
    """What is written for an id, made when the id comes for the first time: one line needs few of them."""

    def __init__(self, name_of: Callable[[int], str]) -> None:
        super().__init__()
        self._name_of = name_of

    def __missing__(self, i: int) -> str:
        name = self[i] = self._name_of(i)
        return name


class IdWriter:
    """Encodes documents to lines of ids, of pieces, or of JSON with both."""

    def __init__(self, tok: Tokenizer, form: str, bos: bool, eos: bool, num_threads: int | None) -> None:
        """form: "id", "piece" or "json"."""
        self._tok = tok
        self._bos = bos
        self._eos = eos
        self._num_threads = num_threads
        self._names = Names(str if form == "id" else lambda i: shown_piece(tok.id_to_piece(i)))
        self._shown_as_text = -1 if form == "id" else tok.unk_id  # for this id the text itself is written
        self._joined = as_json if form == "json" else lambda ids, names: " ".join(names)

    def encode(self, lines: list[bytes]) -> list[bytes]:
        """Encode each document."""
        lists = self._tok.encode_lists(lines, bos=self._bos, eos=self._eos, num_threads=self._num_threads)
        name_of, joined = self._names.__getitem__, self._joined
        return [
            joined(ids, map(name_of, ids) if self._shown_as_text not in ids else self._with_unknown(line)).encode(
                "utf-8", "surrogateescape"
            )
            for line, ids in zip(lines, lists, strict=True)
        ]

    def _with_unknown(self, line: bytes) -> list[str]:
        """The pieces of a document with text that no piece covers; that text is written as it is."""
        pieces = map(shown_piece, self._tok.pieces(line))
        before = [self._names[self._tok.bos_id]] if self._bos else []
        after = [self._names[self._tok.eos_id]] if self._eos else []
        return [*before, *pieces, *after]


def as_json(ids: list[int], pieces: Iterable[str]) -> str:
    """A line of JSON, with the keys of `spm-lite show --json`."""
    import json

    return safe_json(json.dumps({"ids": ids, "pieces": list(pieces)}))


def shown_piece(piece: str) -> str:
    """A piece as it stands in a line: with the escapes of `escape_word`."""
    if piece.isprintable() and " " not in piece and "\\" not in piece:
        return piece
    return escape_word(piece.encode("utf-8", "surrogateescape")).decode()
