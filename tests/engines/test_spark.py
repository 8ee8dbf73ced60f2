"""Spark: the cases of all engines, in a real session on this machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracle.engine_cases import TEXTS, TOK, EngineCases
from oracle.engines import content, need, shards_here, write_parquet

need("spark", "pyspark", "pandas", "pyarrow")

from spm_lite import CountTable, OptionError, evaluate  # noqa: E402
from spm_lite.engines import shards, spark  # noqa: E402

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore"), pytest.mark.thread_unsafe]


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """A task is tried four times; in plain local mode it would be tried once."""
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
        session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def read(session: Any) -> Any:
    return lambda path, partitions: session.read.parquet(str(path)).repartition(partitions)


class TestSpark(EngineCases):
    engine = spark

    @pytest.fixture(autouse=True)
    def with_session(self, session: Any) -> None:
        self.session = session

    def rows(self, table: Any) -> list[dict[str, Any]]:
        return [row.asDict() for row in table.collect()]


def test_names_of_columns_with_signs(session: Any) -> None:
    df = session.createDataFrame([("hello world",)], "`a b-c` string")
    assert [list(row.ids) for row in spark.encode(df, TOK, column="a b-c").collect()] == [TOK.encode("hello world")]
    assert spark.count(df, column="a b-c", quiet=True).total == 2
    with pytest.raises(OptionError, match=r"'a\.b' has a dot or backtick"):
        spark.encode(df.toDF("a.b"), TOK, column="a.b")


def test_a_column_to_parquet(session: Any, read: Any, tmp_path: Path) -> None:
    """What Spark writes is a list of 32 bits, in whatever order."""
    from pyarrow import parquet

    df = read(write_parquet(tmp_path / "a.parquet", TEXTS, 100), 2)
    spark.encode(df, TOK).write.parquet(str(tmp_path / "ids"))
    table = parquet.read_table(tmp_path / "ids").sort_by("n")
    assert str(table.schema.field("ids").type) == "list<element: int32>"
    assert table.column("ids").to_pylist() == TOK.encode_batch(TEXTS).to_lists()


def test_small_batches(session: Any, read: Any, tmp_path: Path) -> None:
    """Rows come to a worker some at a time, by a number that does not look at their size."""
    path = write_parquet(tmp_path / "a.parquet", TEXTS, 100)
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = session.conf.get(name)
    session.conf.set(name, 7)
    try:
        found = {row.n: list(row.ids) for row in spark.encode(read(path, 2), TOK).collect()}
        assert spark.count(read(path, 2), quiet=True) == CountTable.count(TEXTS)
    finally:
        session.conf.set(name, before)
    assert [found[i] for i in range(len(TEXTS))] == TOK.encode_batch(TEXTS).to_lists()


def test_each_number_is_a_task(session: Any, monkeypatch: Any, tmp_path: Path) -> None:
    """`range(0, n, 1, n)` has one partition for each shard, so that a lost one costs one shard."""

    def where(plan: Any, numbers: Any, batches: Any) -> Any:
        import pyarrow as pa
        from pyspark import TaskContext

        partition = TaskContext.get().partitionId()
        for batch in batches:
            names = ["number", "kind", "message"]
            yield pa.RecordBatch.from_arrays([batch.column(0), *[pa.array([str(partition)] * len(batch))] * 2], names)

    (tmp_path / "a.txt").write_text("hello\n" * 9)
    plan = shards.plan(tmp_path / "a.txt", tmp_path / "out", TOK, shard_size=6)
    monkeypatch.setattr(spark, "run_tasks", where)
    found = spark.Spark(session).run_tasks(plan, range(9))
    assert sorted((row.number, row.kind) for row in found) == [(i, str(i)) for i in range(9)]


CONNECT = """
import sys
from pyspark.sql import SparkSession
from spm_lite.engines import shards, spark
session = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
folder, model = sys.argv[1:]
df = session.read.parquet(folder + "/a.parquet")
print(spark.count(df, quiet=True).total, spark.evaluate(df, model).tokens, spark.encode(df, model).count())
spark.encode_shards(folder + "/a.parquet", folder + "/out", model, session=session, shard_size=1)
session.stop()
"""


@pytest.mark.slow
def test_connect(tmp_path: Path) -> None:
    """A client without the Java of its own knows no RDD and no broadcast."""
    for name in ("grpc", "grpc_status", "google.rpc", "zstandard"):
        pytest.importorskip(name)
    path = write_parquet(tmp_path / "a.parquet", TEXTS, 100)
    TOK.save(tmp_path / "m.model")
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", CONNECT, str(tmp_path), str(tmp_path / "m.model")],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    counts, quality = CountTable.count(TEXTS), evaluate(TOK, TEXTS)
    assert done.stdout.split() == [str(counts.total), str(quality.tokens), str(len(TEXTS))]
    assert content(tmp_path / "out") == shards_here(path, tmp_path / "here", TOK, shard_size=1)


@pytest.mark.parametrize("name", ["pandas", "pyarrow"])
def test_what_spark_needs_beside_itself(name: str, session: Any, monkeypatch: Any) -> None:
    df = session.createDataFrame([("hello",)], "text string")
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(OptionError, match=rf"{name} cannot be imported .* pip install 'spm_lite\[spark\]'"):
        spark.count(df)
