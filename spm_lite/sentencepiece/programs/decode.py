"""spm_decode: each line of pieces or ids becomes text."""

from __future__ import annotations

import re
import sys

from spm_lite.errors import OptionError
from spm_lite.sentencepiece.processing.processor import SentencePieceProcessor
from spm_lite.sentencepiece.programs.flags import INT32, Arguments, Flag
from spm_lite.sentencepiece.programs.lines import Convert, convert_lines, load_model
from spm_lite.sentencepiece.programs.program import Program, required, run_program

FLAGS = (
    Flag("model", "", "the model file; required"),
    Flag("input", "", "the file to decode; empty: the files named without a flag, or standard input"),
    Flag("output", "", "the file to write; empty: standard output"),
    Flag("input_format", "piece", "what the lines hold: piece or id"),
    Flag("output_format", "string", "string is the only one"),
    Flag("extra_options", "", "bos, eos, reverse, unk, joined by ':' and applied in this order before decoding"),
)
INTEGER = re.compile(rb"\s*[+-]?[0-9]{1,20}\s*")


def work(arguments: Arguments) -> None:
    """Decode all lines."""
    values = arguments.values
    required(arguments, "model")
    if values["input_format"] not in ("piece", "id"):
        raise OptionError(f"Unknown input format: {values['input_format']:.80}. The formats are piece and id")
    if values["output_format"] != "string":
        raise OptionError(f"Unknown output format: {values['output_format']:.80}. The only one is string")
    processor = load_model(values["model"])
    processor.SetDecodeExtraOptions(values["extra_options"])
    convert_lines(arguments, converter(processor, values["input_format"] == "id"))


def converter(processor: SentencePieceProcessor, from_ids: bool) -> Convert:
    """The function from lines of pieces or ids to lines of text."""

    def of_ids(lines: list[bytes]) -> list[bytes]:
        texts: list[str] = processor.Decode([ids_of(line) for line in lines])
        return [text.encode() for text in texts]

    def of_pieces(lines: list[bytes]) -> list[bytes]:
        return [processor.Decode(line.split(b" ")) for line in lines]

    return of_ids if from_ids else of_pieces


def ids_of(line: bytes) -> list[int]:
    """The ids of a line; anything but an integer is left out.

    >>> ids_of(b"12 x 7  3")
    [12, 7, 3]
    """
    tokens = line.split(b" ")
    if line.translate(None, b"0123456789 ") or b"" in tokens or len(max(tokens, key=len)) > 9:
        numbers = (int(token) for token in tokens if INTEGER.fullmatch(token))
        return [number for number in numbers if INT32[0] <= number <= INT32[1]]
    return list(map(int, tokens))


PROGRAM = Program("spm_decode", "Turn lines of pieces or ids back into text.", FLAGS, work)


def main(argv: list[str] | None = None) -> int:
    """Run spm_decode; return its exit code."""
    return run_program(PROGRAM, argv)


if __name__ == "__main__":
    sys.exit(main())
