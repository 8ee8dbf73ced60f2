"""spm_normalize: each line in its normalized form; or the rules as a table."""

from __future__ import annotations

import sys

from spm_lite.cli.outputs import open_output
from spm_lite.errors import OptionError
from spm_lite.normalize.rules.named_rules import format_rules
from spm_lite.sentencepiece.programs.flags import Arguments, Flag
from spm_lite.sentencepiece.programs.lines import convert_lines
from spm_lite.sentencepiece.programs.program import Program, run_program
from spm_lite.sentencepiece.standalone_normalizer import SentencePieceNormalizer

FLAGS = (
    Flag("model", "", "use the rules of this model file"),
    Flag("normalization_rule_tsv", "", "use the rules of this table, if no model is given"),
    Flag("normalization_rule_name", "", "use the rules of this name, if neither model nor table is given"),
    Flag("use_internal_normalization", False, "with the model's own settings for spaces, as before encoding"),
    Flag("remove_extra_whitespaces", True, "remove spaces at both ends and all but one between words"),
    Flag("decompile", False, "write the rules as a table, and read no text"),
    Flag("input", "", "the file to normalize; empty: the files named without a flag, or standard input"),
    Flag("output", "", "the file to write; empty: standard output"),
)


def work(arguments: Arguments) -> None:
    """Normalize all lines, or write the rules."""
    values = arguments.values
    sources = {
        "model_file": values["model"],
        "rule_tsv": values["normalization_rule_tsv"],
        "rule_name": values["normalization_rule_name"],
    }
    source = next((name for name, value in sources.items() if value), None)
    if source is None:
        raise OptionError("--model, --normalization_rule_tsv and --normalization_rule_name are missing: give one")
    flags = {
        "add_dummy_prefix": False,
        "escape_whitespaces": False,
        "remove_extra_whitespaces": values["remove_extra_whitespaces"],
    }
    normalizer = SentencePieceNormalizer(
        **{source: sources[source]}, **({} if values["use_internal_normalization"] else flags)
    )
    if values["decompile"]:
        rules = format_rules(normalizer.decompile()).encode()
        with open_output(values["output"] or None) as out:
            out.write(rules)
    else:
        convert_lines(arguments, normalizer.normalize)


PROGRAM = Program("spm_normalize", "Write the lines of text files in their normalized form.", FLAGS, work)


def main(argv: list[str] | None = None) -> int:
    """Run spm_normalize; return its exit code."""
    return run_program(PROGRAM, argv)


if __name__ == "__main__":
    sys.exit(main())
