"""`spm-lite train --source`: several sources, their shares, and mistakes."""

import pytest

import spm_lite

SMALL = ("--vocab-size", "320", "--model-type", "bpe", "-o", "m")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "en.txt").write_text("the mill turns the wheel\n" * 30)
    (tmp_path / "de.txt").write_text("die Mühle dreht das Rad\n" * 5, encoding="utf-8")
    return tmp_path


def test_sources(run, folder):
    done = run(
        "train", "--source", "en=en.txt", "--source", "de=d*.txt", "--weight", "en=1", "--weight", "de=1", *SMALL,
        "--no-hard-vocab-limit",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"source en" in done.stderr
    assert b"source de" in done.stderr
    tok = spm_lite.train({"en": folder / "en.txt", "de": folder / "de.txt"}, weights={"en": 1, "de": 1}, vocab_size=320,
        model_type="bpe", hard_vocab_limit=False,
    )  # fmt: skip
    assert (folder / "m.model").read_bytes() == tok.to_bytes()


def test_unit_of_the_shares_and_least_occurrences(run, folder):
    done = run(
        "train", "--source", "en=en.txt", "--source", "de=de.txt", "--weight", "en=1", "--weight", "de=2",
        "--share-of", "characters", "--min-count", "3", *SMALL, "--no-hard-vocab-limit",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    tok = spm_lite.train({"en": folder / "en.txt", "de": folder / "de.txt"}, weights={"en": 1, "de": 2},
        share_of="characters", min_count=3, vocab_size=320, model_type="bpe", hard_vocab_limit=False,
    )  # fmt: skip
    assert (folder / "m.model").read_bytes() == tok.to_bytes()
    assert b"% of the characters (33.3% asked)" in done.stderr
    assert b"% of the characters (66.7% asked)" in done.stderr


def test_least_occurrences_of_one_text(run, folder):
    done = run("train", "en.txt", "de.txt", "--min-count", "7", *SMALL, "--no-hard-vocab-limit")
    assert done.returncode == 0, done.stderr
    paths = [folder / "en.txt", folder / "de.txt"]
    options = {"vocab_size": 320, "model_type": "bpe", "hard_vocab_limit": False}
    assert (folder / "m.model").read_bytes() == spm_lite.train(paths, min_count=7, **options).to_bytes()
    assert spm_lite.train(paths, min_count=7, **options) != spm_lite.train(paths, **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["en.txt", "--source", "de=de.txt"], b"both name text: write --source NAME=en.txt"),
        (["en.txt", "--temperature", "0.5"], b"--temperature is for several sources"),
        (["en.txt", "--share-of", "texts"], b"--share-of is for several sources"),
        (["en.txt", "--share-of", "bytes"], b"--share-of is for several sources"),
        (["--source", "de=de.txt", "--share-of", "lines"], b"lines"),
        (["en.txt", "--min-count", "0"], b"--min-count 0"),
        (["en.txt", "--min-frequency", "3"], b"--min-frequency"),
        (["--source", "de.txt"], b"'de.txt' is not of the form NAME=VALUE"),
        (["--source", "de=-"], b"not standard input"),
        (["--source", "de=de.txt", "--weight", "de=x"], b"'x' is not a number"),
        (["--source", "de=de.txt", "--weight", "de=1", "--weight", "de=2"], b"given twice"),
        (["--source", "de=de.txt", "--weight", "fr=2"], b"'de' has no weight"),
        (["--source", "de=no.txt"], b"no.txt"),
    ],
)
def test_mistakes(run, folder, arguments, message):
    done = run("train", *arguments, *SMALL)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert not (folder / "m.model").exists()
