"""Compressed files of several streams, and with something after them."""

import bz2
import gzip
import io
import lzma
import random

import pytest

import spm_lite
from spm_lite.errors import FileError
from spm_lite.files import compressed
from spm_lite.files.compressed import ZstdFrames, open_unpacked

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


def zstd_frames():
    """Data of all kinds of frames and blocks, and what they hold."""
    zstandard = pytest.importorskip("zstandard")
    noise = random.Random(1).randbytes(140_000)  # blocks that are not compressed
    skipped = b"\x50\x2a\x4d\x18" + (9).to_bytes(4, "little") + b"nine more"
    empty = b"\x50\x2a\x4d\x18" + bytes(4)
    data, content = [skipped, empty], []
    for text in (b"", b"a", TEXT[:200_000], bytes(1 << 18), noise):
        for level, checksum, size in ((1, True, True), (6, False, True), (1, True, False)):
            new = zstandard.ZstdCompressor(level=level, write_checksum=checksum, write_content_size=size)
            packer = new.compressobj()  # a frame whose size is not known
            data += [new.compress(text), skipped, packer.compress(text) + packer.flush()]
            content += [text, text]
    return b"".join(data), b"".join(content)


class FewBytes(io.BytesIO):
    """A file that gives at most 7 bytes at once, as a pipe may."""

    def read(self, size=-1):
        return super().read(7)


@pytest.mark.parametrize("raw", [io.BytesIO, FewBytes])
def test_all_frames_of_zstd_are_read(raw):
    zstandard = pytest.importorskip("zstandard")
    data, content = zstd_frames()
    frames = ZstdFrames(raw(data), zstandard)
    assert b"".join(iter(lambda: frames.read(1 << 16), b"")) == content


@pytest.mark.parametrize("low", [0x50, 0x57, 0x5F])
def test_a_frame_to_skip_comes_first(low, tmp_path):
    """As pzstd writes it: the size of the frame after it."""
    pack = pytest.importorskip("zstandard").ZstdCompressor().compress
    start = bytes([low]) + b"\x2a\x4d\x18"
    for name in ("x.zst", "x.txt"):
        (tmp_path / name).write_bytes(start + b"\4\0\0\0size" + pack(TEXT) + start + b"\0\0\0\0" + pack(TEXT))
        assert content(tmp_path / name) == TEXT + TEXT
    (tmp_path / "x.zst").write_bytes(start + b"\4\0\0\0siz")
    with pytest.raises(FileError, match="damaged or cut off"):
        content(tmp_path / "x.zst")


def test_each_cut_of_a_frame_is_seen(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    data = zstandard.ZstdCompressor(write_checksum=True).compress(TEXT[:2000])
    for size in range(10, len(data)):
        (tmp_path / "x.zst").write_bytes(data[:size])
        with pytest.raises(FileError, match="damaged or cut off"):
            content(tmp_path / "x.zst")


def test_changed_frames_end(tmp_path):
    """Each gives an error or the text, since a checksum follows it."""
    zstandard = pytest.importorskip("zstandard")
    data, rng = zstandard.ZstdCompressor(write_checksum=True).compress(TEXT[:5000]), random.Random(1)
    for _ in range(300):
        changed = bytearray(data)
        changed[rng.randrange(4, len(data))] ^= 1 << rng.randrange(8)
        (tmp_path / "x.zst").write_bytes(changed)
        try:
            assert content(tmp_path / "x.zst") == TEXT[:5000]
        except FileError as error:
            assert "damaged or cut off" in str(error) or "window" in str(error)


class Watched:
    """zstandard, and the most bytes that one step unpacked."""

    most = 0

    def __init__(self, zstandard):
        self.zstandard = zstandard

    def ZstdDecompressor(self, **options):
        self.frame = self.zstandard.ZstdDecompressor(**options).decompressobj()
        return self

    def decompressobj(self):
        return self

    def decompress(self, data):
        found = self.frame.decompress(data)
        self.most = max(self.most, len(found))
        return found

    @property
    def eof(self):
        return self.frame.eof


def test_a_step_of_zstd_is_a_block():
    """A file of 3 KB that holds 64 MB."""
    zstandard = pytest.importorskip("zstandard")
    watched = Watched(zstandard)
    data = zstandard.ZstdCompressor(level=19).compress(bytes(1 << 26))
    frames = ZstdFrames(io.BytesIO(data), watched)
    assert sum(map(len, iter(lambda: frames.read(1 << 30), b""))) == 1 << 26
    assert watched.most <= 1 << 17


@pytest.mark.parametrize("kind", [*PACK, "zstd"])
def test_far_too_much_text_is_an_error(kind, tmp_path, monkeypatch):
    """What comes before the limit is read; a file with another ratio, or with less text, has none."""
    pack = PACK[kind] if kind in PACK else pytest.importorskip("zstandard").ZstdCompressor(write_checksum=True).compress
    monkeypatch.setattr(compressed, "LEAST_BOMB", 1 << 20)
    path = tmp_path / "x.txt.packed"
    path.write_bytes(pack(b"a\n" * (1 << 21)))
    with pytest.raises(FileError, match=r"unpack to more than .*, and .*, or 500 for each byte of the file are the"):
        spm_lite.CountTable.count(path)
    assert spm_lite.CountTable.count(path, max_unpacked="1GB").total == 1 << 21  # the remedy
    counts = spm_lite.CountTable.count(path, on_error="skip")
    assert 1 << 19 <= counts.total < 1 << 21
    path.write_bytes(pack(b"a\n" * (1 << 19)))
    assert spm_lite.CountTable.count(path).total == 1 << 19
    path.write_bytes(pack(TEXT * 6))
    assert content(path) == TEXT * 6


def test_the_ratio_is_that_of_the_whole_file(tmp_path, monkeypatch):
    """A file may begin with much that packs well."""
    monkeypatch.setattr(compressed, "LEAST_BOMB", 1 << 16)
    monkeypatch.setattr(compressed, "MOST_RATIO", 50)
    data = bytes(1 << 23) + random.Random(1).randbytes(400_000)
    (tmp_path / "x").write_bytes(gzip.compress(data))
    assert content(tmp_path / "x") == data


@pytest.mark.parametrize("kind", [*PACK, "zstd"])
def test_the_most_that_the_caller_allows(kind, tmp_path):
    """A file that holds as much is read, and of a larger one that much."""
    pack = PACK[kind] if kind in PACK else pytest.importorskip("zstandard").compress
    path = tmp_path / "x.txt.packed"
    path.write_bytes(pack(b"a\n" * 500))
    assert spm_lite.CountTable.count(path, max_unpacked=1000).total == 500
    with pytest.raises(
        FileError,
        match=r"unpack to more than 998, and max_unpacked=998 is the most: if you trust it, unpack it, or pass",
    ):
        spm_lite.CountTable.count(path, max_unpacked=998)
    assert spm_lite.CountTable.count(path, max_unpacked=998, on_error="skip").total == 499
    path.write_bytes(b"a\n" * 500)
    assert spm_lite.CountTable.count(path, max_unpacked=1).total == 500  # there is nothing to unpack


@pytest.mark.parametrize("kind", ["xz", "zstd"])
def test_a_large_window_is_an_error(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "MOST_WINDOW", 1 << 20)
    if kind == "xz":
        data = lzma.compress(TEXT)  # its window has 8 MB
    else:
        packer = pytest.importorskip("zstandard").ZstdCompressor(level=10).compressobj()
        data = packer.compress(TEXT) + packer.flush()
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(FileError, match=r"needs a window of more than 1 MB .*smaller window"):
        content(tmp_path / "x")


@pytest.mark.parametrize(
    "error", [MemoryError(), ValueError("zstd decompress error: Allocation error : not enough memory")]
)
def test_little_memory_is_no_damage(error, tmp_path, monkeypatch):
    def read(self, size):
        raise error

    (tmp_path / "x").write_bytes(bz2.compress(b"all"))
    monkeypatch.setattr(compressed.Streams, "read", read)
    with open_unpacked(tmp_path / "x") as file, pytest.raises(MemoryError):
        file.read(9)
