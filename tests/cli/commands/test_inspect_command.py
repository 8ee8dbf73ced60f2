"""`spm-lite inspect`."""

import json

import pytest


def test_text(run, model):
    result = run("inspect", model)
    assert result.returncode == 0 and result.stderr == b""
    text = result.stdout.decode()
    assert "1,800 pieces" in text and "256 byte" in text and "lossless      yes" in text


def test_json(run, model):
    found = json.loads(run("inspect", "--json", model).stdout)
    assert found["vocab_size"] == 1800 and found["lossless"] and found["losses"] == {}
    assert found["special_ids"]["unk"] == [0, "<unk>"]


@pytest.mark.slow
def test_lossy(run, corpus, tmp_path):
    prefix = tmp_path / "lossy"
    options = ["--vocab-size", "1400", "--model-prefix", prefix, "--normalization", "nmt_nfkc", "--quiet"]
    assert run("train", corpus, *options).returncode == 0
    text = run("inspect", f"{prefix}.model").stdout.decode()
    assert "lossless      no; for example, it loses:" in text
    assert "normalization (rewritten by the rules of the model): 'ﬁ' (U+FB01) became 'fi'" in text


@pytest.mark.slow
def test_strict(run, corpus, tmp_path):
    prefix = tmp_path / "strict"
    options = ["--vocab-size", "1400", "--model-prefix", prefix, "--quiet"]
    assert run("train", corpus, *options, "--strict-lossless").returncode == 0
    assert "sentencepiece's encoder too" in run("inspect", f"{prefix}.model").stdout.decode()
    result = run("train", corpus, *options, "--strict-lossless", "--no-lossless")
    assert result.returncode == 2 and b"contradict each other" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "no model is named"),
        (["a", "b"], 2, "takes one model, a, and 'b' is named too"),
        (["--jsn", "a"], 2, "did you mean --json?"),
        (["missing.model"], 1, "missing.model"),
    ],
)
def test_mistakes(run, arguments, code, words):
    result = run("inspect", *arguments)
    assert result.returncode == code and result.stdout == b""
    assert words in result.stderr.decode() and result.stderr.count(b"\n") == 1
