"""The generator against the published test vectors of Philox4x32-10, and what a stream is."""

import pytest
from oracle import native

from spm_lite.base.structures.random import Random


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_published_vectors(counter, key, words):
    assert native.philox_block(counter, key) == words


def test_streams():
    random = Random(1 << 40 | 7)
    first, second = native.uniforms(random, 5), native.uniforms(random, 5)
    assert first != second
    for stream, numbers in enumerate((first, second)):
        words = [native.philox_block((block, 0, stream, 0), (7, 1 << 8)) for block in range(3)]
        flat = [word for block in words for word in block]
        assert numbers == [((flat[2 * i] >> 5 << 26) + (flat[2 * i + 1] >> 6)) / 2**53 for i in range(5)]


def test_seeds():
    assert native.uniforms(Random(3), 9) == native.uniforms(Random(3), 9) != native.uniforms(Random(4), 9)
    assert Random(2**64 - 1).seed == 2**64 - 1
    assert Random().seed != Random(None).seed
    numbers = native.uniforms(Random(5), 100_000)
    assert all(0 <= number < 1 for number in numbers)
    assert abs(sum(numbers) / len(numbers) - 0.5) < 0.005
    for seed in (-1, 2**64):
        with pytest.raises(OverflowError):
            Random(seed)
    with pytest.raises(TypeError):
        Random("1")
