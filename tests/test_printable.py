"""Names and texts from outside never reach a terminal as commands: in errors, on standard error, in listings."""

import json
import subprocess
import sys

import pytest

import spm_lite
from spm_lite.errors import FileError, MissingFileError, ModelError, OptionError
from spm_lite.printable import safe_json, visible

HOSTILE = "\x1b[31mred\x07\x9b1m\u202eabc\u2028\x7f"


def is_safe(text, but=""):
    return not any(char in text for char in "\x1b\x07\x9b\u202e\u2028\x7f\r" if char not in but)


@pytest.mark.parametrize("kind", [ModelError, OptionError, FileError])
def test_errors(kind):
    assert is_safe(str(kind(f"{HOSTILE}: wrong")))
    assert "red" in str(kind(f"{HOSTILE}: wrong"))
    assert str(kind("plain ▁é日\nsecond line")) == "plain ▁é日\nsecond line"


def test_an_error_with_a_number_and_a_name():
    error = MissingFileError(2, "cannot be read", f"/tmp/{HOSTILE}")
    assert is_safe(str(error))
    assert str(error).startswith("[Errno 2]")


def test_visible():
    assert visible("a▁é") == "a▁é"
    assert visible("a\x1bb\ud800\n", but="\n") == "a\\x1bb\\ud800\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["train", HOSTILE, "--vocab-size", "300", "--model-prefix", "x"],
        ["encode", "--model", HOSTILE],
        ["inspect", HOSTILE],
        ["vocab", HOSTILE],
        ["decode", "--model", HOSTILE],
        [HOSTILE],
        ["train", f"--{HOSTILE}"],
        ["train", "x", "--normalization", HOSTILE],
        ["train", "x", "--vocab-size", HOSTILE],
        ["train", "x", "--user-defined-symbols", f"a{HOSTILE}", "--model-prefix", "x"],
    ],
)
def test_messages_of_the_command_line(arguments, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "spm_lite", *arguments], cwd=tmp_path, capture_output=True, timeout=300
    )
    assert done.returncode
    assert is_safe(done.stderr.decode("utf-8", "surrogateescape"))
    assert done.stderr


@pytest.mark.slow
def test_listings_of_a_hostile_model(tmp_path):
    symbols = ["\x1b[31m", "\x9b2J", "\u202e!", "\u2028"]
    tok = spm_lite.train(
        [f"a b {HOSTILE} c"] * 9, vocab_size=300, hard_vocab_limit=False, user_defined_symbols=symbols, model_type="bpe"
    )
    tok.save(tmp_path / "m.model", vocab=True)
    assert is_safe(str(tok.report))
    (tmp_path / "text").write_text(f"a {HOSTILE}\n", encoding="utf-8")
    for arguments in (
        ["inspect", "m.model"],
        ["vocab", "m.model"],
        ["vocab", "m.model", "--json"],
        ["encode", "--model", "m.model", "--output-format", "piece", "text"],
    ):
        done = subprocess.run([sys.executable, "-m", "spm_lite", *arguments], cwd=tmp_path, capture_output=True)
        assert done.returncode == 0
        # Marks of direction belong to some scripts: in data, they are text.
        assert is_safe(done.stdout.decode(), but="\u202e" if arguments[0] == "encode" else "")
    assert is_safe((tmp_path / "m.vocab").read_text(encoding="utf-8"), but="\u202e")


@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_json_says_the_same(ensure_ascii):
    value = {HOSTILE: [HOSTILE, "\ud800", "▁é日🌍"]}
    found = safe_json(json.dumps(value, ensure_ascii=ensure_ascii, indent=1))
    assert is_safe(found)
    assert json.loads(found) == value


def test_an_audit(tmp_path):
    pytest.importorskip("rich")
    tok = spm_lite.train(["a b"] * 9, vocab_size=270, hard_vocab_limit=False, user_defined_symbols=["b"])
    other = spm_lite.train(["ab"] * 9, vocab_size=280, hard_vocab_limit=False, model_type="char")
    found = spm_lite.audit({HOSTILE: tok, f"other{HOSTILE}": other}, {HOSTILE: ["a b c", "b a"] * 60})
    assert found.verdicts
    assert found.faults
    for text in (repr(found), str(found), found.to_json(), found.to_html(), *map(str, found.verdicts + found.faults)):
        assert is_safe(text)
    assert all("red" in text for text in (repr(found), str(found), found.to_json(), str(found.verdicts[0])))
    assert spm_lite.Audit.load(write(tmp_path / "a.json", found)).to_dict() == found.to_dict()


def write(path, audit):
    audit.to_json(path)
    return path
