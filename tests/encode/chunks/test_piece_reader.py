"""The pieces that text can hold, as they are read by character."""

import random

import pytest
from oracle import native
from oracle.random_models import random_pieces
from oracle.segmentation import NORMAL, UNKNOWN, UNUSED, USER_DEFINED

from spm_lite.encode.chunks.pair_cuts import PieceReader


@pytest.mark.parametrize("ill_formed", [False, True])
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_random_pieces(seed, ill_formed, space):
    pieces = random_pieces(random.Random(seed), False, ill_formed, space)
    wanted = [text if kind in (NORMAL, USER_DEFINED, UNUSED) and b" " not in text else None for text, _, kind in pieces]
    assert native.read_pieces(PieceReader(native.build_vocab(pieces, "unigram"))) == wanted


def test_last_pieces():
    """Pieces with nothing after them."""
    texts = ["本".encode(), "日本".encode(), b"a"]
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((text, -1.0, NORMAL) for text in texts)]
    assert native.read_pieces(PieceReader(native.build_vocab(pieces, "bpe"))) == [None, *texts]
