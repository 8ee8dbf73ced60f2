"""Compressed files of several streams, and with something after them."""

import bz2
import gzip
import lzma

import pytest

from spm_lite.errors import FileError
from spm_lite.files.compressed import open_unpacked

PACK = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
TEXT = b"".join(b"%d the cat sat\n" % i for i in range(50_000))


def content(path, size=1 << 16):
    with open_unpacked(path) as file:
        return b"".join(iter(lambda: file.read(size), b""))


@pytest.fixture(params=PACK)
def pack(request):
    return PACK[request.param]


@pytest.mark.parametrize("size", [1 << 10, 1 << 20, 1 << 30])
def test_all_streams_are_read(pack, size, tmp_path):
    parts = [pack(TEXT), pack(b""), pack(TEXT[:99]), bytes(4), pack(b"end")]
    (tmp_path / "x").write_bytes(b"".join(parts) + bytes(8))
    assert content(tmp_path / "x", size) == TEXT + TEXT[:99] + b"end"


@pytest.mark.parametrize("tail", [b"more", b"B", b"BZh9", b"\0\0\xfd7z"])
def test_what_is_no_stream_is_an_error(pack, tail, tmp_path):
    (tmp_path / "x").write_bytes(pack(b"all") + tail)
    with open_unpacked(tmp_path / "x") as file:
        assert file.read(9) == b"all"
        with pytest.raises(FileError, match="damaged or cut off"):
            file.read(9)


@pytest.mark.parametrize("size", [1, 4, 9])
def test_a_file_that_is_cut_off_at_once_is_an_error(pack, size, tmp_path):
    for name in ("x.gz", "x.BZ2", "x.xz", "x.zst"):
        (tmp_path / name).write_bytes(pack(b"all")[:size])
        with pytest.raises(FileError, match="damaged or cut off"):
            content(tmp_path / name)
    (tmp_path / "x.txt").write_bytes(b"BZh9")
    (tmp_path / "x.bz2").write_bytes(b"")
    assert content(tmp_path / "x.txt") == b"BZh9" and content(tmp_path / "x.bz2") == b""


def test_a_damaged_stream_does_not_end_the_text(pack, tmp_path):
    """Python's readers of bzip2 and xz stop there without a word."""
    second = bytearray(pack(TEXT))
    second[1] ^= 0xFF
    (tmp_path / "x").write_bytes(pack(TEXT[:50]) + second)
    with pytest.raises(FileError, match="damaged or cut off"):
        content(tmp_path / "x")


def test_reading_nothing_ends(pack, tmp_path):
    (tmp_path / "x").write_bytes(pack(b"all"))
    with open_unpacked(tmp_path / "x") as file:
        assert [file.read(1), file.read(0), file.read(9)] == [b"a", b"", b"ll"]


def test_much_text_in_few_bytes_comes_in_parts(pack, tmp_path):
    (tmp_path / "x").write_bytes(pack(bytes(1 << 26)))
    with open_unpacked(tmp_path / "x") as file:
        sizes = [len(data) for data in iter(lambda: file.read(1 << 30), b"")]
    assert (sum(sizes), max(sizes) <= 1 << 20) == (1 << 26, True)
