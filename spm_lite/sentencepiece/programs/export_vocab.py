"""spm_export_vocab: the pieces of a model with their scores or ids."""

from __future__ import annotations

import sys

from spm_lite.cli.outputs import open_output
from spm_lite.errors import OptionError
from spm_lite.sentencepiece.programs.flags import Arguments, Flag
from spm_lite.sentencepiece.programs.lines import load_model
from spm_lite.sentencepiece.programs.program import Program, required, run_program
from spm_lite.vocab.vocab_file import unescaped_lines

FLAGS = (
    Flag("model", "", "the model file; required"),
    Flag("output", "", "the file to write; empty: standard output"),
    Flag("output_format", "vocab", "vocab: piece TAB score; syms: piece TAB id"),
)


def work(arguments: Arguments) -> None:
    """Write the pieces in the order of their ids."""
    values = arguments.values
    required(arguments, "model")
    if values["output_format"] not in ("vocab", "syms"):
        raise OptionError(f"Unsupported output format: {values['output_format']:.80}. The formats are vocab and syms")
    vocab = load_model(values["model"])._loaded()._file.vocab
    lines = unescaped_lines(vocab)
    if values["output_format"] == "syms":
        lines = (b"%s\t%d\n" % (vocab.text(piece_id), piece_id) for piece_id in range(len(vocab)))
    with open_output(values["output"] or None) as out:
        out.writelines(lines)


PROGRAM = Program("spm_export_vocab", "List the pieces of a model.", FLAGS, work)


def main(argv: list[str] | None = None) -> int:
    """Run spm_export_vocab; return its exit code."""
    return run_program(PROGRAM, argv)


if __name__ == "__main__":
    sys.exit(main())
