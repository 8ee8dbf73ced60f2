"""UTF-8 made of one, two or four bytes a character, with and without instructions that shuffle bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import native


@pytest.mark.slow
@pytest.mark.parametrize("shuffling", [False, True])
@pytest.mark.parametrize("width", [1, 2, 4])
@given(data=st.data())
def test_spelled(data, width, shuffling):
    """What Python makes of the same characters, with and without the instructions that not all processors have."""
    alphabet = st.sampled_from("a ~\x7f\0") | st.sampled_from("aé\x80ÿ")
    if width > 1:
        alphabet |= st.sampled_from("\u07ff\u0800字\u2580\u2581\ud7ff\ue000\uffff") | st.sampled_from("字가")
    if width > 2:
        alphabet |= st.sampled_from("😀\U00010000\U0010ffff")
    runs = st.lists(st.tuples(alphabet, st.sampled_from([1, 3, 20])), max_size=20)
    text = "".join(char * n for char, n in data.draw(runs))
    chars = np.array([ord(char) for char in "x" + text], dtype=f"u{width}")
    assert native.transcoded(chars.view(np.uint8), width, shuffling) == (("x" + text).encode(), "\u2581" in text)
    if width > 1 and text:
        chars[data.draw(st.integers(1, len(text)))] = data.draw(st.sampled_from([0xD800, 0xDBFF, 0xDC00, 0xDFFF]))
        assert native.transcoded(chars.view(np.uint8), width, shuffling) is None
    if width > 2 and text:
        chars[-1] = data.draw(st.sampled_from([0x110000, 0x7FFFFFFF, 0x80000041, 0xFFFFFFFF]))
        assert native.transcoded(chars.view(np.uint8), width, shuffling) is None
