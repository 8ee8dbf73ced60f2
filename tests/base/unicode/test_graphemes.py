"""Grapheme clusters against the definition and against the package regex."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import extras, native
from oracle import graphemes as oracle

from spm_lite.base.unicode.ranges.grapheme_ranges import RANGES, VERSION

# One or more characters of each class, and neighbours of its ranges.
INTERESTING = (
    "\r\n\0\u00ad\u200b a1\u00a9\u200c\u200d\u0300\u0301\u093c\u094d\u09cd\u0915\u0924\u1cf5\u1cf6\u0903\u093e\u0e33"
    "\u0600\u0d4e\u1100\ua960\u1160\ud7b0\u11a8\ud7cb\uac00\uac01\ud7a3\U0001f1e6\U0001f1ff\U0001f468\U0001f469\u2764\ufe0f"
    "\U0001f3fb\U0001f3ff\u00ae\u203c\ufffd\ue000\U000e0020\U000e007f\U000e0001\U0010ffff\u0378\u3042\u3099"
)
TEXTS = st.text(st.sampled_from(INTERESTING), max_size=40)


def clusters(text: str) -> list[int]:
    """Where clusters begin, in characters, and the length of the text."""
    begins = set(native.grapheme_begins(text.encode()))
    places, size = [], 0
    for place, char in enumerate(text):
        if size in begins:
            places.append(place)
        size += len(char.encode())
    return [*places, len(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [0]),
        ("ab", [0, 1, 2]),
        ("e\u0301a", [0, 2, 3]),
        ("\u0301a", [0, 1, 2]),
        ("\r\n\n\r", [0, 2, 3, 4]),
        ("\r\u0301", [0, 1, 2]),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467!", [0, 5, 6]),  # a family
        ("\u2764\ufe0f\u200d\U0001f525", [0, 4]),
        ("a\u200d\U0001f467", [0, 2, 3]),  # no pictograph before the ZWJ
        ("\U0001f44d\U0001f3fd\U0001f44d", [0, 2, 3]),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7\U0001f1e9", [0, 2, 4, 5]),  # flags
        ("\U0001f1e9\u0301\U0001f1ea", [0, 2, 3]),
        ("한국\u1112\u1161\u11ab", [0, 1, 2, 5]),
        ("क्षत्रिय", [0, 3, 7, 8]),
        ("क्\u200cष", [0, 3, 4]),  # a ZWNJ keeps them apart
        ("क्\u200dष", [0, 4]),
        ("กำ", [0, 2]),
        ("\u0600\u0661", [0, 2]),  # a number sign before its digits
        ("\u0600\n", [0, 1, 2]),
    ],
)
def test_examples(text, expected):
    assert clusters(text) == oracle.begins(text) == expected


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(TEXTS)
def test_definition(text):
    assert clusters(text) == oracle.begins(text)


@settings(max_examples=500, deadline=None)
@given(st.text())
def test_any_text(text):
    assert clusters(text) == oracle.begins(text)


def test_ill_formed_bytes_stand_alone():
    assert native.grapheme_begins(b"a\xff\xcc\x81\x80b\xe3\x81") == [0, 1, 4, 5, 6, 7]  # U+0301 joins the byte before


def test_table():
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    seen: set[int] = set()
    for line in RANGES.replace("\n ", " ").splitlines():
        bounds = [int(bound, 16) for part in line.split()[1:] for bound in (part.split("-") * 2)[:2]]
        assert bounds == sorted(bounds)
        points = {point for k in range(0, len(bounds), 2) for point in range(bounds[k], bounds[k + 1] + 1)}
        assert not points & seen
        seen |= points
    assert max(seen) < 0x110000
    assert not seen & set(range(0xAC00, 0xD7A4))


@pytest.fixture(scope="module")
def regex():
    """The package regex, if it has the Unicode of the table."""
    module = extras.need("regex")
    from importlib.metadata import metadata

    if f"supports Unicode {VERSION}" not in str(metadata("regex").get_payload()):
        pytest.skip(f"regex has another Unicode than {VERSION}")
    if module.findall(r"\X", "a\u094d\u0915") != ["a\u094d\u0915"]:
        pytest.skip("regex has older rules for linkers")
    return module


def assert_same(regex, text):
    places = [found.start() for found in regex.finditer(r"\X", text)]
    assert clusters(text) == [*places, len(text)], ascii(text[:200])


@pytest.mark.dev
def test_random_texts_as_regex(regex):
    rng = random.Random(29)
    marks = [chr(point) for point in oracle.classes()]
    for round_ in range(20_000):
        pool = INTERESTING if round_ % 2 else rng.choices(marks, k=12) + list(INTERESTING)
        assert_same(regex, "".join(rng.choices(pool, k=rng.randrange(1, 12))))


@pytest.mark.dev
def test_every_pair_with_a_code_point_as_regex(regex):
    for point in (*range(0xD800), *range(0xE000, 0x110000)):
        if point in oracle.classes() or point % 97 == 0:
            assert_same(regex, f"a{chr(point)}\u0915{chr(point)}\U0001f468{chr(point)}\u1100{chr(point)}\n")


@pytest.mark.dev
@pytest.mark.slow
def test_corpora_as_regex(regex, shared_data):
    for path in sorted((shared_data / "corpora").rglob("*.t??")):
        assert_same(regex, path.read_bytes()[:60_000].decode("utf-8", "ignore"))
