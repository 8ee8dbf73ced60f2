"""Saved count tables: whole or not at all, and whatever is wrong with a file is said."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spm_lite import CountTable, FileError, MissingFileError, ModelError
from spm_lite.training.count_table import from_bytes
from spm_lite.training.counts.chunk_budget import Budget

TABLE = CountTable.count(["the cat sat on the mat 日本語 <s> ▁", "a"] * 7)
DATA = TABLE.to_bytes()


def partial() -> CountTable:
    """A table with chunks left out."""
    return CountTable._make(TABLE.chunks.fitting(Budget(3, 1, 0)), TABLE.rules)


def test_saved_and_loaded(tmp_path: Path) -> None:
    for table in (TABLE, partial()):
        table.save(tmp_path / "a.counts")
        loaded = CountTable.load(tmp_path / "a.counts")
        assert loaded == table
        assert loaded.chunks_left_out == table.chunks_left_out
        assert loaded.to_bytes() == table.to_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["a.counts"]


@pytest.mark.slow
def test_a_large_one(tmp_path: Path) -> None:
    """More than one block of numbers and of texts."""
    table = CountTable.count(f"{i:x}" * 3 + f" {i}ab" for i in range(300_000))
    table.save(tmp_path / "a.counts")
    assert CountTable.load(tmp_path / "a.counts") == table


def test_a_loaded_table_can_be_added_to() -> None:
    assert from_bytes(DATA) + from_bytes(DATA) == TABLE + TABLE


def test_left_out_adds_up() -> None:
    table = partial() + partial()
    assert table.chunks_left_out == 2 * partial().chunks_left_out
    assert table.bytes_left_out == 2 * partial().bytes_left_out
    assert table != TABLE + TABLE


@pytest.mark.parametrize("size", [*range(40), 100, len(DATA) // 2, len(DATA) - 33, len(DATA) - 1])
def test_cut_off(size: int) -> None:
    with pytest.raises(ModelError):
        from_bytes(DATA[:size])


def test_longer_than_it_says() -> None:
    with pytest.raises(ModelError, match="damaged"):
        from_bytes(DATA + b"\0")


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_flipped_bytes(place: int, change: int) -> None:
    damaged = bytearray(DATA)
    damaged[place] ^= change
    with pytest.raises(ModelError):
        from_bytes(bytes(damaged))


def changed(new: Any = None, body: bytes | None = None) -> bytes:
    """The file with another header or body and a right checksum."""
    size = int.from_bytes(DATA[12:16], "little")
    header = json.loads(DATA[16 : 16 + size])
    encoded = json.dumps({**header, **(new or {})}).encode() if not isinstance(new, bytes) else new
    rest = DATA[16 + size : -32] if body is None else body
    data = DATA[:12] + len(encoded).to_bytes(4, "little") + encoded + rest
    return data + hashlib.sha256(data).digest()


@pytest.mark.parametrize(
    "header",
    [
        {"n_chunks": 2**40},
        {"n_chunks": -1},
        {"n_bytes": 2**61},
        {"n_bytes": 1.5},
        {"n_chunks": True},
        {"rules": {}},
        {"rules": []},
        {"rules": {**json.loads(DATA[16 : 16 + int.from_bytes(DATA[12:16], "little")])["rules"], "symbols": [1]}},
        {"left_out": {"characters": [[2**40, 1]]}},
        {"left_out": 3},
        b"[" * 100_000,
        b"\xff",
        b"3",
    ],
)
def test_hostile_headers(header: Any) -> None:
    """Nothing is believed, and no memory is taken, before it agrees with the size of the file."""
    with pytest.raises(ModelError):
        from_bytes(changed(header))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cut", "\ud800"),
        ("newline", "\ud800"),
        ("lossless", 1),
        ("symbols", ["</s>", "</s>"]),
        ("symbols", ["b", "a"]),
        ("symbols", ["\ud800"]),
    ],
)
def test_rules_of_other_values(name: str, value: Any) -> None:
    rules = json.loads(DATA[16 : 16 + int.from_bytes(DATA[12:16], "little")])["rules"]
    with pytest.raises(ModelError, match=rf"is damaged: its header cannot be read \(ValueError: rules.{name} is"):
        from_bytes(changed({"rules": {**rules, name: value}}))


def with_numbers(*changes: tuple[int, int, int]) -> bytes:
    size = int.from_bytes(DATA[12:16], "little")
    body = bytearray(DATA[16 + size : -32])
    for begin, n_bytes, value in changes:
        body[begin : begin + n_bytes] = value.to_bytes(n_bytes, "little")
    return changed(body=bytes(body))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (with_numbers((0, 8, 0)), "the count 0"),
        (with_numbers((0, 8, 2**63)), r"the count 9223372036854775808, not 1\.\.2\^63 - 1"),
        (with_numbers((8, 8, 2**62)), "is in the wrong place"),
        (with_numbers((8 * len(TABLE), 4, 0)), "chunk 0 has 0 bytes"),
        (with_numbers((8 * len(TABLE), 4, 2**31)), "chunk 0 has 2147483648 bytes"),
    ],
)
def test_hostile_numbers(data: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_bytes(data)


def test_newer_and_other_files(tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match="has version 2 of the format of count tables, and this version of spm_lite reads 1"
    ):
        from_bytes(DATA[:8] + b"\x02\0\0\0" + DATA[12:])
    path = tmp_path / "a.tsv"
    path.write_text("a\t1\n")
    with pytest.raises(ModelError, match=r"is not a count table.*load_tsv"):
        CountTable.load(path)
    with pytest.raises(MissingFileError, match="cannot be read"):
        CountTable.load(tmp_path / "none")
    with pytest.raises(FileError):
        CountTable.load(tmp_path)
    with pytest.raises(MissingFileError, match="cannot be written"):
        TABLE.save(tmp_path / "none" / "a")


@pytest.mark.skipif(os.name == "nt", reason="a device")
def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.counts"
    partial().save(path)

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="No space left"):
        TABLE.save(path)
    monkeypatch.undo()
    assert CountTable.load(path) == partial()
    assert len(list(tmp_path.iterdir())) == 1


def test_a_table_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    TABLE.save(path)
    with pytest.raises(FileError, match=r"is a count table, not text: give CountTable\.load"):
        CountTable.count(path)
