"""`spm-lite sweep`: the table, the models, and mistakes."""

import json
from pathlib import Path

import numpy as np
import pytest
from oracle.snapshots import check_snapshot

import spm_lite
from spm_lite.cli.commands.sweep_command import sweep_report
from spm_lite.evaluation.size_advice import GROUPS
from spm_lite.evaluation.size_sweep import Sweep, rows_of


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
    ("shares", "arguments"),
    [
        ((), {}),
        (("--weight", "en=1", "--weight", "de=2"), {"weights": {"en": 1, "de": 2}}),
        (("--temperature", "0.3", "--share-of", "texts"), {"temperature": 0.3, "share_of": "texts"}),
        (
            ("--weight", "en=1", "--weight", "de=2", "--share-of", "characters", "--min-count", "2"),
            {"weights": {"en": 1, "de": 2}, "share_of": "characters", "min_count": 2},
        ),
    ],
)
def test_sources(run, tmp_path, shares, arguments):
    (tmp_path / "en.txt").write_text("the mill turns the wheel\nthe river\n" * 30)
    (tmp_path / "de.txt").write_text("die Mühle dreht das Rad\n" * 5, encoding="utf-8")
    (tmp_path / "new.txt").write_text("the wheel of the mill\n")
    sources = ("--source", "en=en.txt", "--source", "de=d*.txt")
    options = ("--sizes", "285,300", "--model-type", "bpe", "--no-hard-vocab-limit", "-q")
    done = run("sweep", *sources, *shares, *options, "--save", "m", "--json", "--text", "new.txt")
    assert done.returncode == 0, done.stderr
    paths = {"en": tmp_path / "en.txt", "de": tmp_path / "de.txt"}
    for row in json.loads(done.stdout)["sizes"]:
        size = row["size"]
        tok = spm_lite.train(paths, vocab_size=size, model_type="bpe", hard_vocab_limit=False, **arguments,
        )  # fmt: skip
        assert (tmp_path / f"m-{size}.model").read_bytes() == tok.to_bytes()
        assert row["tokens"] == len(tok.encode("the wheel of the mill"))
    done = run("sweep", *sources, *shares, *options)
    assert done.returncode == 0, done.stderr
    assert b"bytes/token" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["c.txt"], b"--sizes must be given"),
        (["--sizes", "300"], b"the text to learn from must be given"),
        (["c.txt", "--sizes", "a"], b"commas between"),
        (["c.txt", "--sizes", "300", "--vocab-size", "3"], b"unknown option --vocab-size: write --sizes 3"),
        (["-", "--sizes", "300"], b"more than once"),
        (["c.txt", "--source", "a=c.txt", "--sizes", "300"], b"both name text: write --source NAME=c.txt"),
        (["c.txt", "--weight", "a=1", "--sizes", "300"], b"--weight is for several sources"),
        (["c.txt", "--temperature", "1", "--sizes", "300"], b"--temperature is for several sources"),
        (["c.txt", "--share-of", "texts", "--sizes", "300"], b"--share-of is for several sources"),
        (["--source", "a=c.txt", "--weight", "b=1", "--sizes", "300"], b"'a' has no weight"),
        (["--source", "a=c.txt"], b"--sizes must be given"),
        (["--source", "a=-", "--sizes", "300"], b"not standard input"),
        (["--source", "a=c.txt", "--source", "b=c.txt", "--sizes", "300"], b"named twice"),
        (["no.txt", "--sizes", "300"], b"no.txt"),
        (["c.txt", "--sizes", "9000", "--model-type", "bpe"], b"too high"),
    ],
)
def test_mistakes(run, tmp_path, arguments, message):
    (tmp_path / "c.txt").write_text("some text\n" * 9)
    done = run("sweep", *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_snapshots_of_widths(columns, monkeypatch):
    """Of figures that no training has a part in."""
    monkeypatch.setattr("spm_lite.cli.tables.width_of_output", lambda on_terminal: columns)
    steps = {4000: 81_775, 8000: 53_822, 16_000: 44_600, 32_000: 38_395, 64_000: 33_696}
    groups = {size: n + np.arange(GROUPS) * 10 for size, n in steps.items()}
    rows = rows_of(groups, 18_200_000)
    found = Sweep(dict.fromkeys(steps, spm_lite.byte_tokenizer()), rows, is_seen=True)
    text = sweep_report(found)
    check_snapshot(Path(__file__).parent / "snapshots" / f"sweep-{columns}.txt", text)
    assert max(map(len, text.splitlines())) <= columns


PARTS = ("--source", "en=en.txt", "--source", "de=de.txt")
DEV = ("--parallel", "en=dev.en.txt", "--parallel", "de=dev.de.txt")
FAIR = ("--sizes", "300", "--model-type", "bpe", "--no-hard-vocab-limit", "-q")


@pytest.fixture(name="fair_texts")
def files_of_two_languages(tmp_path):
    for part, numbers in (("", range(60)), ("dev.", range(60, 80)), ("test.", range(80, 99))):
        english = "".join(f"the mill number {n} turns the wheel\n" for n in numbers)
        german = "".join(f"die Mühle mit der Nummer {n} dreht das Rad am Fluss\n" for n in numbers)
        (tmp_path / f"{part}en.txt").write_text(english, encoding="utf-8")
        (tmp_path / f"{part}de.txt").write_text(german, encoding="utf-8")
    return tmp_path


def test_balance(run, fair_texts):
    test = ("--text", "en=test.en.txt", "--text", "de=test.de.txt")
    done = run("sweep", *PARTS, *DEV, *test, *FAIR, "--balance", "tokens", "--save", "m", "--svg", "front.svg")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode()
    assert "300 pieces, at most 0.5" in shown
    assert "plain" in shown
    assert "--vocab-size 300" in shown
    assert (fair_texts / "front.svg").read_text(encoding="utf-8").startswith("<svg")
    sources, dev, texts = (
        {name: fair_texts / f"{part}{name}.txt" for name in ("en", "de")} for part in ("", "dev.", "test.")
    )
    options = {"model_type": "bpe", "hard_vocab_limit": False}
    found = spm_lite.sweep(sources, [300], balance="tokens", parallel=dev, held_out=texts, **options)
    assert (fair_texts / "m-300-2.model").read_bytes() == found[300, 0.02].to_bytes()
    done = run("sweep", *PARTS, *DEV, *FAIR, "--balance", "tokens", "--user-defined-symbols", "<x>,<y z>")
    assert "--user-defined-symbols '<x>' --user-defined-symbols '<y z>'" in " ".join(done.stdout.decode().split())
    done = run("sweep", *PARTS, *DEV, *FAIR, "--balance", "parity", "--json")
    assert [row["way"] for row in json.loads(done.stdout)["ways"]].count("parity") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*PARTS, *DEV), b"--parallel is for fair trainings: give --balance tokens"),
        ((*PARTS, "--svg", "x.svg"), b"--svg is for fair trainings"),
        ((*PARTS, "--balance", "tokens"), b"--balance needs dev texts: give --parallel for each source"),
        (("en.txt", *DEV, "--balance", "tokens"), b"--balance is for several sources"),
        (
            (*PARTS, *DEV, "--balance", "tokens", "--text", "test.en.txt"),
            b"--text, with --balance: 'test.en.txt' is not",
        ),
        ((*PARTS, *DEV, "--balance", "parity", "--model-type", "unigram"), b"--objective"),
        ((*PARTS, *DEV, "--balance", "tokens", "--text", "en=test.en.txt"), b"--text has no text of 'de'"),
    ],
)
def test_mistakes_with_balance(run, fair_texts, arguments, message):
    done = run("sweep", *FAIR, *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr, done.stderr
