"""What a source may be, and what is read from it."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from spm_lite.errors import ArgumentTypeError, FileError, MissingFileError, TextError
from spm_lite.files import documents, paths
from spm_lite.files.corpus import open_source
from spm_lite.files.documents import CorpusFigures, read_documents, split_block
from spm_lite.files.read_options import RAW


def lines_of(source: Any, figures: CorpusFigures | None = None, **options: Any) -> list[bytes]:
    opened = open_source(source, RAW._replace(**options))
    return [line for part in read_documents(opened, figures or CorpusFigures()) for line in split_block(part.documents)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\n\nlast")
    (tmp_path / "b.txt").write_bytes(b"three\n")
    return tmp_path


def test_files_are_split_at_lf(folder: Path) -> None:
    assert lines_of(folder / "a.txt") == [b"\xef\xbb\xbfone\r", b"two", b"", b"last"]
    assert lines_of(str(folder / "a.txt"), separator=b"") == [b"\xef\xbb\xbfone\r\ntwo\n\nlast"]
    assert lines_of(str(folder / "a.txt"), separator=b"\n\n") == [b"\xef\xbb\xbfone\r\ntwo", b"last"]


def test_lists_and_globs(folder: Path) -> None:
    assert lines_of([folder / "b.txt", str(folder / "b.txt")]) == [b"three", b"three"]
    assert lines_of(str(folder / "*.txt"))[-1] == b"three"
    assert lines_of([str(folder / "*.txt")])[-1] == b"three"


def test_texts_keep_what_they_hold() -> None:
    assert lines_of(["a\nb", b"\xff\r\n", ""]) == [b"a\nb", b"\xff\r\n", b""]
    assert lines_of(str(i) for i in range(3)) == [b"0", b"1", b"2"]
    assert lines_of([]) == []


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_blocks_end_with_lines(folder: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lines_of(folder / "a.txt")
    monkeypatch.setattr(documents, "READ_SIZE", size)
    assert lines_of(folder / "a.txt") == whole


def test_very_long_lines_are_cut_at_spaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "READ_SIZE", 10)
    monkeypatch.setattr(documents, "LONG_LINE", 20)
    path = tmp_path / "long.txt"
    path.write_bytes(b"word " * 20 + b"\nx")
    figures = CorpusFigures()
    found = lines_of(path, figures)
    assert b" ".join(found[:-1]) == b"word " * 20
    assert found[-1] == b"x"
    assert figures.cut_lines == len(found) - 2 > 0
    assert figures.bytes_read == 102


@pytest.mark.parametrize("size", [16, 1, 2, 3, 5])
def test_a_very_long_line_without_a_space_is_cut_between_characters(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few bytes a read gives, as those of a pipe may."""
    monkeypatch.setattr(documents, "LONG_LINE", 20)
    monkeypatch.setattr(documents, "READ_SIZE", size)
    path = tmp_path / "long.txt"
    text = "日本語ab👩é" * 40
    path.write_text(text, encoding="utf-8")
    figures = CorpusFigures()
    found = lines_of(path, figures)
    assert "".join(line.decode() for line in found) == text
    assert figures.cut_lines == len(found) - 1 > 0


def test_utf_16_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("some text", encoding="utf-16")
    with pytest.raises(FileError, match="UTF-8"):
        lines_of(path)


def test_missing_file() -> None:
    with pytest.raises(MissingFileError, match="texts are passed as a list"):
        lines_of("no such file")
    with pytest.raises(MissingFileError, match="texts are passed as a list"):
        lines_of("a text with\0NUL " * 500)


def test_missing_file_in_a_list(folder: Path) -> None:
    with pytest.raises(MissingFileError, match="no file 'missing' to read, item 1 of the input"):
        lines_of([folder / "a.txt", "missing"])


def test_refused(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "empty" / "a.bin").write_bytes(b"text")
    with pytest.raises(FileError, match=r"is a folder without files of text \(.txt, "):
        lines_of(folder / "empty")
    with pytest.raises(ArgumentTypeError, match="bytes"):
        lines_of(b"text")
    with pytest.raises(ArgumentTypeError, match="int"):
        lines_of(3)
    with pytest.raises(ArgumentTypeError, match="text 1 is int"):
        lines_of(["a", 3])
    with pytest.raises(TextError, match="text 1 holds a lone surrogate at position 2"):
        lines_of(["a", "bc\ud800"])


def test_packed_files(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"text"))
    with pytest.raises(FileError, match="gzip data"):
        lines_of(tmp_path / "a.gz")


def test_a_text_that_looks_like_a_pattern_walks_no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "matching_files", lambda _: pytest.fail("searched for files"))
    for text in ("/**", "/** a comment", "2 * 3"):
        assert lines_of([text]) == [text.encode()]
