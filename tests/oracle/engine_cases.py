"""The tests that Spark and Ray both must pass: the same results for every partitioning, and through every accident."""

import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from oracle.engines import Killer, content, shards_here, texts_of, write_parquet
from oracle.small_models import small_model

from spm_lite import CountTable, FileError, OptionError, Tokenizer, TrainingError, evaluate, train
from spm_lite.engines import shards

TOK = Tokenizer.load(small_model(byte_fallback=True))
UNIGRAM = train(texts_of(9, 400), vocab_size=300, hard_vocab_limit=False)
TEXTS = texts_of(1, 700)


class EngineCases:
    """A subclass has `engine`, the module; a fixture `read` makes its table of a Parquet file and a number of parts."""

    engine: ModuleType

    def rows(self, table: Any) -> list[dict[str, Any]]:
        raise NotImplementedError

    def test_counts_do_not_depend_on_partitions(self, read: Any, tmp_path: Path, capfd: Any) -> None:
        path = write_parquet(tmp_path / "a.parquet", TEXTS, 100)
        want, byte_wise = CountTable.count(TEXTS), CountTable.count(TEXTS, model_type="byte_bpe")
        assert self.engine.count(read(path, 5), quiet=True) == want
        capfd.readouterr()
        assert self.engine.count(read(path, 3), memory_limit="64MB") == want
        assert "learning unigram from it 48 MB; memory_limit=64MB" in capfd.readouterr().err
        found = self.engine.count(read(path, 2), model_type="byte_bpe", quiet=True)
        assert found == byte_wise
        options: dict[str, Any] = {"vocab_size": 300, "hard_vocab_limit": False}
        assert train(found, **options, model_type="byte_bpe") == train(TEXTS, **options, model_type="byte_bpe")

    def test_samples_do_not_depend_on_partitions(self, read: Any, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", TEXTS, 100)
        found = [self.engine.count(read(path, n), sample=0.5, seed=3, quiet=True) for n in (1, 4)]
        assert found[0] == found[1]
        assert 0 < found[0].total < CountTable.count(TEXTS).total

    def test_ids_come_with_the_other_columns(self, read: Any, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", TEXTS, 100)
        found = self.rows(self.engine.encode(read(path, 3), TOK, out="x y", eos=True))
        by_number = {row["n"]: row for row in found}
        assert len(found) == len(TEXTS)
        assert [list(by_number[i]["x y"]) for i in range(len(TEXTS))] == TOK.encode_batch(TEXTS, eos=True).to_lists()
        assert [by_number[i]["text"] for i in range(len(TEXTS))] == TEXTS

    @pytest.mark.parametrize("tok", [TOK, UNIGRAM], ids=["bpe", "unigram"])
    def test_figures_do_not_depend_on_partitions(self, tok: Tokenizer, read: Any, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", TEXTS, 100)
        found, want = self.engine.evaluate(read(path, 4), tok), evaluate(tok, TEXTS)
        assert found.log_likelihood == pytest.approx(want.log_likelihood, rel=1e-12)
        assert (found.texts, found.bytes, found.tokens) == (want.texts, want.bytes, want.tokens)

    def test_nulls(self, read: Any, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", [*TEXTS[:60], None], 100)
        with pytest.raises(FileError, match=r"row 61: 'text' is null: leave the row out, or pass nulls='empty'"):
            self.engine.count(read(path, 1))
        with pytest.raises(FileError, match=r"task 0: .*a\.parquet', row 61: 'text' is null"):
            self.engine.encode_shards(path, tmp_path / "out", TOK)
        assert content(tmp_path / "out") == {}
        assert self.engine.count(read(path, 1), nulls="empty", quiet=True) == CountTable.count(TEXTS[:60])
        assert self.engine.evaluate(read(path, 1), TOK, nulls="empty") == evaluate(TOK, TEXTS[:60])
        assert len(self.rows(self.engine.encode(read(path, 1), TOK, nulls="empty"))) == 61

    def test_wrong_options(self, read: Any, tmp_path: Path) -> None:
        table = read(write_parquet(tmp_path / "a.parquet", ["", ""], 100), 1)
        for options, said in [
            ({"column": "txt"}, "there is none of this name"),
            ({"sample": 0}, "above 0"),
            ({"nulls": "skip"}, "'error' or 'empty'"),
            ({"input_sentence_size": 500}, "pass sample="),
            ({"vocab_size": 5}, "no part in counting"),
        ]:
            with pytest.raises(OptionError, match=said):
                self.engine.count(table, **options)
        with pytest.raises(OptionError, match="such a column already"):
            self.engine.encode(table, TOK, out="n")
        with pytest.raises(TypeError, match=r"is list: pass a Data"):
            self.engine.count(["a"])
        with pytest.raises(FileError, match="'n' holds int64, not texts"):
            self.engine.count(table, column="n")
        with pytest.raises(TrainingError, match="no text to evaluate"):
            self.engine.evaluate(table, TOK)
        assert len(self.engine.count(table, quiet=True)) == 0

    def test_shards_are_those_of_one_process(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", TEXTS, 50)
        options: dict[str, Any] = {"shard_size": 5000, "format": "datatrove", "eos": True}
        want = shards_here(path, tmp_path / "here", TOK, **options)
        first = self.engine.encode_shards(path, tmp_path / "out", TOK, **options)
        assert content(tmp_path / "out") == want
        assert first.shards > 4
        times = {name.name: name.stat().st_mtime_ns for name in (tmp_path / "out").iterdir()}
        monkeypatch.setattr(self.engine, "partner", None)  # what a second run does not ask for
        assert self.engine.encode_shards(path, tmp_path / "out", TOK, **options) == first
        assert times == {name.name: name.stat().st_mtime_ns for name in (tmp_path / "out").iterdir()}

    def test_a_worker_is_killed_and_the_driver_starts_again(self, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", texts_of(3, 60_000, 60), 10_000)
        options: dict[str, Any] = {"shard_size": "2MB", "eos": True}
        want = shards_here(path, tmp_path / "here", TOK, **options)
        plan = shards.plan(path, tmp_path / "out", TOK, **options)
        plan.save(tmp_path / "plan.json")
        plan.run_task(1)  # before the first driver ended
        with Killer(tmp_path / "out", 2) as killer:
            self.engine.run(shards.load(tmp_path / "plan.json"))
        assert len(killer.killed) == 2
        assert content(tmp_path / "out") == want

    def test_two_drivers_at_once(self, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", texts_of(3, 4000, 60), 500)
        want = shards_here(path, tmp_path / "here", TOK, shard_size=50_000)
        plans = [shards.plan(path, tmp_path / "out", TOK, shard_size=50_000) for _ in range(2)]
        threads = [threading.Thread(target=self.engine.run, args=(plan,)) for plan in plans]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert content(tmp_path / "out") == want

    def test_the_rest_of_a_job_with_a_damaged_row_group(self, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", texts_of(5, 2000), 200)
        data = path.read_bytes()
        plan = shards.plan(path, tmp_path / "out", TOK, shard_size=1)
        place = len(data) // 2
        path.write_bytes(data[:place] + bytes(200) + data[place + 200 :])
        damaged = shards.plan(path, tmp_path / "out", TOK, shard_size=1)
        with pytest.raises(FileError, match=r"task \d: .*a\.parquet', row group \d, after row \d+, column 'text'"):
            self.engine.run(damaged)
        names = [name for name in content(tmp_path / "out") if name.startswith(".")]
        assert names == []
        assert 0 < len(damaged.missing()) < len(damaged) == len(plan) == 10
