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
from spm_lite.cli.main import main
from spm_lite.engines.shards.sources import find_sources
from spm_lite.errors import ArgumentTypeError, FileError, MissingFileError, OptionError
from spm_lite.files.remote import is_remote
from spm_lite.tokenizer.conversions import write_gpt2

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
    assert CountTable.count(files=address) == CountTable.count(TEXTS * times)
    if isinstance(address, str):
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


def test_a_list_of_addresses_is_files_or_texts_as_the_caller_says():
    assert is_remote("https://example.org/page")
    with pytest.raises(OptionError, match=r"is an address.*files=.*texts="):
        CountTable.count(["https://example.org/page"])
    assert CountTable.count(texts=["https://example.org/page"]).total
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


def test_whole_files_are_read_and_written(files):
    tok = spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False, model_type="byte_bpe")
    tok.save("memory://corpus/m.model")
    assert spm_lite.Tokenizer.load("memory://corpus/m.model") == tok
    pattern = tok.to_tiktoken("memory://corpus/m.tiktoken")
    read = spm_lite.Tokenizer.from_tiktoken("memory://corpus/m.tiktoken", pattern=str(pattern))
    assert read.encode(TEXTS[0]) == tok.encode(TEXTS[0])
    counts = CountTable.count(TEXTS)
    counts.save("memory://corpus/x.counts")
    assert CountTable.load("memory://corpus/x.counts") == counts
    counts.save_tsv("memory://corpus/x.tsv")
    assert CountTable.load_tsv("memory://corpus/x.tsv") == counts


def test_a_command_reads_and_writes_them(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spm_lite.byte_tokenizer().save("m.model")
    assert main(["encode", "-m", "m.model", "memory://corpus/a.txt", "-o", "memory://corpus/a.ids"]) == 0
    tok = spm_lite.byte_tokenizer()
    lines = files.cat("/corpus/a.ids").decode().split("\n")[:-1] or files.cat("/corpus/a.ids").decode().split("\n")
    assert [list(map(int, line.split())) for line in lines][:3] == [tok.encode(text) for text in TEXTS[:3]]


NO_PLACES = {
    "to_hf": lambda tok, name: tok.to_hf(name),
    "to_gpt2": lambda tok, name: write_gpt2(tok, name),
    "from_hf": lambda tok, name: tok.from_hf(name),
    "save with a list of pieces": lambda tok, name: tok.save(f"{name}/m.model", vocab=True),
    "checkpoint": lambda tok, name: spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False, checkpoint=name),
    "encode_files": lambda tok, name: tok.encode_files("a.txt", f"{name}/ids.npy"),
}


@pytest.mark.parametrize("call", NO_PLACES.values(), ids=NO_PLACES)
@pytest.mark.parametrize("name", ["s3://bucket/place", "memory://bucket/place", "gs://bucket"])
def test_no_folder_here_is_named_as_an_address(call, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("a\n")
    tok = spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False, model_type="byte_bpe")
    with pytest.raises(FileError, match=r"address.*local path.*fsspec"):
        call(tok, name)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("target", ["transformers", "gpt2"])
def test_the_command_makes_no_such_folder(target, files, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False, model_type="byte_bpe").save("m.model")
    assert main(["convert", "m.model", "memory://bucket/place", "--to", target]) == 1
    assert "local path" in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["m.model"]


@pytest.mark.parametrize("name", ["memory://corpus/a.txt", "memory://corpus/*.txt", "memory://corpus"])
def test_commands_train_on_them(name, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["--vocab-size", "300", "--no-hard-vocab-limit", "-q"]
    assert main(["train", name, "-o", "m", *options]) == 0
    assert main(["train", "--source", f"a={name}", "-o", "n", *options]) == 0
    assert (tmp_path / "m.model").read_bytes()


def test_a_failed_write_changes_nothing(files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spm_lite.byte_tokenizer().save("m.model")
    (tmp_path / "bad.jsonl").write_text('{"text": "a"}\n{"text": 5}\n')
    files.pipe("/corpus/old.ids", b"OLD")
    assert main(["encode", "-m", "m.model", "bad.jsonl", "-o", "memory://corpus/old.ids"]) == 1
    assert files.cat("/corpus/old.ids") == b"OLD"
    local = f"file://{tmp_path}/i.txt"
    (tmp_path / "i.txt").write_text("ab\n")
    assert main(["encode", "-m", "m.model", "i.txt", "-o", local]) == 0
    assert (tmp_path / "i.txt").read_text() == "100 101\n"


def test_a_read_that_fails_half_way(files, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("socket closed")

    monkeypatch.setattr(type(files), "cat_file", fail)
    with pytest.raises(FileError, match="socket closed"):
        spm_lite.Tokenizer.load("memory://corpus/a.txt")
