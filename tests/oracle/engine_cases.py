"""The tests that Spark and Ray both must pass: the same results for every partitioning, and through every accident."""

import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from oracle.engines import Killer, content, kill_driver, shards_here, small_file_system, texts_of, write_parquet
from oracle.small_models import small_model

from spm_lite import CountTable, FileError, MissingFileError, OptionError, Tokenizer, TrainingError, evaluate, train
from spm_lite.engines import shards

TOK = Tokenizer.load(small_model(byte_fallback=True))
UNIGRAM = train(texts_of(9, 400), vocab_size=300, hard_vocab_limit=False)
TEXTS = texts_of(1, 700)


class EngineCases:
    """A subclass has `engine`, the module; a fixture `read` makes its table of a Parquet file and a number of parts."""

    engine: ModuleType

    def rows(self, table: Any) -> list[dict[str, Any]]:
        raise NotImplementedError

    @pytest.fixture
    def small_disk(self, tmp_path: Path) -> Iterator[Path]:
        with small_file_system(tmp_path / "disk", "1200k") as folder:
            yield folder

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

    def test_empty_documents(self, read: Any, tmp_path: Path) -> None:
        """They are documents, in a table and in shards."""
        path = write_parquet(tmp_path / "a.parquet", ["", "", "a", ""], 2)
        found = {row["n"]: list(row["ids"]) for row in self.rows(self.engine.encode(read(path, 2), TOK))}
        assert found == {0: [], 1: [], 2: TOK.encode("a"), 3: []}
        assert self.engine.evaluate(read(path, 2), TOK) == evaluate(TOK, ["", "", "a", ""])
        assert self.engine.encode_shards(path, tmp_path / "out", TOK).documents == 4

    def test_more_parts_than_one_task_adds_up(self, read: Any, tmp_path: Path) -> None:
        path = write_parquet(tmp_path / "a.parquet", TEXTS, 100)
        assert self.engine.count(read(path, 20), quiet=True) == CountTable.count(TEXTS)

    def test_wrong_options(self, read: Any, tmp_path: Path) -> None:
        table = read(write_parquet(tmp_path / "a.parquet", ["", ""], 100), 1)
        for options, said in [
            ({"column": "txt"}, "there is no such column"),
            ({"sample": 0}, "above 0"),
            ({"nulls": "skip"}, "'error' or 'empty'"),
            ({"input_sentence_size": 500}, "pass sample="),
            ({"vocab_size": 5}, "no part in counting"),
        ]:
            with pytest.raises(OptionError, match=said):
                self.engine.count(table, **options)
        with pytest.raises(OptionError, match="this column exists already"):
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

    def test_files_that_cannot_be_read(self, tmp_path: Path) -> None:
        """One is away when its task runs; the shards of the others are made, and the job goes on when it is back."""
        for i in range(3):
            write_parquet(tmp_path / f"{i}.parquet", texts_of(i, 300), 100)
        want = shards_here(tmp_path / "*.parquet", tmp_path / "here", TOK, shard_size=1)
        plan = shards.plan(tmp_path / "*.parquet", tmp_path / "out", TOK, shard_size=1)
        (tmp_path / "1.parquet").rename(tmp_path / "away")
        with pytest.raises(MissingFileError, match=r"task 3: .*1\.parquet.*; tasks 4, 5 failed too"):
            self.engine.run(plan)
        assert plan.missing() == [3, 4, 5]
        (tmp_path / "away").rename(tmp_path / "1.parquet")
        self.engine.run(plan)
        assert content(tmp_path / "out") == want

    def test_a_full_disk(self, small_disk: Path, tmp_path: Path) -> None:
        """Some shards fit; of the others nothing is left, and the job goes on where there is room again."""
        path = write_parquet(tmp_path / "a.parquet", texts_of(7, 6000, 60), 600)
        want = shards_here(path, tmp_path / "here", TOK, shard_size=1)
        (small_disk / "ballast").write_bytes(bytes(800_000))
        plan = shards.plan(path, small_disk / "out", TOK, shard_size=1)
        with pytest.raises(FileError, match=r"task \d: .*No space left on device.*out/0000\d\."):
            self.engine.run(plan)
        assert 0 < len(plan.missing()) < len(plan)
        names = set(content(small_disk / "out"))
        assert names <= set(want)
        (small_disk / "ballast").unlink()
        self.engine.run(plan)
        assert content(small_disk / "out") == want

    @pytest.mark.slow
    def test_a_driver_is_killed(self, tmp_path: Path) -> None:
        """Its workers are left to themselves; another driver goes on from the shards that are done."""
        path = write_parquet(tmp_path / "a.parquet", texts_of(3, 60_000, 60), 6_000)
        want = shards_here(path, tmp_path / "here", TOK, shard_size="1MB")
        plan = shards.plan(path, tmp_path / "out", TOK, shard_size="1MB")
        plan.save(tmp_path / "plan.json")
        kill_driver(self.engine.__name__, tmp_path / "plan.json", tmp_path / "out" / "00001.json")
        n_done = len(plan) - len(plan.missing())
        assert n_done >= 1
        self.engine.run(plan)
        assert content(tmp_path / "out") == want
