"""Where texts may be cut, against the pairs of characters of every piece; and how the pieces are read for that."""

import random
from itertools import pairwise

import pytest
from oracle import native
from oracle.random_models import random_pieces
from oracle.segmentation import NORMAL, UNKNOWN, UNUSED, USER_DEFINED

from spm_lite.encode.chunks.pair_cuts import PairCuts, PieceReader

SPACE = "\u2581"


def vocab_of(texts, kind=NORMAL):
    return native.build_vocab([(b"<unk>", 0.0, UNKNOWN), *((text.encode(), -1.0, kind) for text in texts)], "bpe")


def naive_cuts(texts, text):
    """Byte offsets in compact text: a space stands for U+2581, an ill-formed byte is a character of its own."""
    pairs = {pair for piece in texts for pair in pairwise(piece.replace(SPACE, " "))}
    places, pos = [], 0
    shown = text.decode("utf-8", "surrogateescape")
    for left, right in pairwise(shown):
        pos += len(left.encode("utf-8", "surrogateescape"))
        if (left, right) not in pairs:
            places.append(pos)
    return [*places, len(text)] if text else []


@pytest.mark.parametrize("kind", [NORMAL, USER_DEFINED, UNUSED])
def test_few_pieces(kind):
    texts = ["ab", "bc", "日本", f"{SPACE}a", "a日", "é", "🤗b"]
    pairs = PairCuts(vocab_of(texts, kind))
    for text in ("", "a", "abc", "ab c ab", "日本日本", "a日本 a日", "é🤗b🤗", "cba" * 50, " ab" * 100):
        assert native.pair_cuts(pairs, text.encode()) == naive_cuts(texts, text.encode())


@pytest.mark.parametrize("seed", range(40))
def test_random_texts(seed):
    rng = random.Random(seed)
    texts = [text.decode() for text, _, kind in random_pieces(rng, False) if kind in (NORMAL, USER_DEFINED, UNUSED)]
    pairs = PairCuts(vocab_of(texts))
    units = [b"a", b"b", b"c", "é".encode(), "漢".encode(), b" ", b"x", "🤗".encode(), b"\xff", b"\xe3\x81", b"\0"]
    for _ in range(30):
        weights = [rng.random() ** 3 for _ in units]
        text = b"".join(rng.choices(units, weights, k=rng.randrange(200)))
        found, wanted = native.pair_cuts(pairs, text), naive_cuts(texts, text)
        assert set(found) <= set(wanted), "a cut inside a piece"
        assert found == wanted  # so few pairs do not share their places


@pytest.mark.parametrize(
    "text", ["日本a" * 40, "é日" * 60, "🤗" * 50, "a日 " * 70, " 가나 다" * 40, "日" * 21, "日" * 21 + "a" * 9]
)
def test_places_in_blocks(text):
    """Characters across the ends of blocks, at each place of them."""
    pieces = ["日本", "a日", "🤗a", f"나{SPACE}", "aa"]
    pairs = PairCuts(vocab_of(pieces))
    for shift in range(70):
        data = ("a" * shift + text).encode()
        assert native.pair_cuts(pairs, data) == naive_cuts(pieces, data)


def test_many_pairs():
    """What is kept by hash misses some cuts, and makes none up."""
    rng = random.Random(1)
    texts = sorted({chr(rng.randrange(0x4E00, 0x9FFF)) + chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(20_000)})
    pairs = PairCuts(vocab_of(texts))
    text = "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(20_000)).encode()
    found, wanted = native.pair_cuts(pairs, text), naive_cuts(texts, text)
    assert set(found) <= set(wanted)
    assert len(found) > 0.98 * len(wanted)
    for piece in texts[:1000]:
        assert native.pair_cuts(pairs, piece.encode()) == [6]


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
