"""Runs the blocks of a page of the documentation, in their order and in the current folder.

    python tests/whole/run_page.py PAGE [PARTNER]...

Blocks of `python` share one namespace. Blocks of `sh` run in bash, with this package's commands. A block of `output` is
what the block of Python before it writes. Blocks of `python PARTNER` run only if the partner is named, since they need
its package. A block after `<!-- skip: next -->` is not run.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest import SkipTest

from sybil import Example, Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser, SkipParser

PROGRAMS = ("decode", "encode", "export_vocab", "normalize", "train")
OUTPUT = "written so far"
FUNCTIONS = f"""set -eu
set -a  # a later block of the page has the variables, too
if [ -e .variables ]; then . ./.variables; fi
spm-lite() {{ '{sys.executable}' -m spm_lite "$@"; }}
""" + "".join(
    f"""spm_{name}() {{ '{sys.executable}' -c \
'import sys; from spm_lite.sentencepiece.programs.{name} import main; sys.exit(main())' "$@"; }}
"""
    for name in PROGRAMS
)

run_python = PythonEvaluator()


def python(example: Example) -> None:
    """Run a block of Python, and keep what it writes."""
    with contextlib.redirect_stdout(io.StringIO()) as written:
        run_python(example)
    example.namespace[OUTPUT] = written.getvalue()


def shell(example: Example) -> None:
    """Run a block of commands; any that fails is an error."""
    program = f"{FUNCTIONS}{example.parsed}\nexport -p >.variables"
    done = subprocess.run(["bash", "-c", program], stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise AssertionError(f"{example.path}, line {example.line}: exit code {done.returncode}")


def output(example: Example) -> None:
    """Compare a block with what the block of Python before it has written; spaces at ends of lines do not count."""
    expected, found = ([line.rstrip() for line in text.splitlines()] for text in (
        example.parsed, example.namespace.get(OUTPUT, ""),
    ))  # fmt: skip
    if expected != found:
        shown = "\n".join(found)
        raise AssertionError(f"{example.path}, line {example.line}: the output is now\n{shown}")


def run(page: Path, partners: list[str]) -> None:
    """Run all blocks of a page."""
    parsers = [CodeBlockParser(name, python) for name in ("python", *(f"python {partner}" for partner in partners))]
    parsers += [CodeBlockParser("sh", shell), CodeBlockParser("output", output), SkipParser()]
    for example in Sybil(parsers).parse(page).examples():
        with contextlib.suppress(SkipTest):
            example.evaluate()


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    os.environ["COLUMNS"] = "80"
    run(Path(sys.argv[1]), sys.argv[2:])
