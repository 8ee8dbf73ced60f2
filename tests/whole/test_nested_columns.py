"""Texts below the fields of a row: the same path names them in JSON lines, rows, Parquet and Arrow."""

import json

import pytest

import spm_lite
from spm_lite import CountTable
from spm_lite.errors import FileError, OptionError

ROW = {
    "translation": {"en": "the mill turns", "de": "die Mühle"},
    "paragraphs": ["one text", "another"],
    "messages": [{"role": "user", "content": "hi there"}, {"role": "assistant", "content": "hello"}],
    "a.b": "dotted",
    "a": {"b": "nested", "c.d": "deep"},
    "pages": [["p1", "p2"], ["p3"]],
    "n": 7,
}
PATHS = {
    "translation.en": ["the mill turns"],
    "translation.de": ["die Mühle"],
    "paragraphs": ["one text", "another"],
    "paragraphs[]": ["one text", "another"],
    "messages.content": ["hi there", "hello"],
    "messages[].content": ["hi there", "hello"],
    "a.b": ["dotted"],
    "a.c.d": ["deep"],
    "pages": ["p1", "p2", "p3"],
}
N = 20


def json_lines_of(rows, folder):
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def json_lines(folder):
    return json_lines_of([ROW] * N, folder)


def rows(folder):
    return [ROW] * N


def parquet_of(rows, folder):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = folder / "data.parquet"
    parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=7)
    return path


def parquet(folder):
    return parquet_of([ROW] * N, folder)


def arrow(folder):
    pyarrow = pytest.importorskip("pyarrow")

    path = folder / "data.arrow"
    table = pyarrow.Table.from_pylist([ROW] * N)
    with pyarrow.OSFile(str(path), "wb") as sink, pyarrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, 6)
    return path


@pytest.mark.parametrize("make", [json_lines, rows, parquet, arrow])
@pytest.mark.parametrize("column", PATHS)
def test_each_text_counts(tmp_path, make, column):
    source = make(tmp_path)
    assert CountTable.count(source, column=column) == CountTable.count(texts=PATHS[column] * N)
    quality = spm_lite.evaluate(spm_lite.byte_tokenizer(), source, column=column)
    assert (quality.texts, quality.bytes) == (
        N * len(PATHS[column]),
        N * sum(len(text.encode()) for text in PATHS[column]),
    )


@pytest.mark.parametrize("make", [json_lines, rows, parquet, arrow])
@pytest.mark.parametrize("column", ["translation.fr", "messages.content.x", "n.x", "nothing", "paragraphs.x"])
def test_paths_that_lead_nowhere(tmp_path, make, column):
    with pytest.raises((OptionError, FileError, TypeError), match=r"field|column"):
        CountTable.count(make(tmp_path), column=column)


def test_rows_without_the_field_can_be_skipped(tmp_path):
    path = tmp_path / "data.jsonl"
    lines = [
        {"m": [{"c": "a"}, {"c": "b"}]},
        {"m": [{"c": "c"}, {"x": "d"}]},
        {"m": None},
        {"m": []},
        {"m": [{"c": 5}]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises((OptionError, FileError), match=r"line 2.*'m.c'"):
        CountTable.count(path, column="m.c")
    assert CountTable.count(path, column="m.c", on_error="skip") == CountTable.count(texts=["a", "b"])


def test_files_of_ids_and_shards(tmp_path):
    """JSON lines are read alike where documents become ids."""
    from spm_lite.engines import shards

    tok = spm_lite.byte_tokenizer()
    path = json_lines(tmp_path)
    done = tok.encode_files(path, tmp_path / "ids.npy", column="messages.content")
    assert done.documents == 2 * N
    plan = shards.plan(path, tmp_path / "shards", tok, column="messages.content")
    assert plan.run(num_workers=1).documents == 2 * N


@pytest.mark.parametrize("make", [json_lines_of, parquet_of])
def test_a_null_names_its_row(tmp_path, make):
    rows = [{"m": ["a"] * 5}, {"m": []}, {"m": ["b", None]}, {"m": ["c"]}]
    with pytest.raises(FileError, match=r"(row|line) 3.*'m' is null"):
        CountTable.count(make(rows, tmp_path), column="m")
    rows[2] = {"m": None}
    with pytest.raises(FileError, match=r"(row|line) 3.*'m' is null"):
        CountTable.count(make(rows, tmp_path), column="m")
    assert CountTable.count(make(rows, tmp_path), column="m", on_error="skip") == CountTable.count(["a"] * 5 + ["c"])


def test_nulls_below_a_list_are_empty_documents(tmp_path):
    """A shard keeps the texts beside them."""
    from spm_lite.engines import shards

    path = json_lines_of([{"m": [{"c": "keep me"}, {}]}, {"m": [{"c": "b"}]}], tmp_path)
    plan = shards.plan(path, tmp_path / "shards", spm_lite.byte_tokenizer(), column="m.c", nulls="empty")
    done = plan.run(num_workers=1)
    assert (done.documents, done.ids) == (3, 8)


def test_a_field_with_a_dot_comes_before_a_path(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "data.parquet"
    parquet.write_table(pyarrow.table({"a": [{"b": "nested"}], "a.b": ["dotted"]}), path)
    assert CountTable.count(path, column="a.b") == CountTable.count(["dotted"])
