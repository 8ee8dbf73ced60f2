"""Files elsewhere, through fsspec: the same text as files here, and errors that name the address."""

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys

import pytest

import spm_lite
from spm_lite import CountTable
from spm_lite.engines.shards.sources import find_sources
from spm_lite.errors import ArgumentTypeError, FileError, MissingFileError
from spm_lite.files.remote import is_remote

fsspec = pytest.importorskip("fsspec")
TEXTS = ["the mill turns the wheel", "日本語 text"] * 9


@pytest.fixture
def files():
    """Files in the memory of this process, as on a server."""
    system = fsspec.filesystem("memory")
    lines = "\n".join(TEXTS).encode()
    rows = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS).encode()
    contents = {
        "a.txt": lines,
        "b.jsonl.gz": gzip.compress(rows),
        "c/d.txt": lines,
        ".hidden.txt": b"no",
        "e.bin": b"n",
    }
    for name, data in contents.items():
        system.pipe(f"/corpus/{name}", data)
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.mark.parametrize(
    ("address", "times"),
    [
        ("memory://corpus/a.txt", 1),
        ("memory://corpus/b.jsonl.gz", 1),
        ("memory://corpus/*.txt", 1),
        ("memory://corpus", 3),
        (["memory://corpus/a.txt", "memory://corpus/b.jsonl.gz"], 2),
    ],
)
def test_the_same_text(files, address, times):
    assert CountTable.count(address) == CountTable.count(TEXTS * times)


def test_everything_that_reads(files, tmp_path):
    tok = spm_lite.train("memory://corpus/a.txt", vocab_size=300, hard_vocab_limit=False)
    assert tok.report.files == ("memory://corpus/a.txt",)
    assert tok.to_bytes() == spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False).to_bytes()
    assert spm_lite.evaluate(tok, "memory://corpus/b.jsonl.gz").texts == len(TEXTS)
    assert tok.encode_files("memory://corpus/*.txt", tmp_path / "x.bin").documents == len(TEXTS)


def test_columns_of_parquet(files):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    for name, write in (("t.parquet", parquet.write_table), ("t.feather", feather.write_feather)):
        buffer = io.BytesIO()
        write(pyarrow.table({"text": TEXTS}), buffer)
        files.pipe(f"/corpus/{name}", buffer.getvalue())
        assert CountTable.count(f"memory://corpus/{name}") == CountTable.count(TEXTS)


def test_mistakes(files):
    with pytest.raises(MissingFileError, match=r"memory://corpus/no\.txt"):
        CountTable.count("memory://corpus/no.txt")
    with pytest.raises(FileError, match="nosuch://a"):
        CountTable.count("nosuch://a/b.txt")
    with pytest.raises(MissingFileError, match=r"no file 'memory://corpus/no\.txt'"):
        find_sources("memory://corpus/no.txt")


def test_texts_that_begin_with_an_address_are_texts():
    assert is_remote("https://example.org/page")
    assert CountTable.count(["https://example.org/page"]).total
    assert not any(map(is_remote, ["C:\\a.txt", "C:/a.txt", "a/b.txt", "://", "x:y", "-"]))


def test_data_sets():
    datasets = pytest.importorskip("datasets")
    whole = datasets.Dataset.from_dict({"text": TEXTS, "n": list(range(len(TEXTS)))})
    for found in (whole, whole.to_iterable_dataset(), whole.shuffle(seed=1), whole.with_format("numpy")):
        assert CountTable.count(found) == CountTable.count(TEXTS)
    assert CountTable.count(whole.select(range(3))) == CountTable.count(TEXTS[:3])
    assert CountTable.count(whole.rename_column("text", "body"), column="body") == CountTable.count(TEXTS)
    with pytest.raises(ArgumentTypeError, match=r"several data sets, 'train': pass one, such as data\['train'\]"):
        CountTable.count(datasets.DatasetDict({"train": whole}))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_standard_input(tmp_path, pack):
    tok = spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False)
    tok.save(tmp_path / "m.model")
    done = subprocess.run(
        [sys.executable, "-m", "spm_lite", "encode", "-m", "m.model"], cwd=tmp_path, check=True,
        input=pack("\n".join(TEXTS).encode() + b"\n"), stdout=subprocess.PIPE,
    )  # fmt: skip
    assert [list(map(int, line.split())) for line in done.stdout.decode().splitlines()] == tok.encode_lists(TEXTS)
