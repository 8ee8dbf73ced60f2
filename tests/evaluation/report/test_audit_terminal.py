"""The report for terminals with a mixture: its row stands last in each table of texts, its verdict comes first."""

import re
from pathlib import Path

import pytest
from oracle.snapshots import check_snapshot

import spm_lite
from spm_lite.evaluation.report.audit_terminal import text_report

SNAPSHOTS = Path(__file__).parent / "snapshots"
ENGLISH = [f"The cat number {n} sat on the mat, and {n * 7} dogs ran." for n in range(200)]
GERMAN = [f"Die Katze Nummer {n} saß auf der Matte, und {n * 7} Hunde liefen." for n in range(200)]


def with_spaces(text):
    """Bytes, but a space and the byte after it are one token."""
    return [token[-1] + 256 * (len(token) == 2) for token in re.findall(rb" ?[^ ]", text.encode())]


@pytest.fixture(scope="module")
def report():
    """Of tokenizers that no training has a part in, so that the snapshots change only with the report."""
    tokenizers = {
        "bytes": spm_lite.as_tokenizer(lambda text: list(text.encode()), vocab_size=256),
        "spaces": spm_lite.as_tokenizer(with_spaces, vocab_size=512),
    }
    return spm_lite.audit(tokenizers, {"en": ENGLISH, "de": GERMAN}, weights={"en": 2, "de": 1})


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_snapshots_of_widths(report, columns):
    text = text_report(report.to_dict(), columns)
    check_snapshot(SNAPSHOTS / f"mixture-{columns}.txt", text + "\n")
    assert max(map(len, text.splitlines())) <= columns


@pytest.fixture(scope="module")
def parallel_report():
    tokenizers = {
        "bytes": spm_lite.as_tokenizer(lambda text: list(text.encode()), vocab_size=256),
        "spaces": spm_lite.as_tokenizer(with_spaces, vocab_size=512),
    }
    french = [f"Le chat numéro {n} était assis sur le tapis, et {n * 7} chiens couraient." for n in range(200)]
    return spm_lite.audit(tokenizers, parallel={"en": ENGLISH, "de": GERMAN, "fr": french}, orders=())


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_snapshots_of_parity(parallel_report, columns):
    text = text_report(parallel_report.to_dict(), columns)
    part = text[text.index("\nWhich language suffers") : text.index("\nWhat is broken\n")].strip("\n")
    check_snapshot(SNAPSHOTS / f"parity-{columns}.txt", part + "\n")
    assert max(map(len, part.splitlines())) <= columns


def test_an_audit_of_the_older_version_has_no_intervals(parallel_report):
    """What it lacks is shown as a dash, and there is no front."""
    data = parallel_report.to_dict()
    for figures in data["parity"].values():
        for spread in (figures["all"], figures["all_spelled"], figures["represented"]):
            for name in ("tokens", "max_mean", "gini_ci95", "tax_max_ci95", "max_mean_ci95"):
                del spread[name]
        for row in figures["languages"].values():
            del row["premium_ci95"], row["premium_spelled_ci95"]
    older = spm_lite.Audit(data)
    assert "On the front" not in str(older)
    assert "median/min" in str(older)
    assert "tokens against Gini" not in older.to_html()
    assert list(older.unmet("max_mean<2")[0].__dict__.values())[-1] is None
    assert spm_lite.Audit(parallel_report.to_dict()).unmet("max_mean<2", "gini<.1") == []


def test_order(report):
    lines = text_report(report.to_dict(), 200).splitlines()
    assert lines[:2] == ["Which one to take", "Take spaces, because " + lines[1].partition("because ")[2]]
    assert [line.split()[0] for line in lines[3:6]] == ["mixture", "en", "de"]
    titles = ["Which one to take", "Which language suffers", "What is broken", "Verdicts on pairs", "Texts"]
    assert [line for line in lines if line in titles] == titles


def halves(text):
    """Bytes, but two of one word are one token."""
    return [int.from_bytes(pair) for pair in re.findall(rb"\w\w|.", text.encode())]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_snapshots_of_a_ranking(columns):
    tokenizers = {
        "bytes": spm_lite.as_tokenizer(lambda text: list(text.encode()), vocab_size=256),
        "spaces": spm_lite.as_tokenizer(with_spaces, vocab_size=512),
        "two bytes at once": spm_lite.as_tokenizer(halves, vocab_size=65536),
    }
    texts = {"en": ENGLISH, "de": GERMAN, "a few lines": ENGLISH[:40]}
    text = text_report(spm_lite.audit(tokenizers, texts).to_dict(), columns)
    check_snapshot(SNAPSHOTS / f"ranking-{columns}.txt", text[: text.index("\nTexts\n")])
    assert max(map(len, text.splitlines())) <= columns


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (None, "bytes has no faults in 259 pieces. To judge it on text, give texts= (--text en=en.txt)."),
        (
            {"en": ENGLISH},
            "bytes gives back all of 200 texts. To learn whether another tokenizer is better, name it too.",
        ),
    ],
)
def test_one_tokenizer_has_a_sentence(texts, words):
    report = spm_lite.audit({"bytes": spm_lite.byte_tokenizer()}, texts)
    assert text_report(report.to_dict(), 200).splitlines()[1] == words
    assert report.best is None
    assert words in report.to_html().replace("</h1><p class=lead>", " ")


def test_rows_that_say_nothing_are_left_out(report):
    """Of one tokenizer, costs against the first; unknown tokens spelled, where there are none."""
    one = str(spm_lite.audit({"bytes": spm_lite.byte_tokenizer()}, {"en": ENGLISH}, orders=()))
    assert "operations per byte" not in one
    assert "unknown ones spelled" not in one
    assert "the same except for NFC" not in one
    assert "operations per byte" in text_report(report.to_dict(), 80)
    assert f"tokens  {sum(map(len, ENGLISH)):,}" in re.sub(" +", "  ", one).replace("\n", " ")
