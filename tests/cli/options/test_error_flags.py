"""Errors name options as they are typed, and only those that the command has."""

import re

import pytest

from spm_lite.cli.command_names import module_of
from spm_lite.cli.main import main
from spm_lite.cli.options.other_flags import with_flags

COLUMN = "there is no column 'text'. Name it with column='NAME', or read the file as it is with input_format='text'"


@pytest.mark.parametrize(
    ("message", "flags", "shown"),
    [
        (COLUMN, ["--column", "--as-text"], "--column NAME, or read the file as it is with --as-text"),
        (COLUMN, ["--column"], "Name it with --column NAME"),
        (COLUMN, ["--column", "--input-format"], "or read the file as it is with --input-format text"),
        ("dtype 'int32' is not known, which format='bin' has", ["--dtype", "--output-format"],
         "--dtype 'int32' is not known, which --output-format bin has"),
        ("byte_fallback=False loses it", ["--byte-fallback", "--no-byte-fallback"], "--no-byte-fallback loses it"),
        ("text 1 of the batch is NoneType", ["--text"], "text 1 of the batch is NoneType"),
        ("the file 'shard_size' is empty", ["--shard-size"], "the file 'shard_size' is empty"),
        ("shard_size 0 is below 1", ["--shard-size"], "--shard-size 0 is below 1"),
        ("a=1 and seed=2", ["--seed"], "a=1 and --seed 2"),
        ("pass parallel, or leave out reference", [], "pass parallel, or leave out reference"),
    ],
)  # fmt: skip
def test_options_are_shown_as_typed(message, flags, shown):
    assert with_flags(message, flags).endswith(shown)


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "t.csv", "--model-prefix", "m"],
        ["sweep", "t.csv", "--sizes", "300"],
        ["sweep", "lines.txt", "--sizes", "300", "--text", "t.csv"],
        ["sweep", "lines.txt", "--sizes", "12"],
        ["sweep", "lines.txt", "--sizes", "300", "--vocab-size", "5", "--input-format", "tsv"],
        ["count", "-m", "MODEL", "t.csv"],
        ["encode", "-m", "MODEL", "t.csv"],
        ["encode", "-m", "MODEL", "t.csv", "--output-format", "bin", "-o", "x.bin"],
        ["encode", "-m", "MODEL", "lines.txt", "--output-format", "bin", "-o", "x.bin", "--dtype", "int32"],
        ["normalize", "-m", "MODEL", "t.csv"],
        ["compare", "MODEL", "MODEL", "t.csv"],
        ["bench", "MODEL", "t.csv"],
        ["audit", "MODEL", "--text", "a=t.csv"],
        ["audit", "MODEL", "--text", "a=lines.txt", "--reference", "a"],
        ["audit", "MODEL", "--parallel", "a=lines.txt"],
    ],
)
def test_an_error_names_no_option_of_another_command(bpe_model, arguments, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("id,body\n1,a text\n")
    (tmp_path / "lines.txt").write_text("some words and some more words\nand others\n" * 3)
    assert main([str(bpe_model) if part == "MODEL" else part for part in arguments]) in (1, 2)
    shown = re.sub(r"unknown option \S+", "", capfd.readouterr().err)
    named = set(re.findall(r"(?<![-\w])--[a-z][-a-z]*", shown)) - {"--help"}
    assert named, shown
    assert named <= set(module_of(arguments[0]).make_parser().flags), shown
