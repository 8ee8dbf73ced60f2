"""The report of a training: a row for what there is to say, and no other."""

import dataclasses
import random
from collections import Counter
from typing import Any

import pytest
from oracle import bpe_trainer
from oracle.occurrences import chunks_of, learned_pieces, occurrences
from oracle.slow import slow_after

import spm_lite
from spm_lite.specs import TrainerSpec
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
    assert "seed pieces, pruned in " in rows["training"] and rows["training"].endswith(" bits per byte")


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


def random_texts(seed: int, n: int) -> list[str]:
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcdeé水ไ", k=draw.randint(1, 6))) for _ in range(50)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 7))) for _ in range(n)]


def rare_by_count(tok: Any, chunks: dict[str, Counter[str]]) -> dict[str, set[str]]:
    """The sources of each rare piece; occurrences of a merge are those when it was made."""
    tables = list(chunks.values())
    factors = [tok.report.sources[name].factor for name in chunks] if tok.report.sources else [1]
    texts = sorted({text for counts in tables for text in counts})
    weighted = [(text, sum(k * counts[text] for k, counts in zip(factors, tables, strict=True))) for text in texts]
    made: dict[str, tuple[int, int]] = {}
    if tok.model_type == "bpe":
        origins = [
            (sum(c[text] for c in tables), sum((text in c) << i for i, c in enumerate(tables))) for text in texts
        ]
        alphabet, n_merges = list(tok.report.alphabet), tok.report.pieces_by_origin["learned"]
        bpe_trainer.learn(weighted, alphabet, TrainerSpec(model_type="bpe"), n_merges, origins=origins, made=made)
    rare = {}
    for piece in learned_pieces(tok):
        found = {name: occurrences(piece, counts) for name, counts in chunks.items()}
        if tok.model_type == "word":
            found = {name: counts[piece] for name, counts in chunks.items()}
        if piece in made:
            found = {name: 1 for i, name in enumerate(chunks) if made[piece][1] >> i & 1}
        if (made[piece][0] if piece in made else sum(found.values())) < 5:
            rare[piece] = {name for name, n in found.items() if n}
    return rare


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "word", "char"])
@pytest.mark.parametrize("seed", slow_after(4, range(40)))
def test_rare_pieces_and_their_sources(model_type: str, seed: int) -> None:
    """A piece of several sources counts for each; without sources there is a number only."""
    texts = {"a": random_texts(seed, 50), "b": random_texts(seed + 1, 8), "c": ["ça va bien", "水 水 水x"]}
    chunks = {name: chunks_of(given, model_type=model_type) for name, given in texts.items()}
    options = {"model_type": model_type, "vocab_size": 330, "hard_vocab_limit": False}
    for shares in ({}, {"weights": {"a": 1, "b": 3, "c": 2}}, {"temperature": 0.5}):
        tok = spm_lite.train(texts, **shares, **options)  # type: ignore[arg-type]
        rare = rare_by_count(tok, chunks)
        report = tok.report
        assert report is not None
        assert report.rare_pieces == len(rare) > 0
        by_source = Counter(name for names in rare.values() for name in names)
        assert report.rare_by_source == by_source
        of = ", ".join(f"{by_source[name]} in {name}" for name in texts if by_source[name])
        verb = "piece occurs" if len(rare) == 1 else "pieces occur"
        assert rows_of(report)["rare"] == f"{len(rare)} {verb} fewer than 5 times: {of}"
    for k in (1, 2, 5):
        tok = spm_lite.train(texts["b"] * k, **options)  # type: ignore[arg-type]
        report = tok.report
        assert report is not None
        counts = Counter({text: n * k for text, n in chunks["b"].items()})
        assert report.rare_pieces == len(rare_by_count(tok, {"b": counts}))
        assert report.rare_by_source == {}
        assert report.rare_pieces == 0 or k < 5


def test_many_sources_share_a_title() -> None:
    """From the 64th on; with 64 each has its own."""
    texts = {f"s{i}": ["ab abc cab"] * 3 + [chr(0x4E00 + i)] for i in range(70)}
    for n in (64, 65, 70):
        report = spm_lite.train(dict(list(texts.items())[:n]), model_type="char", vocab_size=400,
            hard_vocab_limit=False, character_coverage=1.0,
        ).report  # fmt: skip
        assert report is not None
        expected = {f"s{i}": 1 for i in range(63 if n > 64 else 64)}
        assert report.rare_pieces == n
        assert report.rare_by_source == (expected | {"other sources": n - 63} if n > 64 else expected)
