"""What a command loads before it does its work: nothing that takes longer than the work."""

import subprocess
import sys

import pytest

LOADED = """
import sys
from spm_lite.cli.main import main
code = main(sys.argv[2:])
found = sorted(set(sys.argv[1].split(",")) & set(sys.modules))
print("loaded:", *found, file=sys.stderr)
sys.exit(code)
"""
HEAVY = "numpy,rich,pyarrow,dataclasses,inspect,csv,json,tempfile,logging"


@pytest.mark.parametrize(
    ("heavy", "command"),
    [
        (HEAVY + ",argparse,typing,pathlib,google.protobuf", ["--version"]),
        (HEAVY + ",argparse,typing,pathlib,google.protobuf", ["--help"]),
        (HEAVY + ",typing,pathlib,shlex,glob,google.protobuf", ["encode", "-m"]),
        ("numpy,rich,pyarrow,csv,tempfile", ["inspect"]),
    ],
)
def test_a_command_loads_little(bpe_model, heavy, command, tmp_path):
    takes_model = command[0] in ("encode", "inspect")
    arguments = [*command, *([str(bpe_model)] if takes_model else [])]
    run = subprocess.run(
        [sys.executable, "-c", LOADED, heavy, *arguments], cwd=tmp_path, input=b"a line\n", capture_output=True,
        check=True,
    )  # fmt: skip
    assert run.stderr.split() == [b"loaded:"], run.stderr
