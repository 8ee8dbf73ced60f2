"""Lines of small files from any system."""

import pytest

from spm_lite.files.text_lines import split_lines


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_any_system(bom: bytes, end: bytes, last: bool) -> None:
    lines = [b"one", b"", "a\u2028b\rc".encode(), "\ufeffx".encode()]
    assert split_lines(bom + end.join(lines) + (end if last else b"")) == lines


def test_nothing() -> None:
    assert split_lines(b"") == split_lines(b"\xef\xbb\xbf") == []
    assert split_lines(b"\n") == [b""]
