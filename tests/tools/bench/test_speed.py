"""The harness of `make bench`: one row on a small text, a model of its own, and what the table says of figures."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sentencepiece")

SPEED = Path(__file__).resolve().parents[3] / "tools" / "bench" / "speed"


@pytest.fixture
def speed(monkeypatch):
    """The program's modules can be imported."""
    monkeypatch.syspath_prepend(str(SPEED))
    names = {path.stem for path in SPEED.glob("*.py")}
    yield
    for name in names & sys.modules.keys():
        if getattr(sys.modules[name], "__file__", None) == str(SPEED / f"{name}.py"):
            del sys.modules[name]


def run(*arguments, folder):
    command = [sys.executable, str(SPEED), "--data", str(folder / "none"), "--work", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)


@pytest.mark.slow
def test_a_row_without_data_and_peers(tmp_path):
    found = run("--only", "smoke", "--quick", "--json", str(tmp_path / "found.json"), folder=tmp_path)
    assert found.returncode == 0, found.stderr
    lines = [line for line in found.stdout.splitlines() if line.startswith("| smoke")]
    assert len(lines) == 1 and lines[0].count("|") == found.stdout.splitlines()[3].count("|")
    written = json.loads((tmp_path / "found.json").read_text())
    assert written["machine"]["versions"]["sentencepiece"] == "0.2.3"
    (row,) = written["rows"]
    assert "error" not in row and row["bytes"] > 100_000
    for side in ("spm_lite", "reference"):
        for figure in ("cold", "warm"):
            assert len(row[side][figure]["runs"]) == 1 and row[side][figure]["median"] > 0


@pytest.mark.slow
def test_a_missing_corpus_and_a_missing_peer_are_lines_of_the_table(tmp_path):
    found = run("--only", "lines -> lists, English, Llama", "--quick", folder=tmp_path)
    assert found.returncode == 0 and "en-novels.txt | |" in found.stdout and "1 were not measured" in found.stdout
    found = run("--only", "smoke", "--quick", "--peers", "splintr", folder=tmp_path)
    assert found.returncode == 0 and "Error" in found.stdout.splitlines()[-3]


def test_an_unknown_row_is_refused(tmp_path):
    found = run("--only", "no such row", folder=tmp_path)
    assert found.returncode != 0 and "no such row" in found.stderr


def test_ratios_bounds_and_ids(speed):
    from array import array

    from harness import Result
    from report import compare, line, summary
    from workloads import encoding

    def result(cold, warm, ids="same", rows=(1, 2)):
        return Result({"cold": cold, "warm": warm}, size=1_000_000, ids=ids, rows=array("q", rows))

    row = encoding("a model", "a text", (2, 50))
    ours, theirs = result([0.1, 0.2, 0.1], [0.01] * 3), result([0.4] * 3, [0.4] * 3)
    entry = compare(row, ours, theirs, ours, None)
    assert entry["ratio"] == pytest.approx([4, 40]) and entry["reached"] == [True, False]
    assert entry["spread"] == pytest.approx(1)
    assert entry["spm_lite"]["cold"]["median"] == pytest.approx(10)
    assert "x4 / x40 | x2 / x50 | yes / no | 100%" in line(entry, "a model")
    other = result([0.1], [0.1], ids="other", rows=(1, 3))
    assert "other ids than sentencepiece: 50.00%" in compare(row, other, theirs, other, None)["error"]
    assert summary([entry]).startswith("0 of 1 rows")


def test_a_job_that_takes_too_long_is_an_error(speed, tmp_path):
    from harness import Harness
    from job import Job

    (tmp_path / "text.txt").write_text("a b c")
    harness = Harness(runs=2, limit=0.001)
    job = Job("spm_lite", "encode", "none.model", str(tmp_path / "text.txt"))
    harness.measure([job, job])
    assert harness.results[job].error.startswith("more than")


@pytest.mark.slow
def test_adversarial_texts_and_mixed_lines(speed, tmp_path):
    from texts import ADVERSARIAL, Texts

    names = ("10^7 letters a", "10^7 spaces", "alternating scripts", "10^7 random bytes", "10^7 of nine letters")
    for name in names:
        assert len(ADVERSARIAL[name]()) == 10**7
    distinct = ADVERSARIAL["all distinct characters"]()
    assert len(distinct) == len(set(distinct)) == 0x110000 - 0x800
    assert len(ADVERSARIAL["emoji"]().encode()) == 10**7
    (tmp_path / "corpora").mkdir()
    texts = Texts(tmp_path, tmp_path)
    texts.lines = {"one": ["1" * 10] * 4, "other": ["2" * 5] * 99}.__getitem__
    lines = list(texts.mixed("one", "other"))
    assert lines.count("1" * 10) == 4 and lines.count("2" * 5) == 8
    with pytest.raises(FileNotFoundError):
        Texts(tmp_path, tmp_path).path("Thai")
