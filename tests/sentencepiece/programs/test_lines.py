"""Lines in and out of the programs."""

import io

import pytest

from spm_lite.errors import FileError
from spm_lite.sentencepiece.programs import lines
from spm_lite.sentencepiece.programs.lines import split_lines


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
def test_split_lines(data, expected, block, monkeypatch):
    monkeypatch.setattr(lines, "BLOCK", block)
    assert [line for found in split_lines(io.BytesIO(data), "x") for line in found] == expected


def test_what_is_no_text():
    with pytest.raises(FileError, match="'x' is gzip data, not text"):
        list(split_lines(io.BytesIO(b"\x1f\x8b\x08\0\0\0"), "x"))
