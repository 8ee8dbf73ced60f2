"""The commands of spm-lite: names, one line on each, their parsers. The command `x` is the module `commands.x_command`.

This module loads nothing that takes time, so that the version and the help come at once.
"""

from __future__ import annotations

import importlib

from spm_lite._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

PROGRAM = "spm-lite"


class UsageError(Exception):
    """The command line itself is wrong; exit code 2."""


COMMANDS = {  # in the order of the help
    "train": "learn a tokenizer from text",
    "encode": "turn text into ids or pieces, line by line",
    "decode": "turn ids or pieces back into text",
    "normalize": "write text as the model sees it",
    "convert": "turn a model into files of other programs, and back",
    "count": "count the tokens of files",
    "edit": "change a vocabulary: extend, prune, replace, merge, rename",
    "inspect": "show what a model file holds and what it loses",
    "vocab": "list the pieces of a model by id",
    "show": "show a text in pieces with their ids",
    "explain": "show why a text is cut into its pieces, step by step",
    "play": "open a page to type texts and see their pieces",
    "compare": "compare two models on a text",
    "lock": "write down what a tokenizer does, in digests",
    "check": "find what another tokenizer, file or program does otherwise than a lock",
    "audit": "judge tokenizers: figures, faults, and which one is better",
    "sweep": "learn many vocabulary sizes at once, and compare them",
    "bench": "measure how fast a model encodes a text",
    "shards": "turn files into shards of ids, on one machine or many",
    "demo": "train two small tokenizers and show what they do",
    "completion": "write completions for bash, zsh or fish",
    "help": "show the help of a command",
}

HELP = f"""usage: {PROGRAM} COMMAND [options]

Train a subword tokenizer on raw text in any script, and turn text into ids and back without loss.

commands:
{"".join(f"  {name:<12}{meaning}" + chr(10) for name, meaning in COMMANDS.items())}
options:
  -V, --version  show the version and exit
  -h, --help     show this help and exit; '{PROGRAM} COMMAND -h' explains a command

Start with '{PROGRAM} demo', or on your own text:
  {PROGRAM} train corpus.txt --vocab-size 8k -o m
  {PROGRAM} encode m.model < text.txt > ids.txt
  {PROGRAM} decode m.model < ids.txt
"""


def module_of(command: str) -> Any:
    """The module of a command: `make_parser()`, and `run(options, files)`, which returns the exit code."""
    return importlib.import_module(f"spm_lite.cli.commands.{command}_command")
