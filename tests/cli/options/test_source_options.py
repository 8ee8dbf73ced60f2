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


FAIR = ["--balance", "tokens", "--parallel", "en=dev.en", "--parallel", "de=dev.de"]
SOURCES = ["--source", "en=en.txt", "--source", "de=de.txt"]


@pytest.fixture
def dev(folder):
    (folder / "dev.en").write_text("the mill\nthe wheel\n")
    (folder / "dev.de").write_text("die Mühle\ndas Rad dreht\n", encoding="utf-8")
    return folder


def test_sources_that_cost_alike(run, dev):
    done = run("train", *SOURCES, *FAIR, "--price", "0.1", *SMALL, "--no-hard-vocab-limit")
    assert done.returncode == 0, done.stderr
    tok = spm_lite.train(
        {"en": dev / "en.txt", "de": dev / "de.txt"}, balance="tokens", price=0.1, vocab_size=320, model_type="bpe",
        parallel={"en": dev / "dev.en", "de": dev / "dev.de"}, hard_vocab_limit=False,
    )  # fmt: skip
    assert (dev / "m.model").read_bytes() == tok.to_bytes()
    assert str(tok.report.balance) in done.stderr.decode()


def test_targets_and_parity(run, dev):
    targets = ["--balance", "tokens", "--target", "de=2", "--target-unit", "characters_per_token"]
    done = run("train", *SOURCES, *targets, *SMALL, "--no-hard-vocab-limit")
    assert done.returncode == 0, done.stderr
    assert b"ended by: the targets are reached" in done.stderr
    parity = ["--objective", "parity", *FAIR[2:], "--parity", "window=3", "--parity", "alpha=1.5"]
    done = run("train", *SOURCES, *parity, *SMALL, "--no-hard-vocab-limit")
    assert done.returncode == 0, done.stderr
    assert b"merges" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["en.txt", *FAIR], b"--balance is for several sources"),
        (["en.txt", "--target-unit", "bytes_per_token"], b"--target-unit is for several sources"),
        ([*SOURCES, *FAIR, "--weight", "en=1", "--weight", "de=2"], b"both decide"),
        ([*SOURCES, "--price", "0.1"], b"--price 0.1 is for a training that is fair"),
        ([*SOURCES, *FAIR, "--price", "-1"], b"--price -1.0: must be 0 or more"),
        ([*SOURCES, *FAIR, "--parallel", "fr=dev.de"], b"names 'fr', which is no source"),
        ([*SOURCES, *FAIR, "--parallel", "de=dev.en"], b"'en' has 2 and 'de' has 4"),
        ([*SOURCES, *FAIR[:4]], b"--parallel has one language"),
        ([*SOURCES, *FAIR[:4], "--parallel", "de=-"], b"a dev text is a file, not standard input"),
        ([*SOURCES, *FAIR, "--target", "de=x"], b"--target de=x: 'x' is not a number"),
        ([*SOURCES, *FAIR, "--parity", "window=1", "--parity", "window=2"], b"--parity window is given twice"),
        ([*SOURCES, "--balance", "bytes"], b"bytes"),
    ],
)
def test_mistakes_in_fairness(run, dev, arguments, message):
    done = run("train", *arguments, *SMALL, "--no-hard-vocab-limit")
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert not (dev / "m.model").exists()


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
