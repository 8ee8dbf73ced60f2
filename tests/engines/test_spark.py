"""Spark: the cases of all engines, in a real session on this machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracle.engine_cases import TEXTS, TOK, EngineCases
from oracle.engines import need, write_parquet

need("spark", "pyspark", "pandas", "pyarrow")

from spm_lite import OptionError  # noqa: E402
from spm_lite.engines import spark  # noqa: E402

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
