"""All four segmenters against their naive twins, on normalized text in both of its forms."""

import math
import random
import struct

import pytest
from oracle import native
from oracle.random_models import random_pieces, random_text
from oracle.segmentation import NORMAL, SEGMENTERS, SPACE, UNKNOWN, UNUSED, USER_DEFINED
from oracle.slow import slow_after

from spm_lite import Tokenizer
from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.errors import ModelError
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

TYPES = ["unigram", "bpe", "char", "word"]
START = [(b"<unk>", 0.0, UNKNOWN)]


def tokens_of(segmenter, text):
    """(bytes, id) of each token."""
    return [(text[begin:end], i) for i, begin, end in native.tokens(segmenter, text)]


def both_forms(pieces, model_type, text, byte_fallback=False):
    """Tokens of the compact form, checked to be those of the other form; U+2581 for an escaped space."""
    vocab = native.build_vocab(pieces, model_type, byte_fallback)
    plain = tokens_of(make_segmenter(vocab, model_type, False), text)
    compact = tokens_of(make_segmenter(vocab, model_type, True), text.replace(SPACE, b" "))
    assert [(t.replace(b" ", SPACE), i) for t, i in compact] == plain
    return plain


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("seed", slow_after(25, range(60)))
def test_equals_twin(model_type, seed):
    rng = random.Random(f"{model_type} {seed}")
    byte_fallback = rng.random() < 0.3
    pieces = random_pieces(rng, byte_fallback)
    for _ in range(30):
        text = random_text(rng)
        assert both_forms(pieces, model_type, text, byte_fallback) == SEGMENTERS[model_type](pieces, text)


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("seed", range(30))
def test_equals_twin_on_ill_formed_bytes(model_type, seed):
    rng = random.Random(f"ill {model_type} {seed}")
    pieces = random_pieces(rng, False, ill_formed=True, space=True)
    segmenter = make_segmenter(native.build_vocab(pieces, model_type), model_type, False)
    for _ in range(30):
        text = random_text(rng, ill_formed=True)
        assert tokens_of(segmenter, text) == SEGMENTERS[model_type](pieces, text)


@pytest.mark.parametrize("model_type", TYPES)
def test_tokens_join_to_the_text(model_type):
    rng = random.Random(model_type)
    pieces = random_pieces(rng, False)
    segmenter = make_segmenter(native.build_vocab(pieces, model_type), model_type, True)
    for _ in range(50):
        text = random_text(rng, ill_formed=True, space=b" ")  # as a lossless model lets them through
        tokens = native.tokens(segmenter, text)
        assert b"".join(text[begin:end] for _, begin, end in tokens) == text
        assert all(begin < end for _, begin, end in tokens)


@pytest.mark.parametrize("model_type", ["char", "word"])
@pytest.mark.parametrize("seed", range(8))
def test_characters_at_the_bounds_of_their_sizes(model_type, seed):
    """Half of them are pieces, some of which are UNUSED or symbols; a piece is not found for its neighbours."""
    rng = random.Random(f"bounds {seed}")
    bounds = [0x1, 0x20, 0x7F, 0x80, 0xBF, 0x7FF, 0x800, 0xFFF, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF, 0x4E00]
    chars = sorted({chr(k) for bound in bounds for k in range(bound - 3, bound + 4) if 0 < k < 0xD800 or k > 0xDFFF
                    if k < 0x110000} - {" "})  # fmt: skip
    types = [NORMAL, NORMAL, NORMAL, UNUSED, USER_DEFINED]
    texts = {c.encode() for c in rng.sample(chars, len(chars) // 2)} | {SPACE, "aé".encode(), "éa中".encode()}
    pieces = START + [(text, -1.0, rng.choice(types)) for text in sorted(texts)]
    for _ in range(20):
        text = b"".join(SPACE * (rng.random() < 0.3) + c.encode() for c in rng.choices([*chars, "a", "é", "中"], k=90))
        assert both_forms(pieces, model_type, text) == SEGMENTERS[model_type](pieces, text)
    for text in (c.encode() for c in chars):
        assert both_forms(pieces, model_type, text) == SEGMENTERS[model_type](pieces, text)


@pytest.mark.parametrize("model_type", ["char", "word"])
@pytest.mark.parametrize("size", [1, 14, 15, 16, 17, 4095, 4096, 4097, 7000])
def test_places_at_which_reading_stops(model_type, size):
    """A word near the end of a text, and a symbol across the end of a block of characters."""
    word = "x" * (size - 1) + "y"
    symbols = [(f"{SPACE.decode()}{word}".encode(), 0.0, NORMAL), (b"yzy", 0.0, USER_DEFINED), (b"x", 0.0, NORMAL)]
    for text in (word, word + "zy", word + " z", "z " + word + " " + word, "é" * size + "yzy"):
        marked = SPACE + text.encode().replace(b" ", SPACE)
        assert both_forms(START + symbols, model_type, marked) == SEGMENTERS[model_type](START + symbols, marked)


@pytest.mark.parametrize("seed", slow_after(25, range(80)))
def test_bpe_of_long_chunks(seed):
    """More symbols than are merged at once: windows that overlap, or, where they do not meet, all in a heap."""
    rng = random.Random(f"long {seed}")
    letters = rng.choice(["a", "ab", "abc", "aé", "漢字", "abcdefgh"])
    texts = list(letters)
    for _ in range(rng.choice([2, 8, 30, 80])):
        text = rng.choice(texts) + rng.choice(texts)
        if text not in texts and len(text) <= rng.choice([4, 16, 90]):
            texts.append(text)
    texts = [text for text in texts if len(text) > 1 or rng.random() < 0.9]
    scores = [rng.choice([-float(k), -float(k // 4), -rng.random(), -0.0]) for k in range(len(texts))]
    pieces = [*START, *((text.encode(), score, NORMAL) for text, score in zip(texts, scores, strict=True))]
    if rng.random() < 0.3:
        pieces.append((rng.choice(letters).encode() * 3, 0.0, USER_DEFINED if rng.random() < 0.5 else UNUSED))
    pieces = list({text: (text, score, kind) for text, score, kind in reversed(pieces)}.values())
    rng.shuffle(pieces)
    for _ in range(4):
        period = "".join(rng.choices(letters, k=rng.choice([1, 3, 17, 400])))
        text = (period * 400)[: rng.choice([59, 60, 61, 62, 80, 81, 100, 121, 250])]
        if rng.random() < 0.3:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(["z", "\0", "🤗"]) + text[at:]
        assert both_forms(pieces, "bpe", text.encode()) == SEGMENTERS["bpe"](pieces, text.encode())


@pytest.mark.parametrize("size", [61, 80, 100, 101, 120, 121, 139])
@pytest.mark.parametrize("longest", [2, 3])
def test_bpe_that_depends_on_the_end_of_a_long_chunk(size, longest):
    """The last pair merges first, and so which of all the others can."""
    text = "".join(map(chr, range(0x4E00, 0x4E00 + size)))
    pairs = [text[k : k + n] for k in range(size - 1) for n in range(2, longest + 1) if k + n <= size]
    pieces = [*START, *((pair.encode(), float(k), NORMAL) for k, pair in enumerate(pairs))]
    pieces += [(char.encode(), -1.0, NORMAL) for char in text[::2]]
    for part in (text, text[1:], text[: size // 2] * 3):
        assert both_forms(pieces, "bpe", part.encode()) == SEGMENTERS["bpe"](pieces, part.encode())


@pytest.mark.parametrize("score", [-1.0, 1.0, -70000.0, 70000.0, -0.37])
def test_unigram_rescales_like_twin(score):
    pieces = [*START, (b"a", score, NORMAL), (b"aa", 2 * score - 0.001, NORMAL), (b"aaa", -0.3, USER_DEFINED)]
    text = b"aabaaaab" * 40
    assert both_forms(pieces, "unigram", text) == SEGMENTERS["unigram"](pieces, text)


@pytest.mark.parametrize(("size", "n_lengths"), [(20000, 3), (9000, 1), (13000, 7)])
def test_unigram_blocks_like_twin(size, n_lengths):
    rng = random.Random(size)
    units = [b"a", b"bb", b"ab", b"ba", b"aba", b"x", b"abab"][:n_lengths]
    pieces = [*START, *((unit, -rng.random(), NORMAL) for unit in units)]
    text = bytes(rng.choices(b"abx", (50, 50, 1), k=size))
    assert both_forms(pieces, "unigram", text) == SEGMENTERS["unigram"](pieces, text)


def all_paths(pieces, text):
    """(score, tokens) of every path over a compact text, by trying them all."""
    chars = [c.encode("utf-8", "surrogateescape") for c in text.decode("utf-8", "surrogateescape")]
    offsets = [len(b"".join(chars[:k])) for k in range(len(chars) + 1)]
    normal = [score for _, score, kind in pieces if kind == NORMAL]
    unknown_score = float32(float32(min(normal)) - 10) if normal else float32(3.4028234663852886e38)
    edges = {}
    for i, (piece, score, kind) in enumerate(pieces):
        if kind in (NORMAL, USER_DEFINED):
            edges[piece.replace(SPACE, b" ")] = (float32(score if kind == NORMAL else 0.1 * (len(piece) - 1)), i)
    unknown_id = next((i for i, (_, _, kind) in enumerate(pieces) if kind == UNKNOWN), -1)
    paths = [[(0.0, [])]]
    for end in range(1, len(chars) + 1):
        here = []
        for begin in range(end):
            piece = b"".join(chars[begin:end])
            if piece in edges or end == begin + 1:
                score, i = edges.get(piece, (unknown_score, unknown_id))
                here += [(s + score, [*tokens, (i, offsets[begin], offsets[end])]) for s, tokens in paths[begin]]
        paths.append(here)
    return paths[-1]


def float32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


@pytest.mark.parametrize("seed", range(60))
def test_unigram_margin_equals_that_of_all_paths(seed):
    rng = random.Random(f"margin {seed}")
    pieces = random_pieces(rng, byte_fallback=seed % 3 == 0)
    segmenter = make_segmenter(native.build_vocab(pieces, "unigram", seed % 3 == 0), "unigram", True)
    for _ in range(20):
        text = random_text(rng, ill_formed=True, space=b" ")
        while len(text.decode("utf-8", "surrogateescape")) > 10:
            text = text[: len(text) // 2]
        paths = sorted(all_paths(pieces, text), key=lambda path: -path[0])
        tokens, margin = native.best_with_margin(segmenter, text)
        if len(paths) == 1:
            assert (tokens, margin) == (paths[0][1], math.inf)
            continue
        assert margin == pytest.approx(paths[0][0] - paths[1][0], rel=1e-9, abs=1e-9)
        best = {path: score for score, path in ((score, tuple(path)) for score, path in paths)}
        assert best[tuple(tokens)] == pytest.approx(paths[0][0], rel=1e-12)


def test_unigram_without_normal_pieces_prefers_unknowns():
    pieces = [*START, (b"ab", 0.0, USER_DEFINED)]
    assert both_forms(pieces, "unigram", b"abab") == [(b"a", 0), (b"b", 0)] * 2


def test_unigram_bonus_counts_the_bytes_of_the_model():
    symbol = SPACE + b"ab"
    for score in (0.15, 0.25, 0.41):  # bonus 0.4: five bytes, of which an escaped space is three
        pieces = [*START, (symbol, 0.0, USER_DEFINED), (SPACE + b"a", score, NORMAL), (b"b", 0.0, NORMAL)]
        assert both_forms(pieces, "unigram", symbol) == SEGMENTERS["unigram"](pieces, symbol)


@pytest.mark.parametrize("n_symbols", [63, 64, 65, 70])
@pytest.mark.parametrize("model_type", ["bpe", "char"])
def test_only_the_64_shortest_symbols_count(n_symbols, model_type):
    pieces = [*START, *((b"a" * k, 0.0, USER_DEFINED) for k in range(1, n_symbols + 1))]
    text = b"a" * 150
    assert both_forms(pieces, model_type, text) == SEGMENTERS[model_type](pieces, text)


def test_bpe_unused_pieces_are_taken_apart_the_way_they_were_last_formed():
    pieces = [*START, *((t, -9.0, NORMAL) for t in (b"a", b"b", b"c"))]
    pieces += [(b"ab", -1.0, UNUSED), (b"bc", -2.0, NORMAL), (b"abc", -3.0, UNUSED)]
    for text in (b"abc", b"abcbc", b"cabc", b"abcabc"):
        assert both_forms(pieces, "bpe", text) == SEGMENTERS["bpe"](pieces, text)


def test_bpe_gives_up_taking_apart_after_100_steps():
    pieces = [*START, (b"a", 0.0, NORMAL), *((b"a" * k, float(-k), UNUSED) for k in range(2, 130))]
    for size in (99, 101, 102, 103, 128):
        text = b"a" * size
        assert both_forms(pieces, "bpe", text) == SEGMENTERS["bpe"](pieces, text)


@pytest.mark.parametrize("scores", [(-0.0, 0.0), (0.0, 0.0), (float("nan"), float("inf")), (float("-inf"), -1e38)])
def test_bpe_orders_scores_by_bit_pattern(scores):
    pieces = [*START, *((t, -5.0, NORMAL) for t in (b"a", b"b", b"c"))]
    pieces += [(b"ab", scores[0], NORMAL), (b"bc", scores[1], NORMAL)]
    assert both_forms(pieces, "bpe", b"abc") == SEGMENTERS["bpe"](pieces, b"abc")


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize(
    "text", slow_after(1, [b"a" * 1_000_000, b" " * 1_000_000, b"ab" * 300_000, "漢".encode() * 300_000])
)
def test_long_repeats_stay_linear(model_type, text):
    pieces = [*START, *((t, -float(k), NORMAL) for k, t in enumerate([b"a", b"aa", b"aaaa", b"ab", b"abab", SPACE]))]
    segmenter = make_segmenter(native.build_vocab(pieces, model_type), model_type, True)
    tokens = native.tokens(segmenter, text)
    assert tokens[-1][2] == len(text)


def test_unknown_model_type():
    with pytest.raises(ModelError, match="'sentences'"):
        make_segmenter(native.build_vocab([*START, (b"a", 0.0, NORMAL)]), "sentences", True)


@pytest.mark.parametrize("cache_bytes", [0, 1 << 20])
def test_an_unknown_character_in_double_precision(cache_bytes):
    """It is measured by the lowest score, whatever the unknown piece scores, and also where a longer piece holds it."""
    pieces = [("<unk>", 0.0, UNKNOWN), ("\u2581", -4.0, NORMAL), ("\u2581a", -1.0, NORMAL), ("\u2581ab", -3.0, NORMAL)]
    exact = struct.pack("4d", *(score for _, score, _ in pieces))
    trainer = TrainerSpec(model_type="unigram", byte_fallback=False)
    data = write_model(pieces, trainer, NormalizerSpec(), exact_scores=exact)
    tok = Tokenizer.load(data, cache_bytes=cache_bytes)
    assert tok._encoder.normalizer.compact
    assert [tok.encode(text) for text in ("ab", "abab", "b", "ab ab")] == [[3], [3, 0], [1, 0], [3, 3]]
