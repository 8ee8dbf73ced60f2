"""Tables of pyarrow, polars, duckdb and datasets as the input of training: the same texts, the same model bytes."""

import io

import pytest
from oracle.engines import need, texts_of

need("datasets", "datasets", "pyarrow")

import pyarrow as pa  # noqa: E402
from pyarrow import parquet  # noqa: E402

from spm_lite import OptionError, train  # noqa: E402

pytestmark = [pytest.mark.datasets, pytest.mark.filterwarnings("ignore")]
TEXTS = texts_of(3, 400)
OPTIONS = {"vocab_size": 400, "hard_vocab_limit": False}


@pytest.fixture(scope="module")
def expected():
    return train(texts=TEXTS, **OPTIONS).to_bytes()


@pytest.fixture(scope="module")
def table():
    return pa.table({"id": range(len(TEXTS)), "text": TEXTS})


def file_of(table):
    """The table as a Parquet file in memory."""
    file = io.BytesIO()
    parquet.write_table(table, file)
    file.seek(0)
    return file


def datasets_of(table):
    import datasets

    whole = datasets.Dataset(table)
    return [
        whole,
        whole["text"],
        whole.to_iterable_dataset(),
        whole.iter(batch_size=70),
        (whole[i : i + 90]["text"] for i in range(0, len(whole), 90)),
    ]


def frames_of(table):
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(table)
    return [frame, frame["text"], frame.lazy(), polars.scan_parquet(file_of(table))]


def relations_of(table):
    duckdb = pytest.importorskip("duckdb")
    yield duckdb.from_arrow(table)
    yield duckdb.from_arrow(table).fetch_record_batch(100)  # open until it is read


def columns_of(table):
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(60))
    return [table, table["text"], pa.array(TEXTS), table.to_batches(60), reader, iter([table[:100], table[100:]])]


@pytest.mark.parametrize("inputs", [datasets_of, frames_of, relations_of, columns_of])
def test_the_same_model(table, expected, inputs):
    for source in inputs(table):
        assert train(source, **OPTIONS).to_bytes() == expected, type(source)


@pytest.mark.parametrize("inputs", [datasets_of, frames_of, relations_of, columns_of])
def test_another_column(table, expected, inputs):
    """Without its name the error lists the names; with it the model is the same."""
    renamed = table.rename_columns(["id", "body"])
    for source in whole_tables(inputs, renamed):
        with pytest.raises(OptionError, match="it has 'id', 'body'"):
            train(source, **OPTIONS)
        assert train(source, column="body", **OPTIONS).to_bytes() == expected, type(source)


def whole_tables(inputs, table):
    """Those of the inputs that hold all columns and can be read again."""
    if inputs is datasets_of:
        import datasets

        return [datasets.Dataset(table)]
    if inputs is frames_of:
        polars = pytest.importorskip("polars")
        return [polars.from_arrow(table), polars.from_arrow(table).lazy(), polars.scan_parquet(file_of(table))]
    if inputs is relations_of:
        return [pytest.importorskip("duckdb").from_arrow(table)]
    return [table]
