"""Tokenizer.encode_files: the ids of encode_batch, in files that are whole or absent."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.slow import slow_after
from oracle.small_models import small_model

from spm_lite import ArgumentTypeError, FileError, MissingFileError, OptionError, TextError, Tokenizer, train
from spm_lite.encode.encode_batch import encode_batch
from spm_lite.files import documents, id_arrays, id_forms, new_files
from spm_lite.files.read_options import Reading
from spm_lite.tokenizer import id_files as file_ids

READING = Reading(newline="lf", keeps_bytes=True)
TOK = Tokenizer.load(small_model(byte_fallback=True))
posix = pytest.mark.skipif(os.name != "posix", reason="as POSIX has it")


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of a few bytes, so that short files have many."""
    monkeypatch.setattr(file_ids, "BLOCK_SIZE", 40)
    monkeypatch.setattr(documents, "READ_SIZE", 7)


def read(out, dtype="uint16"):
    """The lists in the files of a call."""
    if str(out).endswith(".npy"):
        ids, offsets = np.load(out), np.load(str(out)[:-4] + ".offsets.npy")
        assert ids.dtype == np.dtype(dtype).newbyteorder("<")
        assert offsets.dtype == np.dtype("<i8")
    else:
        ids = np.frombuffer(Path(out).read_bytes(), dtype=np.dtype(dtype).newbyteorder("<"))
        offsets = np.frombuffer(Path(f"{out}.idx").read_bytes(), dtype="<i8")
    assert offsets[0] == 0
    assert offsets[-1] == len(ids)
    return [ids[begin:end].tolist() for begin, end in pairwise(offsets)]


def split(data, separator):
    """The documents of one file."""
    if separator is None:
        return [data]
    found = data.split(separator)
    return found if found[-1] else found[:-1]


def encode(folder, contents, separator=b"\n", out="ids.bin", **options):
    """(what encode_files says, the lists that it wrote) for files with these contents."""
    paths = []
    for number, data in enumerate(contents):
        paths.append(folder / f"{number:04}.txt")
        paths[-1].write_bytes(data)
    result = TOK.encode_files(paths, folder / out, separator=separator, **options)
    return result, read(folder / out, result.dtype)


def expected(contents, separator=b"\n", **options):
    texts = [text for data in contents for text in split(data, separator)]
    return TOK.encode_batch(texts, **options).to_lists()


@pytest.mark.parametrize("out", ["ids.npy", "ids.bin", "ids"])
@pytest.mark.parametrize(
    "contents",
    [
        [b"hello world\nthe pen\n"],
        [b"hello world\nthe pen"],
        [b"\n"],
        [b"\n\n", b"", b"\n"],
        [b"a\r\n\r\nb\0c\n", "日本語 😀".encode(), b"\xff\n\xe6\x97\n"],
        [b""],
    ],
)
def test_lines(tmp_path, contents, out):
    result, lists = encode(tmp_path, contents, out=out)
    assert lists == expected(contents)
    assert result == (len(lists), sum(map(len, lists)), sum(map(len, contents)), "uint16")
    index = "ids.offsets.npy" if out == "ids.npy" else f"{out}.idx"
    assert {path.name for path in tmp_path.iterdir() if path.suffix != ".txt"} == {out, index}


SEPARATORS = st.sampled_from([b"\n", b"\n\n", b"ab", b"aa", b"aba", b"\0", None])


@pytest.mark.slow
@pytest.mark.usefixtures("small_blocks")
@settings(max_examples=300)
@given(st.lists(st.lists(st.sampled_from([b"a", b"b", b"\n", b"\0", b"hello "]), max_size=30), max_size=5), SEPARATORS)
def test_separators(tmp_path_factory, parts, separator):
    contents = [b"".join(part) for part in parts] or [b""]
    _, lists = encode(tmp_path_factory.mktemp("files"), contents, separator)
    assert lists == expected(contents, separator)


@pytest.mark.slow
@pytest.mark.parametrize("num_threads", slow_after(2, [1, 2, 7]))
@pytest.mark.parametrize("separator", slow_after(1, [b"\n", b" the ", None]))
def test_large_files(tmp_path, num_threads, separator):
    rng = random.Random(5)
    words = [b"hello", b"the", b"pen", "日本".encode(), b"\n", b"this is", b"\n\n"]
    contents = [b" ".join(rng.choices(words, k=k)) for k in (900_000, 3, 0, 500_000, *[400] * 100)]
    options = {"bos": True, "eos": True, "num_threads": num_threads}
    result, lists = encode(tmp_path, contents, separator, **options)
    assert lists == expected(contents, separator, **options)
    assert result.bytes == sum(map(len, contents))


@pytest.mark.parametrize("num_threads", [1, 3])
def test_one_long_document(tmp_path, num_threads):
    tok = train(["hello world, this is the pen"] * 3, model_type="bpe", vocab_size=280, hard_vocab_limit=False)
    text = "hello world the \u2581 pens 日本 ".encode() * 70_000
    (tmp_path / "text").write_bytes(text)
    result = tok.encode_files(tmp_path / "text", tmp_path / "ids", separator=None, num_threads=num_threads)
    assert result.documents == 1
    assert read(tmp_path / "ids", result.dtype) == [tok.encode(text)]


def test_a_document_longer_than_a_block(tmp_path):
    contents = [b"a\n" + b"hello world " * 900_000 + b"\nb\n", b"the pen " * 700_000]
    _, lists = encode(tmp_path, contents, num_threads=1)
    assert lists == expected(contents, num_threads=1)


@pytest.mark.parametrize(("dtype", "name"), [("uint32", "uint32"), (np.uint16, "uint16"), (np.dtype("u4"), "uint32")])
@pytest.mark.parametrize("out", ["ids.npy", "ids.bin"])
def test_types(tmp_path, dtype, name, out):
    contents = [b"hello\nworld\n"]
    result, lists = encode(tmp_path, contents, out=out, dtype=dtype)
    assert result.dtype == name
    assert lists == expected(contents)


def test_types_and_vocabularies():
    assert id_forms.as_dtype(None, 65536) == id_forms.as_dtype("uint16", 65536) == "uint16"
    assert id_forms.as_dtype(None, 65537) == "uint32"
    with pytest.raises(OptionError, match="'uint16' ends at 65535, but there are 65537 pieces"):
        id_forms.as_dtype("uint16", 65537)
    for wrong in ("int32", np.int16, 16, "<u2"):
        with pytest.raises(OptionError, match="is neither 'uint16' nor 'uint32'"):
            id_forms.as_dtype(wrong, 9)


def test_npy_files_can_be_mapped(tmp_path):
    encode(tmp_path, [b"hello\nworld\n"], out="ids.npy")
    ids = np.load(tmp_path / "ids.npy", mmap_mode="r")
    assert ids.tolist() == TOK.encode_batch(["hello", "world"]).ids.tolist()
    assert ids.offset % 64 == 0


@pytest.mark.parametrize("size", [0, 1, 10**18])
def test_headers(size):
    header = id_arrays.npy_header("<u2", size)
    assert len(header) == id_arrays.HEADER_SIZE
    assert header.endswith(b"\n")
    assert f"'shape': ({size},)".encode() in header


def test_globs_and_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.txt", "a.txt"):
        Path(name).write_bytes(name.encode())
    want = TOK.encode_batch(["a.txt", "b.txt"]).to_lists()
    for paths in ("*.txt", ["a.txt", Path("b.txt")], Path("*.txt"), iter(["a.txt", "b.txt"]), ("[a]*", "b.txt")):
        TOK.encode_files(paths, "ids")
        assert read("ids") == want
    TOK.encode_files(["a.txt"] * 2, Path("ids"))
    assert read("ids") == want[:1] * 2


@posix
def test_a_pipe(tmp_path):
    reader, writer = os.pipe()
    os.write(writer, b"hello\nworld")
    os.close(writer)
    seen = []
    TOK.encode_files(f"/dev/fd/{reader}", tmp_path / "ids", progress=seen.append)
    os.close(reader)
    assert read(tmp_path / "ids") == TOK.encode_batch(["hello", "world"]).to_lists()
    assert [(at.phase, at.done, at.fraction) for at in seen] == [("encode", 11, None)]


@pytest.mark.usefixtures("small_blocks")
def test_progress(tmp_path):
    seen = []
    encode(tmp_path, [b"hello\n" * 30, b"a\n" * 30], num_threads=1, progress=seen.append)
    assert len(seen) > 4
    assert [at.done for at in seen] == sorted(at.done for at in seen)
    assert {(at.phase, at.unit) for at in seen} == {("encode", "bytes")}
    assert all(at.fraction == at.done / 240 for at in seen)
    assert seen[-1].done == 240


# -- errors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        (("absent.txt", "ids"), {}, MissingFileError, "no file 'absent.txt' to read"),
        (("absent*", "ids"), {}, MissingFileError, r"no file 'absent\*' to read"),
        ((["a.txt", "hello"], "ids"), {}, MissingFileError, "no file 'hello' to read"),
        (("folder", "ids"), {}, FileError, "'folder' is a folder without files of text"),
        (("a.txt", "ids"), {"column": 3}, ArgumentTypeError, "column=3"),
        (([], "ids"), {}, OptionError, "paths is empty"),
        ((b"a.txt", "ids"), {}, ArgumentTypeError, "paths is bytes"),
        (([b"a.txt"], "ids"), {}, ArgumentTypeError, "item 0 of paths is bytes"),
        ((5, "ids"), {}, ArgumentTypeError, "paths is int"),
        (("a.txt", 5), {}, ArgumentTypeError, "out is str or PathLike, not int"),
        (("a.txt", "i\0"), {}, FileError, "holds a NUL"),
        (("a.txt", "absent/ids"), {}, MissingFileError, "cannot be written"),
        (("a.txt", "."), {}, FileError, "cannot be written: Is a directory"),
        (("a.txt", "ids"), {"separator": 10}, ArgumentTypeError, "separator is int"),
        (("a.txt", "ids"), {"separator": b""}, OptionError, "separator is empty"),
        (("a.txt", "ids"), {"num_threads": 0}, OptionError, "num_threads 0"),
        (("a.txt", "ids"), {"bos": 1}, ArgumentTypeError, "bos=1"),
        (("a.txt", "ids"), {"progress": 1}, ArgumentTypeError, "progress=1"),
        (("a.txt", "a.txt"), {}, OptionError, "'a.txt' is among the files to encode"),
        (("*", "b.bin"), {}, OptionError, "'b.bin.idx' is among the files to encode"),
        ((["a.txt", "packed"], "ids"), {}, FileError, "'packed' is gzip data that is damaged"),
    ],
)
def test_wrong_arguments(tmp_path, monkeypatch, arguments, options, kind, message):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_bytes(b"hello\n")
    Path("b.bin.idx").write_bytes(b"")
    Path("folder").mkdir()
    Path("packed").write_bytes(b"\x1f\x8b\x08\0")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(kind, match=message):
        TOK.encode_files(*arguments, **options)
    assert sorted(tmp_path.iterdir()) == before
    assert Path("a.txt").read_bytes() == b"hello\n"


@posix
def test_devices_and_pipes_are_no_targets(tmp_path, null_device):
    (tmp_path / "a.txt").write_bytes(b"hello\n")
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "pipe", null_device):
        with pytest.raises(FileError, match=r"cannot be written: .*name a file"):
            TOK.encode_files(tmp_path / "a.txt", target)
    assert null_device.is_char_device()


@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize("step", ["rename", "sync"])
def test_both_files_or_none(tmp_path, monkeypatch, step, is_old):
    """What fails when one of them is in its place already, or both are."""
    (tmp_path / "a.txt").write_bytes(b"hello\n")
    if is_old:
        (tmp_path / "ids").write_bytes(b"old ids")
        (tmp_path / "ids.idx").write_bytes(b"old offsets")
    rename = Path.replace

    def refuse_ids(path, target):
        if Path(target).name == "ids" and path.suffix != ".old":
            raise OSError(errno.EIO, "no luck")
        return rename(path, target)

    def interrupt(_folder):
        raise KeyboardInterrupt

    if step == "rename":
        monkeypatch.setattr(Path, "replace", refuse_ids)
    else:
        monkeypatch.setattr(new_files, "sync_folder", interrupt)
    with pytest.raises((FileError, KeyboardInterrupt)):
        TOK.encode_files(tmp_path / "a.txt", tmp_path / "ids")
    found = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != "a.txt"}
    if step == "sync":
        assert read(tmp_path / "ids") == [TOK.encode("hello")]
        assert len(found) == 2
    else:
        assert found == ({"ids": b"old ids", "ids.idx": b"old offsets"} if is_old else {})


def test_old_files_that_go_meanwhile(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"hello\n")
    for name in ("ids", "ids.idx"):
        (tmp_path / name).write_bytes(b"old")

    def remove(*_figures):
        (tmp_path / "ids.idx").unlink(missing_ok=True)

    TOK.encode_files(tmp_path / "a.txt", tmp_path / "ids", progress=remove)
    assert read(tmp_path / "ids") == [TOK.encode("hello")]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "ids", "ids.idx"]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(
    ("separator", "where"), [(b"\n", "b.txt', line 8"), (b"\n\n", "b.txt', document 2"), (None, "b.txt'")]
)
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\nmore"])
def test_documents_that_are_too_long(tmp_path, monkeypatch, separator, where, end):
    monkeypatch.setattr(documents, "MAX_SIZE", 60)
    (tmp_path / "a.txt").write_bytes(b"hello\n" * 10 if separator == b"\n" else b"")
    (tmp_path / "b.txt").write_bytes(b"x\n" * 6 + b"\n" + b"y" * 61 + end)
    with pytest.raises(TextError, match=where + ": .*60 of one text"):
        TOK.encode_files([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "ids", separator=separator)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


def test_the_longest_document(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "MAX_SIZE", 60)
    contents = [b"x\n" + b"y" * 60 + b"\n", b"z" * 60]
    assert encode(tmp_path, contents)[1] == expected(contents)


@pytest.mark.usefixtures("small_blocks")
def test_documents_that_cannot_be_encoded(tmp_path, monkeypatch):
    """Where the normalized text is too long, which only the encoder sees, the document is looked for."""

    class Refusing:
        vocab = TOK._encoder.vocab

        def encode(self, text):
            if b"y" in text:
                raise TextError("too long")

    def refuse(encoder, texts, *options):
        for i in range(len(texts)):
            encoder.encode(texts.text(i))
        return encode_batch(TOK._encoder, texts, *options)

    monkeypatch.setattr(file_ids, "encode_batch", refuse)
    (tmp_path / "a.txt").write_bytes(b"hello\n" * 20)
    (tmp_path / "b.txt").write_bytes(b"hello\n" * 9 + b"xy\n")
    with pytest.raises(TextError, match=r"b.txt', line 10: too long"):
        file_ids.encode_files(
            Refusing(), [tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "ids", READING, None, (-1, -1), 2, None
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]


@posix
@pytest.mark.parametrize("out", ["ids.npy", "ids.bin"])
def test_a_full_disk(tmp_path, out):
    """The limit for the size of files stands for it."""
    program = f"""
import resource, signal, sys
import spm_lite
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
tok = spm_lite.Tokenizer.load("m.model")
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    tok.encode_files("a.txt", {out!r})
except spm_lite.FileError as error:
    print(error)
"""
    (tmp_path / "m.model").write_bytes(TOK.to_bytes())
    (tmp_path / "a.txt").write_bytes(b"hello world\n" * 100_000)
    (tmp_path / out).write_bytes(b"old")
    result = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"cannot be written: File too large: '{out}'" in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.txt", "m.model", out])
    assert (tmp_path / out).read_bytes() == b"old"


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("number", [1, 2])
def test_what_the_disk_refuses(tmp_path, monkeypatch, step, number):
    """The first time that it is asked to, or the second."""
    calls = []
    owner, name = (os, "fsync") if step == "fsync" else (Path, "replace")
    original = getattr(owner, name)

    def full(*arguments):
        calls.append(arguments)
        if len(calls) == number:
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(*arguments)

    monkeypatch.setattr(owner, name, full)
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        encode(tmp_path, [b"hello\n"])
    assert [path.name for path in tmp_path.iterdir()] == ["0000.txt"]


def test_an_error_of_the_progress_callback(tmp_path):
    def stop(*_figures):
        raise KeyError("mine")

    (tmp_path / "ids.bin").write_bytes(b"old")
    with pytest.raises(KeyError, match="mine"):
        encode(tmp_path, [b"hello\n"], progress=stop)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0000.txt", "ids.bin"]
    assert (tmp_path / "ids.bin").read_bytes() == b"old"


@posix
def test_ctrl_c_leaves_nothing(tmp_path):
    program = """
import sys, spm_lite
tok = spm_lite.Tokenizer.load("m.model")
print("ready", flush=True)
tok.encode_files(["a.txt"] * 1000, "ids.npy")
"""
    (tmp_path / "m.model").write_bytes(TOK.to_bytes())
    (tmp_path / "a.txt").write_bytes(b"hello world\n" * 500_000)
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        while len(list(tmp_path.iterdir())) < 4:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert b"KeyboardInterrupt" in process.stderr.read()
        process.wait()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "m.model"]


@posix
@pytest.mark.thread_unsafe
def test_permissions_and_links(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o604)
    (tmp_path / "ids").symlink_to(tmp_path / "real")
    mask = os.umask(0o027)
    try:
        encode(tmp_path, [b"hello\n"], out="ids")
    finally:
        os.umask(mask)
    assert (tmp_path / "ids").is_symlink()
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o604
    assert (tmp_path / "ids.idx").stat().st_mode & 0o777 == 0o640
