"""The array over characters against a dict."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import native

from spm_lite.encode.segment.char_trie import CharTrie

UNKNOWN = (-100.0, 0)
ALPHABETS = [
    "ab",
    "abcdefghijklmnopqrstuvwxyz ",
    "กขคงจฉชซ\u0e31\u0e34\u0e48",
    "あいうえお漢字",
    "אבגд\u0301é",
    "🤗👍\U0010ffff\U00010000",
    "\x01\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff",
    "aé漢🤗 ",
]
TEXTS = st.one_of(*(st.text(alphabet, min_size=1, max_size=9) for alphabet in ALPHABETS))
BYTES = st.one_of(TEXTS.map(str.encode), st.binary(min_size=1, max_size=9).filter(lambda text: 0 not in text))


def units_of(text, compact):
    """Characters, of which an ill-formed byte is one too; or bytes."""
    if not compact:
        return [bytes([byte]) for byte in text]
    return [c.encode("utf-8", "surrogateescape") for c in text.decode("utf-8", "surrogateescape")]


def naive_prefixes(pieces, text, compact):
    units = units_of(text, compact)
    starts = [b"".join(units[:n]) for n in range(1, len(units) + 1)]
    found = [(len(start), *pieces[start]) for start in starts if start in pieces]
    if compact and units and units[0] not in pieces:
        found.insert(0, (len(units[0]), *UNKNOWN))
    return found


def check(pieces, texts, compact):
    trie = native.build_trie(pieces, compact)
    longest = max((len(units_of(piece, compact)) for piece in pieces), default=0)
    codes = {unit for piece in pieces for unit in units_of(piece, compact)}
    assert native.trie_sizes(trie) == (longest, 1 + len(codes))
    for text in texts:
        assert native.prefixes(trie, text) == naive_prefixes(pieces, text, compact)


def scored(texts):
    return {text: (-k / 8, k) for k, text in enumerate(dict.fromkeys(texts))}


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(pieces=st.lists(BYTES, max_size=40), texts=st.lists(BYTES, max_size=10), compact=st.booleans())
def test_prefixes(pieces, texts, compact):
    longer = [piece + tail for piece in pieces for tail in (b"a", b"\xff", b"\0", "漢".encode(), b"\xe3\x81")]
    check(scored(pieces), [*pieces, *(piece[:-1] for piece in pieces), *longer, *texts, b"", b"\0"], compact)


@pytest.mark.slow
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("n_pieces", [0, 1, 1000, 50_000])
def test_many_pieces(n_pieces, compact):
    rng = random.Random(n_pieces)
    han = [chr(c) for c in range(0x4E00, 0x6000)]
    alphabets = [*ALPHABETS, han, [chr(c) for c in range(0x20, 0x3000, 7)]]
    texts = ["".join(rng.choices(rng.choice(alphabets), k=rng.randrange(1, 9))).encode() for _ in range(n_pieces)]
    others = ["".join(rng.choices(rng.choice(alphabets), k=6)).encode() for _ in range(2000)]
    check(scored(texts), [*texts[:5000], *others], compact)


def test_an_unfinished_trie_knows_nothing():
    assert native.prefixes(CharTrie(True), b"a") == []


def test_prefixes_of_prefixes():
    texts = ["กa🤗漢"[k % 4] * n for k in range(4) for n in range(1, 200)]
    check(scored(text.encode() for text in texts), [text.encode() for text in (*texts, "ก" * 300, "a" * 300)], True)


@pytest.mark.slow
def test_every_character():
    """The codes of all characters, of all sizes; each with a child."""
    chars = [chr(c) for c in range(1, 0x110000, 3) if not 0xD800 <= c < 0xE000]
    pieces = scored(text.encode() for c in chars for text in (c, c + chars[-1]))
    texts = [(c + chars[-1] + c).encode() for c in chars[::50]]
    check(pieces, [*texts, *("".join(pair).encode() for pair in zip(chars[::70], chars[1::70], strict=False))], True)


def test_wide_families():
    """Children whose codes are far apart."""
    chars = [chr(c) for c in range(0x4E00, 0x4E00 + 4000)]
    texts = [parent + child for parent in "abcdefgh" for child in chars[ord(parent) % 7 :: 5]]
    check(scored(text.encode() for text in [*texts, *chars]), [(text + "a").encode() for text in texts], True)


@pytest.mark.parametrize("piece", ["漢" * 3000, "a" * 5000])
def test_a_long_piece(piece):
    check(scored([piece.encode()]), [(piece + "z").encode(), piece[:-1].encode()], True)
