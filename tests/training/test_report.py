"""The report of a training: a row for what there is to say, and no other."""

import dataclasses
from typing import Any

import pytest

import spm_lite
from spm_lite.training.report import TrainingReport, described_time

TEXTS = ["hello world the cat sat", "the mat on the cat"] * 20


def rows_of(report: Any) -> dict[str, str]:
    """The rows of the table, by name."""
    return {line[:12].rstrip(): line[13:] for line in str(report).split("\n")}


def report_of(texts: Any = TEXTS, **options: Any) -> TrainingReport:
    """The report of a small training."""
    tok = spm_lite.train(texts, **{"vocab_size": 300, "hard_vocab_limit": False, **options})
    assert tok.report is not None
    return tok.report


def test_a_training_without_anything_special() -> None:
    report = report_of(model_type="bpe")
    rows = rows_of(report)
    rows.pop("memory", None)  # where the system says it
    assert list(rows) == ["model", "vocabulary", "text", "time", "corpus id", "model id"]
    assert rows["model"] == f"bpe, {report.vocab_size} pieces, lossless"
    n_characters = report.pieces_by_origin["characters"]
    learned = report.vocab_size - 259 - n_characters
    assert rows["vocabulary"] == f"{learned} learned + {n_characters} characters + 259 special and byte pieces"
    assert rows["text"] == f"{sum(map(len, TEXTS))} bytes, 40 lines"
    assert (rows["corpus id"], rows["model id"]) == (report.data_digest, report.digest)


def test_what_is_special() -> None:
    texts = [*TEXTS, "", "x" * 60, "日\x00" + "\u2581"]
    rows = rows_of(report_of(texts, character_coverage=0.99, max_sentence_length=50))
    assert rows["skipped"] == "lines: 1 empty, 1 longer than max_sentence_length"
    assert rows["uncovered"] == "1 rare character, 1 literal U+2581, 1 U+0000: they become bytes"
    assert "seed pieces, pruned in " in rows["training"] and rows["training"].endswith(" nats per character")


def test_unknown_text() -> None:
    rows = rows_of(report_of([*TEXTS, "日"], byte_fallback=False, character_coverage=0.99))
    assert rows["uncovered"] == "1 rare character: they are unknown"
    assert rows["vocabulary"].endswith(" + 3 special pieces")
    assert rows["note"].startswith("not lossless, because of ")


def test_all_bytes_are_pieces_of_byte_level_bpe() -> None:
    rows = rows_of(report_of([*TEXTS, b"\xff\x00"], model_type="byte_bpe"))
    assert "uncovered" not in rows and "256 bytes" in rows["vocabulary"]


def test_files(tmp_path: Any) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("the cat sat\n" * 9)
    assert rows_of(report_of([tmp_path / "a.txt"]))["text"] == "108 bytes, 9 lines in 1 file"
    assert rows_of(report_of([tmp_path / "a.txt", tmp_path / "b.txt"]))["text"] == "216 bytes, 18 lines in 2 files"


def test_a_count_table() -> None:
    table = spm_lite.CountTable.count(TEXTS)
    rows = rows_of(report_of(table))
    assert rows["text"] == "a count table; its files and lines are not known" and "skipped" not in rows


def test_long_lines_and_memory() -> None:
    report = dataclasses.replace(
        report_of(), lines_cut=3, chunks_left_out=7, bytes_left_out=1234, share_left_out=0.01, peak_memory=None
    )
    rows = rows_of(report)
    assert rows["text"].endswith("; very long lines were cut 3 times")
    assert rows["left out"] == "7 of the rarest chunks, 1.000% of the text (1,234 bytes), to keep to memory_limit"
    assert "memory" not in rows


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        ({"count": 0.01, "learn": 0.03}, "0.04 s"),
        (
            {"count": 1.25, "alphabet": 0.01, "learn": 2.5, "write": 0.14},
            "3.9 s (counting 1.2, learning 2.5, writing 0.1)",
        ),
        ({"learn": 12.0}, "12.0 s"),
    ],
)
def test_time(seconds: dict[str, float], text: str) -> None:
    assert described_time(seconds) == text
