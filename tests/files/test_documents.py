"""Where the documents of a file end, whatever the sizes of the parts in which it is read."""

from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files import documents
from spm_lite.files.corpus import open_source
from spm_lite.files.documents import CorpusFigures, read_documents, split_block, split_documents, with_a_sign
from spm_lite.files.read_options import PARAGRAPHS, RAW, as_separator

SEPARATORS = [b"\n", b"\n\n", b"\0", b"<|end|>", b"aa", b""]


def documents_of(data: bytes, separator: bytes) -> list[bytes]:
    """The documents of a file, by the definition."""
    if not separator:
        return [data]
    found = data.split(separator)
    return found if found[-1] else found[:-1]


def test_separator() -> None:
    assert as_separator("\n") == as_separator(b"\n") == b"\n"
    assert as_separator("é") == "é".encode()
    assert as_separator(None) == b""
    assert as_separator("\n\n") == b"\n\n"
    assert as_separator("\n", True) == as_separator(b"\n", paragraphs=True) == PARAGRAPHS


@pytest.mark.parametrize(
    ("separator", "paragraphs", "kind", "message"),
    [
        (10, False, ArgumentTypeError, "separator is int 10, not str or bytes"),
        (["\n"], False, ArgumentTypeError, "separator is list"),
        ("", False, OptionError, "separator is empty: pass at least one byte, or None"),
        (b"", False, OptionError, "separator is empty"),
        ("|", True, OptionError, "paragraphs=True and separator both say where a document ends"),
        ("\ud800", False, OptionError, "lone surrogate at position 0"),
        ("\n", "no", ArgumentTypeError, "paragraphs='no': must be True or False"),
    ],
)
def test_wrong_separators(separator: Any, paragraphs: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        as_separator(separator, paragraphs)


PARTS = st.lists(st.sampled_from([b"a", b"aa", b"\n", b"\n\n", b"\0", b"<|end|>", b"<|e", b"b\r", "é".encode()]))


@given(st.lists(PARTS.map(b"".join)), st.sampled_from(SEPARATORS))
def test_any_reads(reads: list[bytes], separator: bytes) -> None:
    data = b"".join(reads)
    found = list(split_documents(reads, separator))
    assert [document for block, _ in found for document in split_block(block)] == documents_of(data, separator)
    if separator and data:
        assert found[-1][1] == (not data.split(separator)[-1])


@pytest.mark.parametrize("separator", [PARAGRAPHS, b"<|end|>", b""])
@pytest.mark.parametrize("part", [b"x" * 4096, b" " * 4096, b"<|en" * 1024])
def test_an_endless_document_takes_linear_time(separator: bytes, part: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each read searches and copies what is new alone; all of it at each read would be 100 GB."""
    monkeypatch.setattr(documents, "LONG_LINE", 1 << 16)
    n_reads = 6000
    found = list(split_documents(repeat(part, n_reads), separator, lambda data, end, size: None))
    text = part * n_reads
    assert [split_block(block) for block, _ in found] == (
        [] if separator == PARAGRAPHS and part == b" " * 4096 else [[text]]
    )


def test_white_space_before_records() -> None:
    """It is looked through once, and nothing of it is lost or comes twice."""
    first, reads = with_a_sign(b"  ", iter([b"  ", *repeat(b" " * 4096, 6000), b'{"a"', b": 1}"]))
    assert first.strip() == b'{"a"'
    assert b"".join(reads) == b"  " + b" " * 4096 * 6000 + b'{"a": 1}'
    first, reads = with_a_sign(b"\xef\xbb\xbf", iter([b"\xef\xbb\xbf", b"[1", b"]"]))  # a BOM alone, as of a pipe
    assert (first, b"".join(reads)) == (b"\xef\xbb\xbf[1", b"\xef\xbb\xbf[1]")
    first, reads = with_a_sign(b"{}", iter([b"{}", b"more"]))
    assert (first, list(reads)) == (b"{}", [b"{}", b"more"])
    first, reads = with_a_sign(b"", iter([]))
    assert (first, list(reads)) == (b"", [])


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_corpora_and_encoding_agree(
    tmp_path: Path, separator: bytes, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = [b"one\n\ntwo aaa\0three\n<|end|>four<|end|>", b"", b"\n\n\n", b"last\r\n"]
    paths = [tmp_path / f"{i}.txt" for i in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    monkeypatch.setattr(documents, "READ_SIZE", size)
    wanted = [document for content in contents for document in documents_of(content, separator)]
    for keeps_bytes in (False, True):
        reading = RAW._replace(separator=separator, keeps_bytes=keeps_bytes)
        parts = list(read_documents(open_source(paths, reading), CorpusFigures()))
        assert [document for part in parts for document in split_block(part.documents)] == wanted
        assert next(part.name(0) for part in parts if part.path == paths[0]).startswith(repr(str(paths[0])))


def test_long_documents_are_cut_at_spaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "READ_SIZE", 10)
    monkeypatch.setattr(documents, "LONG_LINE", 20)
    path = tmp_path / "long.txt"
    path.write_bytes(b"wo\nd " * 20 + b"\n\nx")
    figures = CorpusFigures()
    opened = open_source(path, RAW._replace(separator=b"\n\n"))
    found = [text for part in read_documents(opened, figures) for text in split_block(part.documents)]
    assert b" ".join(found[:-1]) == b"wo\nd " * 20
    assert found[-1] == b"x"
    assert figures.cut_lines == len(found) - 2 > 0


@pytest.mark.parametrize("text", ["漢字" * 20, "wo\nd " * 20])
def test_whole_files_are_cut(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a separator, and without a space: no cut is within a character."""
    monkeypatch.setattr(documents, "READ_SIZE", 10)
    monkeypatch.setattr(documents, "LONG_LINE", 20)
    (tmp_path / "long.txt").write_bytes(text.encode())
    opened, figures = open_source(tmp_path / "long.txt", RAW._replace(separator=b"")), CorpusFigures()
    found = [part for one in read_documents(opened, figures) for part in split_block(one.documents)]
    assert (b" " if " " in text else b"").join(found).decode() == text
    assert all(part.decode() for part in found)
    assert figures.cut_lines == len(found) - 1 > 0


def test_texts_have_no_separator() -> None:
    with pytest.raises(OptionError, match=r"separator=b'\\n\\n' is for files, but the input is texts"):
        list(read_documents(open_source(["a\n\nb"], RAW._replace(separator=b"\n\n")), CorpusFigures()))
    whole = read_documents(open_source(["a\n\nb"], RAW._replace(separator=b"")), CorpusFigures())
    assert [part.documents for part in whole] == [[b"a\n\nb"]]
