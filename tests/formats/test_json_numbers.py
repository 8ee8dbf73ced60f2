"""Numbers of JSON files are read as the package tokenizers reads them, to the last bit."""

import random
from math import copysign

import pytest
from oracle import double_paths

from spm_lite.formats.json_numbers import read_float


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.0", 0.0),
        ("-2.5", -2.5),
        ("1e3", 1000.0),
        ("1E+2", 100.0),
        ("25e-1", 2.5),
        ("1.5e-400", 0.0),
        ("0e999999999999", 0.0),
        ("1e400", float("inf")),
        ("-1e400", float("-inf")),
        ("-16.496325834602736", -16.496325834602736),
        ("123456789012345678901234567890.0", 1.2345678901234568e29),
        ("0.1234567890123456789012345", 0.12345678901234568),
    ],
)
def test_numbers(text, value):
    assert read_float(text) == value


def test_zero_keeps_its_sign():
    assert copysign(1.0, read_float("-0.0")) == -1.0


def test_a_number_may_miss_the_last_bit():
    """A parser that rounds once reads another number, so the difference is real."""
    rng = random.Random(4)
    texts = [repr(-20 * rng.random()) for _ in range(2000)]
    assert [read_float(text) for text in texts] == [double_paths.number(text) for text in texts]
    assert 100 < sum(read_float(text) != float(text) for text in texts) < 1000


def test_powers_of_ten():
    rng = random.Random(5)
    texts = [f"{rng.randrange(10**9)}.{rng.randrange(10**6)}e{rng.randrange(-330, 300)}" for _ in range(3000)]
    assert [read_float(text) for text in texts] == [double_paths.number(text) for text in texts]
