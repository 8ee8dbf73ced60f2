"""What every engine offers, run by an engine that is this process. Its tables are those of pyarrow."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from oracle.small_models import small_model

from spm_lite import CountTable, FileError, OptionError, Tokenizer, evaluate
from spm_lite.engines import shards
from spm_lite.engines.engine import Engine
from spm_lite.engines.tasks import Failure, attempt
from spm_lite.engines.work.columns import ColumnEncoder, ColumnJudge
from spm_lite.engines.work.partial_counts import PartialCounter

pa = pytest.importorskip("pyarrow")
TOK = Tokenizer.load(small_model(byte_fallback=True))
TEXTS = ["hello world", "this is a pen", "hello", "hello"]
TABLE = pa.table({"text": TEXTS, "n": [1, 2, 3, 4]})


class EngineError(Exception):
    """The error that this engine wraps around those of its workers."""


class Here(Engine):
    """Runs everything at once."""

    def start(self) -> None:
        pass

    def error_class(self) -> type[Exception]:
        return EngineError

    def columns_of(self, table: Any) -> list[str]:
        return table.column_names

    def count_column(
        self, table: Any, counter: PartialCounter, memory_limit: Any, announce: Callable[..., None]
    ) -> CountTable:
        announce(8, 300)
        parts = table.to_batches(max_chunksize=2)
        return counter.merge((found for part in parts for found in counter.tables([part], "the part")), memory_limit)

    def encode_column(self, table: Any, encoder: ColumnEncoder) -> Any:
        return encoder.table(table)

    def judge_column(self, table: Any, judge: ColumnJudge) -> Iterable[Any]:
        try:
            return [judge.quality([part], "the part") for part in table.to_batches(max_chunksize=2)]
        except FileError as error:
            raise EngineError(f"Traceback:\n  x\nspm_lite.FileError: {error}\n\n\tat engine") from None

    def run_tasks(self, plan: shards.Plan, numbers: Sequence[int]) -> Iterable[Failure]:
        return [attempt(plan, number) for number in numbers]


def test_a_column_is_counted_as_its_texts_are(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(Here().count(TABLE)) == list(CountTable.count(TEXTS))
    assert "8 chunks" in capfd.readouterr().err
    Here().count(TABLE, quiet=True)
    assert capfd.readouterr().err == ""


def test_ids_are_a_new_column() -> None:
    assert Here().encode(TABLE, TOK, eos=True).to_pydict() == {
        "text": TEXTS, "n": [1, 2, 3, 4], "ids": [TOK.encode(text, eos=True) for text in TEXTS],
    }  # fmt: skip
    with pytest.raises(OptionError, match="'n'"):
        Here().encode(TABLE, TOK, out="n")


def test_figures_are_those_of_all_texts() -> None:
    assert Here().evaluate(TABLE, TOK).tokens == evaluate(TOK, TEXTS).tokens


def test_an_error_of_a_worker_comes_as_itself() -> None:
    with pytest.raises(FileError, match=r"^the part, row 1: 'text' is null"):
        Here().evaluate(pa.table({"text": pa.array([None, "a"], pa.string())}), TOK)


def test_files_become_shards(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\nworld\n")
    manifest = Here().encode_shards(tmp_path / "a.txt", tmp_path / "out", TOK)
    assert manifest.documents == 2
    assert Here().encode_shards(tmp_path / "a.txt", tmp_path / "out", TOK) == manifest  # it is finished already
