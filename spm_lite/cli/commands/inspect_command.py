"""`spm-lite inspect`: shows what a model file holds, and what its decoding loses."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from spm_lite.cli.console import write_text
from spm_lite.cli.options.parsing import CommandParser, add_common, add_model, load_model, one_model
from spm_lite.cli.tables import fitted_rows
from spm_lite.printable import safe_json

if TYPE_CHECKING:
    from argparse import Namespace

DESCRIPTION = """\
Show what a model holds: type, pieces, special ids, rules, flags, and which text decoding would lose."""


def make_parser() -> CommandParser:
    parser = CommandParser("inspect", "MODEL [options]", DESCRIPTION)
    add_model(parser)
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    model = one_model(options, files, "inspect")

    from spm_lite.evaluation.inspection import inspect

    inspection = inspect(load_model(options, model))
    write_text(
        safe_json(json.dumps(inspection.to_dict(), indent=2))
        if options.json
        else fitted_rows(str(inspection), 14, sys.stdout)
    )
    write_text("\n")
    return 0
