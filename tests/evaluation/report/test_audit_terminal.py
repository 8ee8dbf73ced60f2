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


@pytest.mark.parametrize("columns", [40, 80])
def test_snapshots_of_widths(report, columns):
    text = text_report(report.to_dict(), columns)
    check_snapshot(SNAPSHOTS / f"mixture-{columns}.txt", text + "\n")
    assert max(map(len, text.splitlines())) <= columns


def test_order(report):
    lines = text_report(report.to_dict(), 200).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["mixture", "en", "de"]
    assert "in 2 texts" in lines[0]
