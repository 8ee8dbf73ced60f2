"""JSON of our own: what is refused, and that the place is named."""

import pytest

from spm_lite.files.saved_values import (
    BYTES,
    COUNT,
    FLAG,
    NUMBER,
    PATH,
    SPELLED,
    TEXT,
    Maybe,
    check,
    choice,
    parse,
    whole,
)

FORM = {"n": COUNT, "rows": [(TEXT, NUMBER)], "more?": Maybe({"*": FLAG})}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b"NaN", "NaN is not a finite number"),
        (b"[-Infinity]", "not a finite number"),
        (b"1e999", "1e999 is not a finite number"),
        (b"9" * 5000, "not a finite number of 64 bits"),
        (b"[9223372036854775808]", "not a finite number of 64 bits"),
        (b'{"a": 1, "a": 1}', "the key 'a' comes twice"),
        (b'{"a"', "delimiter"),
        (b"", "Expecting value"),
        (b"\xff\xfe\xff", "decode"),
        (b"\x80", "decode"),
    ],
)
def test_what_is_no_json_of_ours(data, message):
    with pytest.raises(ValueError, match=message):
        parse(data)


def test_twins_are_found_in_linear_time():
    """Comparing each key with each other one would take minutes."""
    keys = ", ".join(f'"{i}": 0' for i in range(300_000))
    with pytest.raises(ValueError, match="the key '299999' comes twice"):
        parse(f'{{{keys}, "299999": 1}}'.encode())


def test_what_is_read():
    assert parse(b'{"a": [1, -2.5, 9223372036854775807, "\\ud800"]}') == {"a": [1, -2.5, 2**63 - 1, "\ud800"]}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], r"the file is \[\], not an object"),
        ({"rows": []}, "the file has no 'n'"),
        ({"n": True, "rows": []}, "the file.n is True, not a whole number, 0 to"),
        ({"n": -1, "rows": []}, "the file.n is -1"),
        ({"n": 1.0, "rows": []}, "the file.n is 1.0"),
        ({"n": 1, "rows": {}}, "the file.rows is {}, not a list"),
        ({"n": 1, "rows": [["a", 1], ["a"]]}, r"the file.rows\[1\] has 1 values, not 2"),
        ({"n": 1, "rows": [["a", False]]}, r"the file.rows\[0\]\[1\] is False, not a number"),
        ({"n": 1, "rows": [], "more": {"x": 1}}, "the file.more.x is 1, not true or false"),
    ],
)
def test_what_has_not_the_form(value, message):
    with pytest.raises(ValueError, match=message):
        check(value, FORM, "the file")


@pytest.mark.parametrize("value", [{"n": 0, "rows": []}, {"n": 1, "rows": [["", 0.5]], "more": None, "other": [{}]}])
def test_what_has_the_form(value):
    check(value, FORM, "the file")


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        (PATH, ["a", "ä/b", "\udcff"], ["", "a\0", "\ud800", 1, None]),
        (BYTES, ["", "\n\xff"], ["\u0100", 1]),
        (SPELLED, ["", "\0", "\U0001f600"], ["a\ud800", b"a", None]),
        (whole(-1), [-1, 0], [-2, 0.0, "0"]),
        (choice("a", 1), ["a", 1], [True, 1.0, "b", ["a"]]),
    ],
)
def test_kinds(kind, right, wrong):
    assert all(map(kind.fits, right)) and not any(map(kind.fits, wrong))
