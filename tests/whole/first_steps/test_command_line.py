"""What people type at first: short options, help, files of other formats, and mistakes."""

import json
import re

import pytest
from oracle import extras

import spm_lite

PACKED = {
    "en.txt.gz": [],
    "en.txt.zst": [],
    "text.parquet": [],
    "en.jsonl": [],
    "en.csv": [],
    "body.jsonl": ["--column", "body"],
}
COMMANDS = ["train", "encode", "decode", "normalize", "count", "inspect", "vocab", "show", "compare", "bench"]
COMMANDS += ["demo", "completion", "help"]


@pytest.mark.parametrize("name", PACKED)
def test_encode_files_of_every_kind(shell, files, model, name):
    if not (files / name).exists():
        pytest.skip("the package that writes it is not installed")
    plain = shell("encode", "-m", model, files / "en.txt").out
    made = shell("encode", "-m", model, files / name, *PACKED[name])
    assert (made.code, made.out) == (0, plain)


def test_the_help_of_a_command(shell):
    assert shell("help", "train").out == shell("train", "--help").out
    short = shell("train", "-h").out.decode()
    assert short.count("\n  -") < 15 < shell("train", "--help").out.decode().count("\n  -")


def test_without_a_command(shell):
    made = shell()
    assert made.code == 2
    assert re.search(r"\n  train +learn a tokenizer from text\n", made.out.decode() + made.err)


def test_every_command_is_there(shell):
    listed = shell("--help").out.decode()
    assert [name for name in COMMANDS if f"\n  {name} " not in listed] == []


def test_short_options(shell, files, tmp_path):
    assert shell("-V").out.decode() == f"spm-lite {spm_lite.__version__}\n"
    assert shell("train", files / "en.txt", "--vocab-size", "1800", "-o", "a", "-q", "-j", "2").code == 0
    made = shell("encode", "-m", "a.model", "-j", "1", "-q", "-o", "ids", files / "en.txt")
    assert (made.code, made.out, made.err) == (0, b"", "")
    assert (tmp_path / "ids").read_bytes() == shell("encode", "--model", "a.model", files / "en.txt").out


@pytest.mark.dev
@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion(shell, shell_name):
    extras.need("shtab")
    made = shell("completion", shell_name)
    assert made.code == 0 and b"train" in made.out


@pytest.mark.parametrize(("value", "code"), [("=true", 0), ("=false", 0), ("", 0), ("=maybe", 2)])
def test_yes_and_no(shell, files, value, code):
    made = shell("train", files / "en.txt", "--vocab-size", "1800", "-o", "m", "-q", f"--split-digits{value}")
    assert made.code == code
    if code:
        assert (
            "--split-digits is a number, or is true or false; write --split-digits or --split-digits=false" in made.err
        )


def test_an_output_among_the_inputs(shell, files, model, tmp_path):
    (tmp_path / "en.txt").write_bytes((files / "en.txt").read_bytes())
    made = shell("encode", "-m", model, "en.txt", "--output", "en.txt", "--output-format", "bin")
    assert made.code == 2
    assert "en.txt would replace the input en.txt; choose another name for the output" in made.err
    assert (tmp_path / "en.txt").read_bytes() == (files / "en.txt").read_bytes()


def test_a_contradiction_says_what_to_leave_out(shell, files):
    made = shell("train", files / "en.txt", "--vocab-size", "1800", "-o", "m", "--lossless", "--normalization", "nfkc")
    assert made.code == 2
    assert "--lossless contradicts --normalization (nfkc). Leave out one of the two" in made.err


@pytest.mark.parametrize("command", ["train", "encode", "count", "show"])
def test_one_wording_for_a_missing_file(shell, model, command):
    options = [] if command == "train" else ["-m", model]
    made = shell(command, *options, "nothere.txt", *(["--vocab-size", "300", "-o", "m"] if not options else []))
    if command == "show":  # its arguments are texts
        assert made.code == 0
    else:
        assert made.code == 1
        assert made.err == "spm-lite: error: cannot read nothere.txt: No such file or directory\n"


@pytest.mark.parametrize("command", ["encode", "count", "inspect", "vocab", "show", "compare"])
def test_json(shell, files, model, command):
    what = {"encode": [files / "en.txt"], "count": [files / "en.txt"], "show": ["a text"]}.get(command, [])
    models = [model, model, files / "en.txt"] if command == "compare" else [model]
    made = shell(command, *models if command in ("inspect", "vocab", "compare") else ("-m", model), *what, "--json")
    assert made.code == 0, made.err
    texts = made.out.splitlines() if command in ("encode", "show") else [made.out]
    assert all(map(json.loads, texts))
