"""`spm-lite convert`: a tokenizer file of one format to one of another, with the same ids."""

from __future__ import annotations

import json
import sys
from argparse import BooleanOptionalAction
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from spm_lite.cli.console import is_terminal, write_text
from spm_lite.cli.options.parsing import (
    CommandParser,
    UsageError,
    add_common,
    file_name,
    positive_int,
    utf8,
    whole_number,
)
from spm_lite.cli.outputs import check_target, refuse_inputs
from spm_lite.cli.streams import read_files
from spm_lite.cli.tables import width_of_output, wrapped
from spm_lite.files.documents import CorpusFigures, split_block
from spm_lite.files.read_options import Reading
from spm_lite.formats.proof.conversion import texts_of_files
from spm_lite.printable import safe_json, visible

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.formats.proof.conversion import Conversion
    from spm_lite.tokenizer.convert_files import Converted
    from spm_lite.tokenizer.format_table import Format

DESCRIPTION = """\
Turn a tokenizer file IN into OUT, a file of another format with the same ids. The content of IN says what it is,
and the ending of OUT what is written, unless --from and --to name it. A name without an ending is a folder for
transformers.

Before writing, the command compares its ids with the ids of the program that reads OUT, if that is installed.
It compares difficult texts, random strings, and your texts (--verify). The result lists the conditions under
which a text gets the same ids. A model that the format cannot express is refused."""

EPILOG = """\
examples:
  spm-lite convert m.model folder                  # for transformers
  spm-lite convert m.model --check --to tiktoken   # can it be done? writes nothing
  spm-lite convert gpt2.tiktoken m.model --name gpt2
  spm-lite convert folder m.model --verify corpus.txt --exact

Exit codes: 0 done, 1 a file is damaged or exists already, 2 wrong usage or a model that OUT cannot express."""

COMMON = {"to", "check", "verify", "allow", "overwrite", "name", "quiet"}
FOLDER = ("chat_template", "model_max_length", "padding_side")


def make_parser() -> CommandParser:
    parser = CommandParser("convert", "IN OUT [options]", DESCRIPTION, EPILOG, COMMON)
    parser.add_argument("--to", metavar="FORMAT", help="the format of OUT; 'list' writes the names of all formats")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="the format of IN")
    parser.add_argument("--check", action="store_true", help="compare and write nothing; OUT is not needed")
    parser.add_argument("--exact", action="store_true", help="refuse a conversion that is exact only under conditions")
    parser.add_argument(
        "--verify", action="append", type=file_name, metavar="FILE", help="compare the lines of this file or folder too"
    )
    parser.add_argument(
        "--allow", action="append", metavar="NAME", help="accept a difference, by the name in the error"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace existing files")
    parser.add_argument("--json", action="store_true", help="write the result as JSON, for programs")
    group = parser.add_argument_group("what IN does not hold")
    group.add_argument("--name", metavar="N", help="the tokenizer of a rank file: gpt2, cl100k_base, llama3 ...")
    group.add_argument("--pattern", type=utf8, metavar="P", help="the split pattern of a rank file, instead of a name")
    group.add_argument(
        "--special-token", action="append", type=utf8, metavar="T", help="a special token, with the next id"
    )
    group.add_argument(
        "--lowercase", action=BooleanOptionalAction, help="whether a vocab.txt is for text in lower case"
    )
    group.add_argument("--merges", type=file_name, metavar="FILE", help="the merges.txt of a vocab.json, if elsewhere")
    group.add_argument(
        "--vocabulary", type=file_name, metavar="FILE", help="the vocabulary that codes of subword-nmt are used with"
    )
    group.add_argument(
        "--vocabulary-threshold", type=whole_number, metavar="N", help="use only its pieces with this count or more"
    )
    group = parser.add_argument_group("folders for transformers")
    group.add_argument("--chat-template", type=file_name, metavar="FILE", help="the Jinja template of chats")
    group.add_argument(
        "--model-max-length", type=positive_int, metavar="N", help="the largest number of ids that the model reads"
    )
    group.add_argument("--padding-side", choices=("left", "right"), help="where padding goes")
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    from spm_lite.tokenizer.convert_files import convert, format_of_output
    from spm_lite.tokenizer.format_table import all_formats, format_named

    if options.to == "list":
        write_text(listed(list(all_formats().values()), width_of_output(is_terminal(sys.stdout))))
        return 0
    source, target = two_paths(options, files)
    if not options.check:
        others = (options.vocabulary, options.merges, options.chat_template, *(options.verify or ()))
        refuse_inputs([target], [source, *(path for path in others if path is not None)])
        if not (format_named(options.to) if options.to else format_of_output(target)).is_folder:
            check_target(target)  # now, not after the comparison
    result = convert(
        source, target, format=options.source, to=options.to, check=options.check, exact=options.exact,
        overwrite=options.overwrite, verify=Lines(options.verify or []), allow=options.allow or (),
        **options_of(options),
    )  # fmt: skip
    if options.json:
        write_text(safe_json(json.dumps(as_json(result, not options.check))) + "\n")
    elif not options.quiet:
        write_text(report(result, not options.check, width_of_output(is_terminal(sys.stdout))))
    return 0


def two_paths(options: Namespace, files: list[str]) -> tuple[str, str]:
    """(IN, OUT). With --check and --to, OUT may be left out."""
    if len(files) == 1 and options.check and options.to:
        files = [*files, ""]
    if len(files) != 2:
        source = files[0] if files else "m.model"
        more = f"; {files[2]!r:.60} is one too many" if len(files) > 2 else ""
        raise UsageError(
            f"convert takes two names, the file to read and the one to write{more}: write 'spm-lite convert {source} "
            f"folder', or 'spm-lite convert {source} --check --to tiktoken' to write nothing "
            "(see 'spm-lite convert --help')"
        )
    if "-" in files:
        raise UsageError("convert reads and writes files and folders, not standard input and output: name IN and OUT")
    return files[0], files[1]


def options_of(options: Namespace) -> dict[str, Any]:
    """What the options say about the two files."""
    from spm_lite.files.open_files import read_bytes

    names = ("name", "pattern", "lowercase", "merges", "vocabulary", "vocabulary_threshold", *FOLDER)
    found = {name: getattr(options, name) for name in names} | {"special_tokens": options.special_token}
    if options.chat_template is not None:
        found["chat_template"] = text_of(read_bytes(options.chat_template), options.chat_template)
    return found


def text_of(data: bytes, path: str) -> str:
    """The text of a file. Raises TextError if it is not UTF-8."""
    from spm_lite.errors import TextError

    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise TextError(f"{path} is not UTF-8: {error}") from None


class Lines:
    """The lines of files and folders, read anew for each comparison."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths

    def __iter__(self) -> Iterator[bytes]:
        from pathlib import Path

        for path in self.paths:
            if Path(path).is_dir():
                yield from texts_of_files(path)
                continue
            for part in read_files([path], Reading(newline="lf", keeps_bytes=True), CorpusFigures()):
                yield from split_block(part.documents)


def listed(formats: list[Format], width: int) -> str:
    """A line or more on each format."""
    size = max(len(entry.name) for entry in formats) + 2
    indent = " " * size
    rows = [f"{entry.name:<{size}}{wrapped(indent + about(entry), width, indent)[size:]}\n" for entry in formats]
    return "".join(rows)


def about(entry: Format) -> str:
    """What a format is, and whether it can only be read or only be written."""
    only = " (read only)" if entry.make is None else " (written only)" if entry.read is None else ""
    ending = "" if entry.is_folder else f"; {', '.join(entry.endings)}"
    return f"{entry.meaning}{ending}{only}"


def report(result: Converted, is_written: bool, width: int) -> str:
    """The result for people. Only a split pattern, which is there to be copied, is wider than `width` columns."""
    lines: list[str] = []
    for what, conversion in (("read", result.read), ("written" if is_written else "not written", result.written)):
        if conversion is not None:
            lines += (wrapped(visible(line), width, "    ") for line in conversion._lines(what))
    pattern = result.written.pattern
    if pattern is not None:
        lines.append(f"  split pattern to give with it: {visible(repr(pattern))}")
    return "".join(line + "\n" for line in lines)


def as_json(result: Converted, is_written: bool) -> dict[str, Any]:
    """The result for programs."""
    return {
        "exact": result.exact,
        "is_written": is_written,
        "read": None if result.read is None else conversion_as_json(result.read),
        "written": conversion_as_json(result.written),
    }


def conversion_as_json(conversion: Conversion) -> dict[str, Any]:
    """One comparison."""
    return {
        "path": conversion.path,
        "format": conversion.format,
        "exact": conversion.exact,
        "conditions": conversion.conditions,
        "compared": conversion.compared,
        "compared_with": conversion.compared_with,
        "n_differences": conversion.n_differences,
        "n_verified": conversion.n_verified,
        "n_verified_differences": conversion.n_verified_differences,
        "differences": [
            {"text": one.text, "ids": one.ids, "other_ids": one.other_ids, "cause": one.cause}
            for one in conversion.differences
        ],
        "pattern": conversion.pattern,
    }
