"""`python -m spm_lite.transformers SCRIPT ...` runs a script whose tokenizers our engine accelerates."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from spm_lite.transformers.patching import patch

USAGE = """\
usage: python -m spm_lite.transformers [-m] SCRIPT ...

Run a script, or with -m a module, with its own arguments. Every tokenizer of
AutoTokenizer.from_pretrained in it is accelerated, as by spm_lite.transformers.patch().
Processes that the script starts by spawn load their own tokenizers without it:
call patch() in the script for these.
"""


def main(arguments: list[str]) -> int:
    """Run the script that the arguments name."""
    is_module = arguments[:1] == ["-m"]
    rest = arguments[1:] if is_module else arguments
    if not rest or rest[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0 if rest else 2
    if not is_module and not Path(rest[0]).is_file():
        advice = "is not a file: give a script, or -m MODULE"
        print(f"python -m spm_lite.transformers: {rest[0]!r:.200} {advice}", file=sys.stderr)
        return 2
    patch()
    sys.argv = rest
    if is_module:
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = str(Path(rest[0]).resolve().parent)
        runpy.run_path(str(Path(rest[0]).absolute()), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
