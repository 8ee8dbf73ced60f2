"""Help fits the terminal. docs/reference/commands.md is the snapshot of all of it at 100 columns."""

import sys
from pathlib import Path

import pytest
from oracle.snapshots import check_snapshot

from spm_lite.cli.command_names import COMMANDS, PROGRAM
from spm_lite.cli.console import fitted
from spm_lite.cli.main import main

SNAPSHOTS = Path(__file__).parent / "snapshots"
LAYOUT_OF_OPTIONS = sys.version_info < (3, 13)  # later versions of argparse name the value of an option once


def help_output(capfd, monkeypatch, columns, *arguments):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    assert main([*arguments]) in (0, 2 * (not arguments))
    return capfd.readouterr().out


@pytest.mark.skipif(not LAYOUT_OF_OPTIONS, reason="the snapshots are of argparse before Python 3.13")
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_snapshots_of_widths(capfd, monkeypatch, columns):
    text = help_output(capfd, monkeypatch, columns) + help_output(capfd, monkeypatch, columns, "train", "-h")
    check_snapshot(SNAPSHOTS / f"help-{columns}.txt", text)


@pytest.mark.parametrize("columns", [40, 60, 200])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_lines_fit(capfd, monkeypatch, command, columns):
    """Except commands to copy, and the names of an option and of its values."""
    text = help_output(capfd, monkeypatch, columns, *([command, "--help"] if command else []))
    long = [line for line in text.splitlines() if len(line) > columns]
    assert [line for line in long if PROGRAM not in line and not line.startswith("  -")] == []


def test_paragraphs_rows_and_commands():
    text = "one two\nthree\n\n  name   what it\n  spm-lite -x | long\nlast"
    assert fitted(text, 80) == text
    assert fitted(text, 6).split("\n")[:2] == ["one two three", ""]
    assert fitted(text, 26) == text
    assert fitted("  name  what it means to all", 20) == "  name  what it\n        means to all"
    assert fitted("  a long name  what it means", 20) == "  a long name\n      what it means"
