"""`spm-lite lock` and `spm-lite check`: exit codes, reports at several widths, JSON."""

import json

import pytest
from rich.cells import cell_len

import spm_lite
from spm_lite.cli.commands.check_command import report
from spm_lite.cli.main import main

TEXTS = ["the cat sat on the mat", "an old miller", "\x1b[2J \u202ehidden"] * 20


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A model, a smaller one, texts and a lock, in the current folder."""
    monkeypatch.chdir(tmp_path)
    tok = spm_lite.train(TEXTS, model_type="bpe", vocab_size=300, hard_vocab_limit=False)
    tok.save("m.model")
    tok.with_vocab_size(len(tok) - 9).save("other.model")
    (tmp_path / "text.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    assert main(["lock", "m.model", "--text", "text.txt", "-o", "tok.lock"]) == 0
    return tmp_path


def test_exit_codes(files, capfd):
    assert main(["lock", "m.model", "--text", "text.txt", "-o", "tok.lock"]) == 0
    assert "tok.lock: a lock of a bpe model" in capfd.readouterr().err
    assert main(["check", "tok.lock", "m.model", "--text", "text.txt"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("m.model: the same") and "60 texts of yours: all the same" in out
    assert main(["check", "tok.lock", "other.model"]) == 1
    assert "cause: vocabulary" in capfd.readouterr().out
    assert main(["check", "tok.lock", "m.model", "-q"]) == 0
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tok.lock"], "LOCK and OTHER expected"),
        (["m.model", "m.model"], "m.model is not a lock"),
        (["none.lock", "m.model"], "none.lock"),
        (["tok.lock", "none.model"], "none.model"),
        (["tok.lock", "text.txt"], "text.txt"),
        (["tok.lock", "m.model", "--text", "m.model"], "name a file of text"),
        (["tok.lock", "m.model", "--with", "tiktoken"], "--with tiktoken reads"),
        (["tok.lock", "m.model", "--with", "x"], "is one of transformers, tokenizers"),
    ],
)
def test_wrong_usage_and_files_that_cannot_be_read(files, capfd, arguments, message):
    assert main(["check", *arguments]) == 2
    assert message in capfd.readouterr().err


def test_lock_refuses(files, capfd):
    assert main(["lock", "-o", "x.lock"]) == 2
    assert main(["lock", "m.model", "-o", "m.model"]) == 2
    assert main(["lock", "none.model", "-o", "x.lock"]) == 1
    assert main(["lock", "m.model", "-o", "no/x.lock"]) == 1
    assert not (files / "x.lock").exists()
    capfd.readouterr()
    assert main(["lock", "m.model"]) == 0
    assert json.loads(capfd.readouterr().out)["spm_lite_lock"] == 1


def test_json(files, capfd):
    assert main(["check", "tok.lock", "other.model", "--json"]) == 1
    text = capfd.readouterr().out
    assert "\x1b" not in text
    found = json.loads(text)
    assert found["same"] is False and found["differ"]["hard"] > 0
    assert found["differences"][0].keys() >= {
        "suite",
        "number",
        "text",
        "ids",
        "other_ids",
        "first",
        "cause",
        "is_known",
    }


@pytest.mark.parametrize("width", [40, 80])
def test_lines_fit(files, width):
    found = spm_lite.Lock.load("tok.lock").check("other.model", texts=TEXTS)
    lines = report(found, width).split("\n")
    assert all(cell_len(line) <= width for line in lines)
    assert "\x1b" not in "".join(lines)
