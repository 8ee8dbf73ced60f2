"""Pieces that look alike: sizes around those of keys, bytes that differ at one end, words that are each other's."""

import pytest
from oracle import native
from oracle.segmentation import NORMAL, SEGMENTERS, UNKNOWN

from spm_lite.encode.segment.segmenter import make_segmenter

BASE = b"abcdefghijklmnopqrstuvwxyz" * 3


def check(texts, found_in):
    """Compare the tokens with those of the twin."""
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((text, -float(i), NORMAL) for i, text in enumerate(dict.fromkeys(texts)))]
    segmenter = make_segmenter(native.build_vocab(pieces, "bpe"), "bpe", True)
    for _ in range(2):
        for text in found_in:
            wanted = SEGMENTERS["bpe"](pieces, text)
            assert [(text[begin:end], i) for i, begin, end in native.tokens(segmenter, text)] == wanted
        native.forget_bits(segmenter)


@pytest.mark.parametrize("size", [2, 3, 4, 7, 8, 9, 14, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 64, 70])
def test_last_byte_decides(size):
    prefixes = [BASE[:n] for n in range(1, size)]
    ends = [BASE[: size - 1] + end for end in (b"0", b"1", b"2")]
    check([*prefixes, b"0", b"1", b"2", b"3", *ends[:2]], [*ends, ends[0] * 2, ends[0] + ends[1], BASE[:size] + b"3"])


@pytest.mark.parametrize("size", [2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48])
def test_first_byte_decides(size):
    suffixes = [BASE[size - n : size] for n in range(1, size)]
    begins = [begin + BASE[1:size] for begin in (b"0", b"1", b"2")]
    check([*suffixes, b"0", b"1", b"2", *begins[:2]], [*begins, begins[1] * 3])


def swapped(text):
    """The same two words, complemented and in each other's place; of 15 bytes the eighth stays where it is."""
    words = bytes(255 - byte for byte in text)
    return words[8:] + text[7:8] * (len(text) == 15) + words[: len(text) - 8]


@pytest.mark.parametrize(
    "text", [b"AB@0A0A\xf0\x9f\xa4\x970A0A", b"0A0A0A0A1B2C3D4E", b"abcdefgh" * 2, b"\xf0\x9f\xa4\x97" * 4]
)
def test_words_in_each_others_place(text):
    """Hashes made from a product, which does not tell its factors apart, must not be equal."""
    sized = bytearray(swapped(text))
    sized[0] ^= len(text)
    sized[8] ^= len(text)
    for other in (swapped(text), bytes(sized)):
        check([text, other], [text, other, text + other])


@pytest.mark.parametrize("char", ["-", "=", "*", "#", ".", "~", "f", "\u2581", "¾"])
def test_runs_behind_any_character(char):
    """Sizes that are the difference of the first bytes, and blocks that are all alike."""
    runs = dict.fromkeys(begin + char * n for n in range(8, 56) for begin in ("", *"-= \u2581aZ09fgĀ¾"))
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((run.encode(), -1.0, NORMAL) for run in runs)]
    for compact in (True, False):
        make_segmenter(native.build_vocab(pieces, "bpe"), "bpe", compact)
    check([run.encode() for run in runs if " " not in run and "\u2581" not in run], [(char * 55).encode()])
