"""Compressed files, and files of records: the same texts as in a plain file, and errors that name the place."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spm_lite
from spm_lite.errors import FileError, OptionError, SpmLiteError
from spm_lite.files.record_files import format_by_name, items_of_array, lines_of, quoted_rows

TEXTS = [f'the cat {i} sat, "on" the mat \u00fc{i % 7} \u65e5\u672c' for i in range(400)] + [
    "",
    " a  b ",
    "\u2581",
    "\u00e9",
]
OPTIONS = {"vocab_size": 320, "hard_vocab_limit": False}


def compressions():
    found = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    try:
        import zstandard
    except ImportError:
        return found
    return {**found, "zst": zstandard.ZstdCompressor().compress}


def as_csv(delimiter):
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([["id", "text"], *enumerate(TEXTS)])
    return stream.getvalue().encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One file of each format with the same texts."""
    folder = tmp_path_factory.mktemp("records")
    plain = ("\n".join(TEXTS) + "\n").encode()
    rows = "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(TEXTS)).encode()
    files = {
        "a.txt": plain,
        "a.jsonl": rows,
        "a.csv": as_csv(","),
        "a.tsv": as_csv("\t"),
        "bom.csv": b"\xef\xbb\xbf" + as_csv(","),
    }
    for name, data in list(files.items())[:3]:
        for ending, compress in compressions().items():
            files[f"{name}.{ending}"] = compress(data)
    files["bom.csv"] = b"\xef\xbb\xbf" + as_csv(",")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    try:
        import pyarrow
        from pyarrow import feather, parquet
    except ImportError:
        return folder
    table = pyarrow.table({"id": range(len(TEXTS)), "text": TEXTS})
    parquet.write_table(table, folder / "a.parquet", row_group_size=100)
    feather.write_feather(table, folder / "a.feather")
    with pyarrow.OSFile(str(folder / "a.arrow"), "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return folder


@pytest.mark.slow
def test_the_same_model_of_every_format(folder):
    expected = spm_lite.train(TEXTS, **OPTIONS)
    counts = spm_lite.CountTable.count(TEXTS)
    table = [*counts]
    sums = spm_lite.evaluate(expected, TEXTS)
    paths = sorted(folder.iterdir())
    assert len(paths) >= 14
    for path in paths:
        options = {"quoting": True} if path.suffix == ".tsv" else {}
        assert spm_lite.train(path, **options, **OPTIONS).to_bytes() == expected.to_bytes(), path
        assert [*spm_lite.CountTable.count(str(path), **options)] == table
        assert spm_lite.evaluate(expected, path, **options) == sums


def test_the_same_ids_of_every_format(folder, tmp_path):
    tok = spm_lite.train(TEXTS, **OPTIONS)
    expected = tok.encode_batch(TEXTS)
    for path in sorted(folder.iterdir()):
        done = tok.encode_files(path, tmp_path / "ids.npy", quoting=True if path.suffix == ".tsv" else None)
        assert done.documents == len(TEXTS)
        assert np.load(tmp_path / "ids.npy").tolist() == expected.ids.tolist(), path
        assert np.load(tmp_path / "ids.offsets.npy").tolist() == expected.offsets.tolist()
    paths = [folder / "a.txt", folder / "a.jsonl", folder / "a.csv"]
    assert tok.encode_files(paths, tmp_path / "three.npy").documents == 3 * len(TEXTS)
    assert np.load(tmp_path / "three.npy").tolist() == expected.ids.tolist() * 3
    raw = tok.encode_files(folder / "a.jsonl", tmp_path / "raw.npy", column="")
    assert raw.ids > 2 * len(expected.ids)


def test_a_folder_is_read_by_known_endings_in_the_order_of_bytes(tmp_path):
    names = ["b.txt", "a/z.txt", "a/Z.txt.gz", "a.txt", "B.md", "c.jsonl"]
    for name in [*names, ".hidden.txt", ".git/x.txt", "x.bin", "y.model"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        data = f"text of {name}\n".encode()
        data = gzip.compress(data) if name.endswith("gz") else data
        (tmp_path / name).write_bytes(
            json.dumps({"text": "json"}).encode() if name.endswith("l") and "." in name else data
        )
    (tmp_path / "link.txt").symlink_to(tmp_path / "b.txt")
    tok = spm_lite.train(tmp_path, **OPTIONS)
    expected = sorted(os.fsencode(str(tmp_path / name)) for name in names)
    assert [os.fsencode(name) for name in tok.report.files] == expected
    done = tok.encode_files(tmp_path, tmp_path / "ids.bin")
    assert done.documents == len(names)


def test_damaged_compressed_files(folder, tmp_path):
    """No cut is taken for the end of the text."""
    rng, tok = random.Random(1), spm_lite.train(TEXTS, **OPTIONS)
    for ending in compressions():
        data = (folder / f"a.txt.{ending}").read_bytes()
        path = tmp_path / f"a.txt.{ending}"
        for size in {len(data) - 1, len(data) - 5, len(data) // 2, *(rng.randrange(20, len(data)) for _ in range(8))}:
            path.write_bytes(data[:size])
            with pytest.raises(FileError, match=r"damaged or cut off"):
                spm_lite.CountTable.count(path)
        path.write_bytes(data + data)  # two members
        assert spm_lite.evaluate(tok, path).bytes == 2 * spm_lite.evaluate(tok, TEXTS).bytes


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("x.jsonl", b'{"text": "a"}\n{"text": "b"\n', r"x.jsonl', line 2: .* is not JSON"),
        ("x.jsonl", b'{"text": "a"}\n\n{"text": null}\n', r"x.jsonl', line 3: 'text' is null, not a text"),
        ("x.jsonl", b'{"text": 3}\n', r"x.jsonl', line 1: 'text' is int"),
        ("x.jsonl", b'{"body": "a"}\n', r"line 1: there is no field 'text': it has 'body'. Name it with column='NAME'"),
        ("x.jsonl", b"[1]\n", r"line 1: it holds list"),
        ("x.jsonl", b'{"text": "\\ud800"}\n', r"line 1: 'text' holds a lone surrogate"),
        ("x.csv", b"id,body\n1,a\n", r"line 1: there is no column 'text': it has 'id', 'body'"),
        ("x.csv", b"text,text\n1,a\n", r"more than one column 'text'"),
        ("x.csv", b"id,text\n1,a\n2\n", r"line 3: it has 1 columns, and the first line 2"),
        ("x.csv", b'id,text\n1,"a', r"line 2: it is not a row of CSV"),
        ("x.parquet", b"PAR1 no", r"x.parquet', after row 0: it is damaged, or its format is not parquet"),
        ("x.arrow", b"ARROW1\0\0", r"x.arrow', after row 0: it is damaged, or its format is not arrow"),
    ],
)
def test_wrong_records(name, data, message, tmp_path):
    if name.endswith(("parquet", "arrow")):
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SpmLiteError, match=message):
        spm_lite.CountTable.count(tmp_path / name)
    if not name.endswith(("parquet", "arrow")):
        spm_lite.CountTable.count(tmp_path / name, input_format="text")


def test_wrong_columns(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"text": ["a", None], "id": [1, 2], "kind": pyarrow.array(["x", "y"]).dictionary_encode()})
    parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(FileError, match=r"x.parquet', row 2: 'text' is null"):
        spm_lite.CountTable.count(tmp_path / "x.parquet")
    with pytest.raises(OptionError, match="the column 'id' holds int64, not texts"):
        spm_lite.CountTable.count(tmp_path / "x.parquet", column="id")
    assert len(spm_lite.CountTable.count(tmp_path / "x.parquet", column="kind")) == 2


def test_a_file_that_is_named_twice(folder):
    for paths in (["a.txt", "a.txt"], ["a.txt", "./a.txt"], ["a.txt", "a*.txt"]):
        with pytest.raises(OptionError, match=r"is named twice.*: its text would count twice; name it once"):
            spm_lite.CountTable.count([str(folder / path) for path in paths])


def test_names_of_formats():
    for name, kind in (
        ("a.jsonl", "jsonl"),
        ("A.NDJSON.GZ", "jsonl"),
        ("a.csv.zst", "csv"),
        ("a.txt", None),
        ("csv", None),
    ):
        assert format_by_name(Path(name)) == kind


CELLS = st.lists(st.sampled_from(["a", "é", '"', ",", "\n", "\r\n", " ", "x" * 9]), max_size=6).map("".join)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5), st.sampled_from(["\n", "\r\n"]), st.integers(1, 9))
def test_csv_is_read_as_the_module_csv_does(rows: list[tuple[str, str]], end: str, size: int) -> None:
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator=end).writerows(rows)
    data = stream.getvalue().encode()
    parts = (data[i : i + size] for i in range(0, len(data), size))
    found = list(quoted_rows(lines_of(parts), b","))
    assert [(*fields, wrong) for _, fields, wrong in found] == [(a.encode(), b.encode(), "") for a, b in rows]
    breaks = [sum(cell.count("\n") for cell in row) for row in rows]
    assert [number for number, *_ in found] == [1 + i + sum(breaks[:i]) for i in range(len(rows))]


VALUES = st.recursive(st.one_of(st.integers(), st.text(max_size=4), st.none()), lambda one: st.lists(one, max_size=3))


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1]), st.booleans(), st.integers(1, 9))
def test_arrays_are_read_as_the_module_json_does(
    values: list[Any], indent: int | None, is_ascii: bool, size: int
) -> None:
    data = json.dumps(values, indent=indent, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass")
    parts = (data[i : i + size] for i in range(0, len(data), size))
    assert list(items_of_array(parts, Path("x"))) == values
    with pytest.raises(FileError, match=r"'x', item \d+: it is not in an array of JSON"):
        list(items_of_array(iter([data[:-1]]), Path("x")))
