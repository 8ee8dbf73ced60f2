"""Text that comes bit by bit against the normalizer that sees all of it."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.random_models import ILL_FORMED, WELL_FORMED, random_rules

from spm_lite.errors import OptionError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.normalize.streamed import StreamedNormalizer

UNITS = [*(c.encode() for c in WELL_FORMED), b" ", b"z", b"\0", "\u3000".encode(), *ILL_FORMED, b"\x96", b"\xf0\x9f"]


def make(rules=(), *flags):
    return Normalizer(Charsmap(compile_rules(dict(rules)) if rules else b""), *flags)


@settings(deadline=None)
@given(
    rules=st.integers(0, 2**32).map(random.Random).map(random_rules),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    text=st.lists(st.sampled_from(UNITS), max_size=16).map(b"".join),
    cuts=st.lists(st.integers(0, 40), max_size=5),
)
def test_equals_normalizer(rules, flags, text, cuts):
    normalizer = Normalizer(Charsmap(rules), *flags)
    stream = StreamedNormalizer(normalizer)
    want = normalizer.normalize(text)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    parts = [stream.push(text[begin:end]) for begin, end in itertools.pairwise(places)]
    assert b"".join(parts) + stream.flush() == want
    assert b"".join(stream.push(text[i : i + 1]) for i in range(len(text))) + stream.flush() == want


def test_no_more_waits_than_must():
    stream = StreamedNormalizer(make({"abc": "x", "ab": "y"}, False, False, False))
    assert [stream.push(b) for b in (b"a", b"b", b"d", b"a", b"b", b"c", b"a")] == [
        b"",
        b"",
        b"yd",
        b"",
        b"",
        b"x",
        b"",
    ]
    assert stream.flush() == b"a"
    stream = StreamedNormalizer(make((), False, True, False))
    assert [stream.push(b) for b in (b" ", b"a", b" ", b" ", b"b", b" ")] == [b"", b"a", b"", b"", b" b", b""]
    assert stream.flush() == b""
    stream = StreamedNormalizer(make((), False, False, False))
    assert [stream.push(bytes([b])) for b in "é漢🤗".encode()] == [
        b"", "é".encode(), b"", b"", "漢".encode(), b"", b"", b"", "🤗".encode(),
    ]  # fmt: skip
    for half in (b"\xc3", b"\xe6\xbc", b"\xf0\x9f\xa4"):
        assert stream.push(half) == b""
        assert stream.push(b"a") == "\ufffd".encode() * len(half) + b"a"
    for bad in (b"\x80", b"\xc1", b"\xe0\x80", b"\xed\xa0", b"\xf0\x8f", b"\xf4\x90", b"\xf5"):
        assert stream.push(bad).startswith("\ufffd".encode())
        stream.flush()


def test_what_is_no_denormalizer():
    with pytest.raises(OptionError, match="no protected strings"):
        StreamedNormalizer(Normalizer(Charsmap(), protected=[b"a"]))
