"""Texts around the bytes of a piece: well-formed, and complete enough to try every kind of character."""

import random

import pytest

from spm_lite.evaluation.vocabulary.byte_contexts import (
    MOST_TRIED,
    beginnings,
    characters,
    endings,
    ends_of,
    texts_around,
)

PARTS = ["б".encode()[:1], "б".encode()[1:], "บ".encode()[:1], "บ".encode()[:2], "บ".encode()[1:], "😀".encode()[:3]]


def test_the_ends_of_bytes():
    rng = random.Random(1)
    for _ in range(500):
        text = "".join(rng.choices("aбบ😀", k=rng.randrange(1, 4)))
        data = text.encode()
        first, last = len(text[0].encode()), len(text[-1].encode())
        begin = rng.randrange(first)
        end = len(data) - rng.randrange(last)
        if len(text) == 1 and begin:
            continue
        whole = len(data) - last if end < len(data) else len(data)
        tail = first - begin if begin else 0
        assert ends_of(data[begin:end]) == (tail, whole - begin if end < len(data) else end - begin), (text, begin, end)


@pytest.mark.parametrize("part", PARTS)
def test_completions(part):
    """What completes a part is what characters have beside it."""
    if part[0] & 0xC0 != 0x80:
        assert {part + rest for rest in endings(part)} == {data for data in characters() if data.startswith(part)}
    else:
        assert {rest + part for rest in beginnings(part)} == {data for data in characters() if data.endswith(part)}


BEGINNINGS = [part for part in PARTS if part[0] & 0xC0 != 0x80]
TAILS = [part for part in PARTS if part[0] & 0xC0 == 0x80]
BOTH = [tail + b"a" + head for tail in TAILS for head in BEGINNINGS]


@pytest.mark.parametrize(
    "data", [b"a", b"ab", *PARTS, *(b + b"a" for b in TAILS), *(b"a" + b for b in BEGINNINGS), *BOTH]
)
def test_texts_are_well_formed(data):
    texts = [*texts_around(data)]
    assert 1 < len(texts) <= 2 * MOST_TRIED and len({*texts}) == len(texts)
    assert all(data in text and text.decode() for text in texts)


@pytest.mark.parametrize("data", [b"\xff", b"\xc0a", b"\x80" * 5, b"a\x80", b"\xe0a", b"\xe0\x80"])
def test_bytes_that_no_text_holds(data):
    assert all(data in text for text in texts_around(data))
