"""Lines in and out of the programs: a line ends with LF and nothing else."""

import pytest

from spm_lite.errors import FileError
from spm_lite.files import documents
from spm_lite.sentencepiece.programs.flags import Arguments, Flag
from spm_lite.sentencepiece.programs.lines import read_lines


def lines_of(path):
    return [
        line
        for _, _, lines in read_lines(Arguments((Flag("input", "", "the input"),), [f"--input={path}"]))
        for line in lines
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"\n", [b""]),
        (b"\n\na", [b"", b"", b"a"]),
        (b"a\r\nb\x0bc\xe2\x80\xa8d\n", [b"a\r", b"b\x0bc\xe2\x80\xa8d"]),
        (b"\xef\xbb\xbfa\n", [b"\xef\xbb\xbfa"]),
    ],
)
@pytest.mark.parametrize("block", [1, 2, 1 << 22])
def test_lines(data, expected, block, tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "READ_SIZE", block)
    (tmp_path / "x").write_bytes(data)
    assert lines_of(tmp_path / "x") == expected


def test_what_is_no_text(tmp_path):
    (tmp_path / "x").write_bytes(b"\x1f\x8b\x08\0\0\0")
    with pytest.raises(FileError, match="x' is gzip data, not text"):
        lines_of(tmp_path / "x")
