"""The table of `tools/bench/unigram_quality.py`: means, refusals, and models that are not trained again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[3] / "tools" / "bench" / "unigram_quality.py"

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="no source tree")


def run(*arguments, data="none"):
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    environment = {**os.environ, "SPM_LITE_TEST_DATA": str(data), "PYTHONUTF8": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=500)
    assert done.returncode == 0, done.stderr
    return [[cell.strip() for cell in line.split("|")[1:-1]] or [line] for line in done.stdout.splitlines() if line]


def write_rows(path, pieces, **tokens_of_systems):
    """A row for each split and system; tokens of None: refused."""
    with path.open("a") as file:
        for system, counts in tokens_of_systems.items():
            for split, tokens in enumerate(counts):
                figures = {"tokens": tokens, "nats/byte": 2.0, "seconds": 1.0, "MB": 50.0}
                row = {"text": "en-novels", "pieces": pieces, "split": split, "system": system}
                file.write(json.dumps(row | (figures if tokens else {"refused": "too high"})) + "\n")


def test_means_differences_and_the_worst_row(tmp_path):
    results = tmp_path / "results.jsonl"
    write_rows(results, 2000, new=[90, 100, 110], older=[200, 200, 200], sentencepiece=[100, 100, 100])
    write_rows(results, 4000, new=[66, 66, 66], older=[60, 60, 60], sentencepiece=[50, None, 50])
    columns, _, first, second, *summary, last = run("--table", results)
    assert columns[3:6] == ["tokens", "older", "sentencepiece"]
    assert first[:6] == ["en-novels", "Latin", "2,000", "100", "200 (-50.0 %)", "100 (+0.0 %)"]
    assert second[:6] == ["en-novels", "Latin", "4,000", "66", "60 (+10.0 %)", "–"]
    assert ["older", "tokens", "2", "-20.00 %", "+10.00 %", "en-novels, 4,000"] in summary
    assert ["sentencepiece", "tokens", "1", "+0.00 %", "+0.00 %", "en-novels, 2,000"] in summary
    assert last == ["2 rows; refused: new 0, older 0, sentencepiece 1"]


def test_sizes_that_the_older_build_refuses_or_a_system_lacks_are_left_out(tmp_path):
    results = tmp_path / "results.jsonl"
    write_rows(results, 2000, new=[90, 90], older=[100, None])
    write_rows(results, 4000, new=[90], older=[100, 100])
    write_rows(results, 8000, new=[90, None], older=[100, 100])
    _, _, row, *_, last = run("--table", results)
    assert row[2:5] == ["8,000", "–", "100"] and last == ["1 rows; refused: new 1, older 0"]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs wait4")
def test_a_model_that_has_a_row_is_not_trained_again(tmp_path):
    pytest.importorskip("sentencepiece")
    (tmp_path / "corpora").mkdir()
    lines = [f"line {number} is {number * number} words from {number**3}" for number in range(2000)]
    (tmp_path / "corpora" / "en-botchan.txt").write_text("\n".join(lines))
    results = tmp_path / "results.jsonl"
    options = [
        "--texts",
        "en-botchan",
        "--splits",
        0,
        "--systems",
        "new",
        "sentencepiece",
        "--out",
        results,
        "--ngrams",
    ]
    run(*options, "--sizes", 300, data=tmp_path)
    kept = results.read_text()
    run(*options, "--sizes", 300, 9_000_000, data=tmp_path)
    assert results.read_text().startswith(kept)
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert [row["system"] for row in rows] == ["new", "sentencepiece", "new"]
    assert all({"tokens", "nats/byte", "bits/byte", "seconds", "MB"} <= row.keys() for row in rows[:2])
    assert rows[2]["refused"]
