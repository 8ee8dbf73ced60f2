"""Files of ids: the bytes that the programs' own writers make, and what a format can hold."""

import io
import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.small_models import small_model

from spm_lite import Batch, FileError, OptionError, Tokenizer
from spm_lite.files import datatrove_ids, id_writer, megatron_ids, new_files, parquet_ids
from spm_lite.files.id_forms import FORMATS, as_dtype, as_format, make_writer, paths_of, vocabulary_name
from spm_lite.files.whole_id_files import WholeFiles

TOK = Tokenizer.load(small_model(byte_fallback=True))
DOCUMENTS = [[1, 2, 300], [], [65499], [7] * 5]
IDS_16 = "010002002c01dbff07000700070007000700"
IDS_32 = "01000000020000002c010000dbff00000700000007000000070000000700000007000000"
LENGTHS = "03000000000000000100000005000000"
BOUNDS = "00000000000000000100000000000000020000000000000003000000000000000400000000000000"
# What megatron-core 0.19.2 (IndexedDatasetBuilder) and datatrove 0.10.1 (TokenizedFile) write for DOCUMENTS.
EXPECTED = {
    ("megatron", "uint16"): {
        ".bin": IDS_16,
        ".idx": "4d4d494449445800000100000000000000080400000000000000050000000000000003000000000000000100000005000000"
        "0000000000000000060000000000000006000000000000000800000000000000" + BOUNDS,
    },
    ("megatron", "int32"): {
        ".bin": IDS_32,
        ".idx": "4d4d494449445800000100000000000000040400000000000000050000000000000003000000000000000100000005000000"
        "00000000000000000c000000000000000c000000000000001000000000000000" + BOUNDS,
    },
    ("datatrove", "uint16"): {
        ".ds": IDS_16,
        ".ds.index": "0300000000000000030000000000000004000000000000000900000000000000",
        ".ds.metadata": b"my-name|2\n9\n9.00 T".hex(),
    },
    ("datatrove", "uint32"): {
        ".ds": IDS_32,
        ".ds.index": "0300000000000000030000000000000004000000000000000900000000000000",
        ".ds.metadata": b"my-name|4\n9\n9.00 T".hex(),
    },
}


def names(folder: Path) -> list[str]:
    """The names of all files in a folder, hidden ones too."""
    return sorted(path.name for path in folder.iterdir())


def write(folder: Path, format: str, dtype: str, documents: list[list[int]], n_blocks: int = 1) -> dict[str, bytes]:
    """The content of each file, by its suffix. n_blocks: in which the documents come."""
    if format == "parquet":
        pytest.importorskip("pyarrow.parquet")
    name = f"{folder}/a"
    bounds = [len(documents) * i // n_blocks for i in range(n_blocks + 1)]
    with WholeFiles(paths_of(name, format), format, dtype, "my-name") as files:
        for begin, end in pairwise(bounds):
            batch = Batch.from_lists(documents[begin:end])
            files.writer.write(batch.ids, batch.offsets)
        files.finish()
    assert (files.writer.n_documents, files.writer.n_ids) == (len(documents), sum(map(len, documents)))
    return {path[len(name) :]: Path(path).read_bytes() for path in paths_of(name, format)}


@pytest.mark.parametrize(("format", "dtype"), EXPECTED)
@pytest.mark.parametrize("n_blocks", [1, 2, 4])
def test_bytes_of_the_own_writers(format: str, dtype: str, n_blocks: int, tmp_path: Path) -> None:
    found = write(tmp_path, format, dtype, DOCUMENTS, n_blocks)
    assert {suffix: data.hex() for suffix, data in found.items()} == EXPECTED[format, dtype]
    assert names(tmp_path) == sorted(f"a{suffix}" for suffix in found)


@pytest.mark.parametrize("format", FORMATS)
def test_no_document_at_all(format: str, tmp_path: Path) -> None:
    found = write(tmp_path, format, next(iter(FORMATS[format].dtypes)), [])
    if format == "megatron":
        assert found == {".bin": b"", ".idx": megatron_ids.header("uint16", 0) + bytes(8)}
    if format == "datatrove":
        assert found == {".ds": b"", ".ds.index": b"", ".ds.metadata": b"my-name|2\n0\n0.00 T"}


@given(st.lists(st.lists(st.integers(0, 65535), max_size=9), max_size=30), st.integers(1, 5), st.integers(1, 8))
@settings(max_examples=30)
def test_megatron_reads_what_was_written(documents: list[list[int]], n_blocks: int, at_once: int) -> None:
    """An index of any length, computed some numbers at a time."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_writer, "AT_ONCE", at_once)
        patch.setattr(megatron_ids, "AT_ONCE", at_once)
        found = write(Path(folder), "megatron", "int32", documents, n_blocks)
    index, n = found[".idx"], len(documents)
    magic, version, code, n_sequences, n_bounds = struct.unpack_from("<9sQBQQ", index)
    assert (magic, version, code, n_sequences, n_bounds) == (b"MMIDIDX\0\0", 1, 4, n, n + 1)
    lengths = np.frombuffer(index, "<i4", n, 34)
    places = np.frombuffer(index, "<i8", n, 34 + 4 * n)
    assert np.frombuffer(index, "<i8", n + 1, 34 + 12 * n).tolist() == list(range(n + 1))
    assert len(index) == 42 + 20 * n
    ids = np.frombuffer(found[".bin"], "<i4")
    assert [ids[a // 4 : a // 4 + b].tolist() for a, b in zip(places, lengths, strict=True)] == documents


def test_tokens_for_people() -> None:
    shown = {0: "0.00 T", 10: "10.0 T", 999: "999 T", 9999: "10.0 kT", 999_999: "1.00 MT", 123_456_789_012: "123 GT"}
    assert {number: datatrove_ids.tokens_for_people(number) for number in shown} == shown
    try:
        import humanize  # by which datatrove makes them
    except ImportError:
        return
    numbers = [10**k + d for k in range(15) for d in (-1, 0, 1)]
    assert [datatrove_ids.tokens_for_people(number) for number in numbers] == [
        humanize.metric(number, unit="T") for number in numbers
    ]


def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes however the documents come in blocks; row groups end after the same documents."""
    pq = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    monkeypatch.setattr(parquet_ids, "PER_GROUP", 10)
    documents = [[i] * (i % 7) for i in range(60)] + [[]] * 25 + [[9] * 40, [1]]
    found = [write(tmp_path, "parquet", "int32", documents, n)[".parquet"] for n in (1, 2, 3, 29)]
    assert len(set(found)) == 1
    file = pq.ParquetFile(io.BytesIO(found[0]))
    assert file.schema_arrow == pa.schema([("input_ids", pa.list_(pa.int32()))])
    assert file.read().column("input_ids").to_pylist() == documents
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    begin = 0
    for size in sizes[:-1]:
        group = documents[begin : begin + size]
        assert sum(map(len, group)) + size >= 10 > sum(map(len, group[:-1])) + size - 1
        begin += size


def test_parts_of_a_batch(tmp_path: Path) -> None:
    batch = Batch.from_lists(DOCUMENTS)[1:3]
    with WholeFiles(paths_of(f"{tmp_path}/a", "bin"), "bin", "uint16", "") as files:
        files.writer.write(batch.ids, batch.offsets)
        files.finish()
    assert (tmp_path / "a").read_bytes().hex() == "dbff"
    assert np.fromfile(tmp_path / "a.idx", "<i8").tolist() == [0, 0, 1]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("bos", [False, True])
def test_encode_files(format: str, bos: bool, tmp_path: Path) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    texts = ["hello world", "", "the pen is 日本"] * 30
    (tmp_path / "a.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    found = TOK.encode_files(tmp_path / "a.txt", tmp_path / "out", format=format, bos=bos)
    ids = TOK.encode_batch(texts, bos=bos)
    assert (found.documents, found.ids) == (len(texts), len(ids.ids))
    expected = write(tmp_path, format, found.dtype, ids.to_lists())
    name = vocabulary_name(TOK.to_bytes())
    for path, data in zip(paths_of(f"{tmp_path}/out", format), expected.values(), strict=True):
        assert Path(path).read_bytes() == data.replace(b"my-name", name.encode())


def test_the_format_of_a_name() -> None:
    assert [as_format(None, name) for name in ("a.npy", "a.bin", "a")] == ["npy", "bin", "bin"]
    assert as_format("megatron", "a.npy") == "megatron"
    assert paths_of("a.bin", "megatron") == paths_of("a", "megatron") == ("a.bin", "a.idx")
    assert paths_of("a.ds", "datatrove") == ("a.ds", "a.ds.index", "a.ds.metadata")
    assert paths_of("a", "npy") == ("a.npy", "a.offsets.npy")
    assert paths_of("a.bin", "bin") == ("a.bin", "a.bin.idx")
    for wrong in ("mds", 3, ["npy"]):
        with pytest.raises(OptionError, match="must be one of 'npy', 'bin', 'megatron', 'datatrove', 'parquet'"):
            as_format(wrong)


@pytest.mark.parametrize(
    ("format", "sizes"),
    [
        ("bin", {65536: "uint16", 65537: "uint32"}),
        ("megatron", {65499: "uint16", 65500: "int32", 100_000: "int32"}),
        ("datatrove", {65536: "uint16", 65537: "uint32"}),
        ("parquet", {300: "int32", 100_000: "int32"}),
    ],
)
def test_types_of_ids(format: str, sizes: dict[int, str]) -> None:
    assert {size: as_dtype(None, size, format) for size in sizes} == sizes
    for name in FORMATS[format].dtypes:
        assert as_dtype(name, 300, format) == as_dtype(np.dtype(name), 300, format) == name
    with pytest.raises(OptionError, match=f"dtype 'float32' is .*, which format='{format}' has"):
        as_dtype("float32", 300, format)
    if format != "parquet":
        with pytest.raises(OptionError, match="dtype 'uint16' ends at 65535, but there are 65537 pieces"):
            as_dtype("uint16", 65537, format)


def test_megatron_has_no_uint32() -> None:
    with pytest.raises(OptionError, match="neither 'uint16' nor 'int32', which format='megatron' has"):
        as_dtype("uint32", 300, "megatron")
    assert as_dtype("uint16", 65536, "megatron") == "uint16"  # readers obey the type in the file


@pytest.mark.parametrize(("format", "number"), [(name, i) for name in FORMATS for i in range(len(paths_of("", name)))])
def test_a_full_disk_leaves_the_old_files(
    format: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error while a file is completed names it; the files that were there stay, and nothing else does."""
    dtype = next(iter(FORMATS[format].dtypes))
    before = write(tmp_path, format, dtype, DOCUMENTS)
    done = []

    def complete(self: new_files.NewFile) -> None:
        done.append(self)
        if len(done) == number + 1:
            raise OSError(28, "No space left on device")
        real(self)

    real = new_files.NewFile.complete
    monkeypatch.setattr(new_files.NewFile, "complete", complete)
    with pytest.raises(FileError, match="No space left") as caught:
        write(tmp_path, format, dtype, [[1]])
    assert caught.value.filename == paths_of(f"{tmp_path}/a", format)[number]
    assert sorted(f"a{suffix}" for suffix in before) == names(tmp_path)
    assert all((tmp_path / f"a{suffix}").read_bytes() == data for suffix, data in before.items())


@pytest.mark.parametrize("crash", range(5))
def test_a_set_of_three_is_made_whole_again(crash: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies while it replaces the files: the next call finds the old set, or the new one."""
    before = write(tmp_path, "datatrove", "uint16", DOCUMENTS)
    moves = []

    class Died(BaseException):
        pass

    def replace(self: Path, target: Path) -> Path:
        if len(moves) == crash:
            raise Died
        moves.append(self)
        return real(self, target)

    real = Path.replace
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        patch.setattr(new_files.NewFile, "roll_back", lambda self: None)
        patch.setattr(new_files.NewFile, "__exit__", lambda self, *error: self.stream.close())
        try:
            write(tmp_path, "datatrove", "uint16", [[5]])
        except Died:
            pass
        else:
            assert crash >= 4
    monkeypatch.setattr("spm_lite.files.temporary_files.is_alive", lambda pid: False)
    from spm_lite.files.paired_files import settle_files

    settle_files(*paths_of(f"{tmp_path}/a", "datatrove"))
    found = {suffix: (tmp_path / f"a{suffix}").read_bytes() for suffix in before}
    after = {".ds": b"\5\0", ".ds.index": (1).to_bytes(8, "little"), ".ds.metadata": b"my-name|2\n1\n1.00 T"}
    assert found == (before if crash <= 1 else after)


def test_make_writer_names_its_files(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb") as stream:
        files = [id_writer.OutputFile(stream, tmp_path / "x", "x")] * 2
        assert type(make_writer(files, "bin", "uint16", "")).__name__ == "PlainWriter"
