"""`spm-lite sweep`: the table, the models, and mistakes."""

import json

import pytest

import spm_lite


def test_table_models_and_json(run, corpus, tmp_path):
    done = run("sweep", corpus, "--sizes", "1400,1.5k", "--model-type", "bpe", "--save", "m", "--quiet")
    assert done.returncode == 0, done.stderr
    assert b"bytes/token" in done.stdout
    tok = spm_lite.train(corpus, vocab_size=1400, model_type="bpe")
    assert (tmp_path / "m-1400.model").read_bytes() == tok.to_bytes()
    assert (tmp_path / "m-1500.vocab").exists()
    done = run("sweep", corpus, "--sizes", "1400", "--model-type", "bpe", "--json", "--text", corpus, "-q")
    row = json.loads(done.stdout)["sizes"][0]
    assert row["tokens"] == int(tok.count_batch(corpus.read_text(encoding="utf-8").splitlines()).sum())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["c.txt"], b"--sizes must be given"),
        (["--sizes", "300"], b"the text to learn from must be given"),
        (["c.txt", "--sizes", "a"], b"commas between"),
        (["c.txt", "--sizes", "300", "--vocab-size", "3"], b"unknown option --vocab-size: write --sizes 3"),
        (["-", "--sizes", "300"], b"more than once"),
        (["no.txt", "--sizes", "300"], b"no.txt"),
        (["c.txt", "--sizes", "9000", "--model-type", "bpe"], b"too high"),
    ],
)
def test_mistakes(run, tmp_path, arguments, message):
    (tmp_path / "c.txt").write_text("some text\n" * 9)
    done = run("sweep", *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr
