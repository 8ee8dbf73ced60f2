"""Errors of tasks as results, and what a task may take."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from oracle.small_models import small_model

from spm_lite import FileError, SpmLiteError, Tokenizer
from spm_lite.engines import shards
from spm_lite.engines.tasks import Failure, attempt, error_of, raised_in_worker, run_all
from spm_lite.engines.work.columns import Column, ColumnEncoder
from spm_lite.files.compressed import DamagedData

TOK = Tokenizer.load(small_model(byte_fallback=True))


def test_all_tasks_are_tried_and_the_first_error_is_raised(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("hello\n")
    plan = shards.plan(sorted(tmp_path.glob("*.txt")), tmp_path / "out", TOK, shard_size=6)
    (tmp_path / "1.txt").write_text("hello, longer\n")
    (tmp_path / "3.txt").unlink()

    def engine(numbers: Sequence[int]) -> Iterator[Failure]:
        yield from (attempt(plan, number) for number in reversed(numbers))

    with pytest.raises(FileError, match=r"task 1: .*1\.txt' has changed .*; tasks 3 failed too"):
        run_all(plan, engine)
    assert plan.missing() == [1, 3]


def test_errors_come_out_of_texts() -> None:
    text = "Traceback:\n  File x\nspm_lite.FileError: row 5: it\nis null\n\n\tat org.apache"
    found = raised_in_worker(text)
    assert (type(found), str(found)) == (FileError, "row 5: it\nis null")
    assert raised_in_worker("ValueError: x") is None
    assert type(error_of("NoSuchError", "x")) is SpmLiteError


def test_damaged_data_is_a_file_error_for_the_caller(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    plan = shards.plan(tmp_path / "a.txt", tmp_path / "out", TOK)

    def run(plan: shards.Plan, number: int, num_threads: int) -> None:
        raise DamagedData("a.txt is damaged")

    monkeypatch.setattr(shards.Plan, "run_task", run)
    failure = attempt(plan, 0)
    assert failure == (0, "FileError", "a.txt is damaged")
    assert type(error_of(failure.kind, failure.message)) is FileError


def test_a_task_of_an_engine_takes_one_thread(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As many tasks as CPUs run at once; what goes back is small."""
    (tmp_path / "a.txt").write_text("hello\n")
    plan = shards.plan(tmp_path / "a.txt", tmp_path / "out", TOK)
    seen = []
    monkeypatch.setattr(shards.Plan, "run_task", lambda self, number, num_threads: seen.append(num_threads))
    assert attempt(plan, 0) == (0, "", "")
    assert seen == [1]
    assert ColumnEncoder(b"", Column("text"), "ids", False, False).num_threads == 1
