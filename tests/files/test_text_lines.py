"""Lines of small files from any system, and the escape that keeps one text in one line."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spm_lite.files.text_lines import escape, split_lines, unescape


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_any_system(bom: bytes, end: bytes, last: bool) -> None:
    lines = [b"one", b"", "a\u2028b\rc".encode(), "\ufeffx".encode()]
    assert split_lines(bom + end.join(lines) + (end if last else b"")) == lines


def test_nothing() -> None:
    assert split_lines(b"") == split_lines(b"\xef\xbb\xbf") == []
    assert split_lines(b"\n") == [b""]


LINE_ENDS = "\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
ODD = st.sampled_from(
    [*LINE_ENDS, "\t", "\0", "\x1a", '"', "\ufeff", "\\", "\\x", "\\x4", "\\x0a", "\\X0A", "x0a", "0", "a"]
)
SPELLED = st.lists(ODD, max_size=8).map(lambda parts: "".join(parts).encode())
ANY = st.binary(max_size=12) | SPELLED | st.lists(SPELLED | st.binary(max_size=3), max_size=5).map(b"".join)


@given(ANY)
@example(b"\\x5cx41")
@example(b"\xed\xa0\x80")
def test_there_and_back(text: bytes) -> None:
    field = escape(text)
    assert unescape(field) == text
    field.decode("utf-8")


@given(st.lists(ANY, max_size=6))
def test_every_reader_stays_in_step(texts: list[bytes]) -> None:
    data = b"".join(escape(text) + b"\t-1.5\n" for text in texts)
    text = data.decode("utf-8-sig")  # takes away a byte order mark
    fields = [escape(text).decode() for text in texts]
    assert [line.split("\t")[0] for line in text.split("\n")[:-1]] == fields
    assert [line.split("\t")[0] for line in text.splitlines()] == fields
    assert [line.split("\t")[0] for line in io.StringIO(text, newline=None)] == fields
    assert [line.split(b"\t")[0].decode() for line in data.splitlines()] == fields
    rows = csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    assert [row[0] for row in rows] == fields


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufeff\\")))
def test_other_text_stays_as_it_is(text: str) -> None:
    assert escape(text.encode()) == text.encode()


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (b"\n", b"\\x0a"),
        (b"\r\t\x7f", b"\\x0d\\x09\\x7f"),
        ("\u2028\x85".encode(), b"\\xe2\\x80\\xa8\\xc2\\x85"),
        (b"\xff\xc3", b"\\xff\\xc3"),
        (b'"a"', b'"a"'),
        ("\ufeffa\ufeff".encode(), b"\\xef\\xbb\\xbfa\xef\xbb\xbf"),
        (b"\\", b"\\"),
        (b"\\n \\u0041 \\xg0 \\x4", b"\\n \\u0041 \\xg0 \\x4"),
        (b"\\x41", b"\\x5cx41"),
        (b"\\\\x41", b"\\\\x5cx41"),
        (b"\\\n", b"\\\\x0a"),
    ],
)
def test_examples(text: bytes, field: bytes) -> None:
    assert escape(text) == field and unescape(field) == text


def test_capital_digits_are_read() -> None:
    assert unescape(b"\\x0A\\xFf") == b"\n\xff"
    assert escape(b"\\x0A") == b"\\x5cx0A"
