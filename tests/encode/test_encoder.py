"""The driver against the naive twins: ids, pieces, places; single texts and batches on threads."""

import random
from itertools import pairwise

import pytest
from oracle import native
from oracle.postprocess import postprocess
from oracle.random_models import random_pieces, random_text
from oracle.segmentation import BYTE, CONTROL, NORMAL, SEGMENTERS, SPACE, UNKNOWN, UNUSED, USER_DEFINED
from oracle.slow import slow_after

from spm_lite.encode.encode_batch import count_batch, encode_batch, encode_lists
from spm_lite.encode.encoder import Encoder
from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.errors import ArgumentTypeError, TextError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.texts.object_texts import ObjectTexts

TYPES = ["unigram", "bpe", "char", "word"]
START = [(b"<unk>", 0.0, UNKNOWN), (b"<s>", 0.0, CONTROL), (b"</s>", 0.0, CONTROL)]
BYTES = [(b"<0x%02X>" % byte, 0.0, BYTE) for byte in range(256)]
LETTERS = {"N": NORMAL, "U": USER_DEFINED, "X": UNUSED}


def make_encoder(pieces, model_type, byte_fallback=False, compact=True, dummy=False, suffix=False, remove=True):
    """An encoder without rules."""
    vocab = native.build_vocab(pieces, model_type, byte_fallback)
    normalizer = Normalizer(
        Charsmap(),
        add_dummy_prefix=dummy,
        remove_extra_whitespaces=remove,
        whitespace_as_suffix=suffix,
        compact=compact,
        protected=[text for text, _, kind in pieces if kind == USER_DEFINED],
    )
    return Encoder(normalizer, make_segmenter(vocab, model_type, compact))


def plain(table):
    """`a -1 N, b -2 X` -> pieces."""
    entries = (entry.split() for entry in table.split(","))
    return [(text.encode(), float(score), LETTERS[kind]) for text, score, kind in entries]


VECTORS = [
    ("unigram", "a -1 N, aa -2 N, aaa -3 N", "aaaa", [3, 5], [(0, 1), (1, 4)]),
    ("unigram", "a -1 N, aa -2 N, aaa -3 N", "aaa", [5], [(0, 3)]),
    ("unigram", "a -1 N, b -1 N, c -2 N, ab -9 U, bc -1 N", "abc", [6, 5], [(0, 2), (2, 3)]),
    ("unigram", "a -1 N, b -1 N, c -2 N, ab -9 U, bc -1 N", "xabc", [0, 6, 5], [(0, 1), (1, 3), (3, 4)]),
    ("unigram", "a -5 N, b -5 N, c -5 N, ab 0 U, abc -1 N", "abc", [7], [(0, 3)]),
    ("unigram", "a -1 X, b -1 N", "aab", [0, 4], [(0, 2), (2, 3)]),
    ("unigram", "a -1 N", "aéé☃b", [3, 0], [(0, 1), (1, 9)]),
    ("bpe", "a -9 N, b -9 N, c -9 N, ab -1 N, bc -1 N, abc -5 N", "bcab", [7, 6], [(0, 2), (2, 4)]),
    ("bpe", "a -9 N, b -9 N, c -9 N, ab -1 N, bc -1 N, abc -5 N", "abc", [8], [(0, 3)]),
    ("bpe", "a -9 N, b -9 N, c -9 N, ab -1 X, abc -2 N, abcc -3 X", "ab", [3, 4], [(0, 1), (1, 2)]),
    ("bpe", "a -9 N, b -9 N, c -9 N, ab -1 X, abc -2 N, abcc -3 X", "abcc", [7, 5], [(0, 3), (3, 4)]),
    ("bpe", "a -9 N, b -9 N, c -9 N, ab -1 X, abc -2 N, abcc -3 X", "abd", [3, 4, 0], [(0, 1), (1, 2), (2, 3)]),
    ("bpe", "a -9 N, b -9 N, c -9 N, ab 0 U, abc -1 N, ca -1 N", "abc", [6, 5], [(0, 2), (2, 3)]),
    ("bpe", "a -9 N, b -9 N, c -9 N, ab 0 U, abc -1 N, ca -1 N", "cab", [5, 6], [(0, 1), (1, 3)]),
    ("bpe", "< -1 N, s -1 N, > -1 N, <s -2 N", "<s>", [6, 5], [(0, 2), (2, 3)]),
    ("char", "a -1 N, b -1 X, ab 0 U", "aab", [3, 5], [(0, 1), (1, 3)]),
    ("char", "a -1 N, b -1 X, ab 0 U", "bb", [0], [(0, 2)]),
    ("bpe", "ab -0.0 N, bc 0.0 N, a -5 N, b -6 N, c -6 N", "abc", [5, 4], [(0, 1), (1, 3)]),
    ("bpe", "ab 0.0 N, bc 0.0 N, a -5 N, b -6 N, c -6 N", "abc", [3, 7], [(0, 2), (2, 3)]),
]


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize(("model_type", "table", "text", "ids", "offsets"), VECTORS)
def test_vectors(model_type, table, text, ids, offsets, compact):
    encoder = make_encoder(START + plain(table), model_type, compact=compact)
    assert encoder.encode(text) == ids
    assert encoder.encode_text(text).byte_offsets() == offsets


@pytest.mark.parametrize("compact", [False, True])
def test_vectors_with_byte_fallback_and_dummy_space(compact):
    encoder = make_encoder(START + BYTES + plain("a -1 N, é -2 N"), "unigram", byte_fallback=True, compact=compact)
    assert encoder.encode("a漢é🤗") == [259, 233, 191, 165, 260, 243, 162, 167, 154]
    offsets = encoder.encode_text("a漢é🤗").byte_offsets()
    assert offsets == [(0, 1), (1, 1), (1, 1), (1, 4), (4, 6), (6, 6), (6, 6), (6, 6), (6, 10)]

    encoder = make_encoder(START + plain("▁a -1 N, a -1 N, ▁ -3 N, ab 0 U"), "word", dummy=True, compact=compact)
    assert encoder.encode("a ab") == [3, 0]
    assert encoder.encode_text("a ab").byte_offsets() == [(0, 1), (1, 4)]

    pieces = START + plain("a▁ -1 N, a -1 N, ▁ -3 N")
    encoder = make_encoder(pieces, "unigram", dummy=True, suffix=True, compact=compact)
    assert encoder.encode("a a b") == [3, 3, 0, 5]
    assert encoder.encode_text("a a b").byte_offsets() == [(0, 2), (2, 4), (4, 5), (5, 5)]


def test_the_first_pieces_alone():
    encoder = make_encoder(START + plain("▁a -1 N, a -1 N, ▁ -3 N, ab 0 U"), "word", dummy=True)
    whole, part = encoder.encode_text("a ab ab"), encoder.encode_text("a ab ab")
    part.shorten(len(whole) + 1)
    assert part.ids() == whole.ids()
    part.shorten(2)
    assert (len(part), part.ids(), part.pieces()) == (2, whole.ids()[:2], whole.pieces()[:2])
    assert (part.byte_offsets(), part.surfaces()) == (whole.byte_offsets()[:2], whole.surfaces()[:2])


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("seed", slow_after(60, range(25)))
def test_equals_twin(model_type, seed, compact):
    rng = random.Random(f"{model_type} {seed}")
    byte_fallback = rng.random() < 0.5
    pieces = random_pieces(rng, byte_fallback)
    encoder = make_encoder(pieces, model_type, byte_fallback, compact, remove=False)
    for _ in range(20):
        text = random_text(rng)  # without real spaces the normalized text is the text
        expected = postprocess(pieces, byte_fallback, SEGMENTERS[model_type](pieces, text), text)
        encoded = encoder.encode_text(text)
        places = zip(encoded.pieces(), encoded.ids(), encoded.byte_offsets(), encoded.surfaces(), strict=True)
        assert [(piece, i, *offsets, surface) for piece, i, offsets, surface in places] == expected
        assert encoder.encode(text) == [i for _, i, _, _, _ in expected]
        assert encoder.encode_text(text.decode()).pieces() == [piece for piece, _, _, _, _ in expected]


def test_unknown_space_is_spelled_in_three_bytes():
    for compact in (False, True):
        encoder = make_encoder(START + BYTES + plain("a -1 N"), "bpe", True, compact, dummy=True)
        assert encoder.encode_text("a b").pieces() == [
            b"<0xE2>", b"<0x96>", b"<0x81>", b"a", b"<0xE2>", b"<0x96>", b"<0x81>", b"<0x62>",
        ]  # fmt: skip


def test_lossless_text_spells_a_literal_mark_and_ill_formed_bytes():
    vocab = native.build_vocab(START + BYTES + plain("▁ -1 N, a -1 N, ▁a -1 N"), "unigram", True)
    normalizer = Normalizer(Charsmap(), True, False, compact=True, lossless=True)
    encoder = Encoder(normalizer, make_segmenter(vocab, "unigram", True))
    text = b" " + SPACE + b"a\xffa \xe2\x96a"
    assert (
        b"".join(
            bytes([int(piece[3:5], 16)]) if piece.startswith(b"<0x") else piece.replace(SPACE, b" ")
            for piece in encoder.encode_text(text).pieces()
        )
        == b" " + text
    )
    assert normalizer.compact


def lists(encoder, texts, num_threads, bos=-1, eos=-1):
    ids, offsets = encode_batch(encoder, ObjectTexts(tuple(texts)), num_threads, bos, eos)
    ids, offsets = list(memoryview(ids)), list(memoryview(offsets))
    found = [ids[begin:end] for begin, end in pairwise(offsets)]
    assert encode_lists(encoder, ObjectTexts(tuple(texts)), num_threads, bos, eos) == found
    return found


@pytest.mark.parametrize("num_threads", [1, 2, 5])
@pytest.mark.parametrize("model_type", TYPES)
def test_batch_equals_single_texts(model_type, num_threads):
    rng = random.Random(model_type)
    encoder = make_encoder(random_pieces(rng, True), model_type, True, remove=False)
    texts = [random_text(rng) * rng.choice([1, 1, 1, 50, 700]) for _ in range(150)]
    expected = [encoder.encode(text) for text in texts]
    assert lists(encoder, texts, num_threads) == expected
    assert lists(encoder, texts, num_threads, 1, 2) == [[1, *ids, 2] for ids in expected]


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("dummy", [False, True])
def test_texts_in_memory_of_longer_ones(dummy, suffix):
    """They are written in fewer steps than the first, in each form that a str has."""
    pieces = START + plain("▁a -1 N, a▁ -1 N, a -2 N, é -2 N, 日 -2 N, 🤗 -2 N, ▁ -3 N")
    encoder = make_encoder(pieces, "unigram", dummy=dummy, suffix=suffix, remove=False)
    units = ["a", "é", "日", "🤗", " ", "\u2581"]
    texts = [
        "a" * 300,
        *(a + b + c for a in units for b in units for c in units),
        "",
        *units,
        "🤗" * 400,
        "a é 日 🤗 " * 90,
    ]
    wanted = [encoder.encode_text(text).ids() for text in texts]
    assert lists(encoder, texts, 1) == wanted
    assert lists(encoder, texts[::-1], 1) == wanted[::-1]


def test_empty_batch():
    encoder = make_encoder(START + plain("a -1 N"), "bpe")
    assert lists(encoder, [], 3) == []
    assert lists(encoder, ["", b""], 3, 1, 2) == [[1, 2], [1, 2]]


def test_wrong_arguments():
    encoder = make_encoder(START + plain("a -1 N"), "bpe")
    with pytest.raises(ArgumentTypeError, match="the text is int"):
        encoder.encode(5)
    for call in (encode_batch, encode_lists):
        with pytest.raises(ArgumentTypeError, match="text 1 of the batch is NoneType"):
            call(encoder, ObjectTexts(("a", None)), 2, -1, -1)
        with pytest.raises(TextError, match=r"text 1 of the batch.*U\+D800 at character 2"):
            call(encoder, ObjectTexts(("a", "ab\ud800")), 2, -1, -1)


def test_str_subclass():
    class Name(str):
        __slots__ = ()

    encoder = make_encoder(START + plain("a -1 N"), "bpe")
    assert encoder.encode(Name("aa")) == [3, 3]


def test_normalizer_and_segmenter_must_agree():
    vocab = native.build_vocab(START + plain("a -1 N"), "bpe")
    with pytest.raises(ValueError, match="agree"):
        Encoder(Normalizer(Charsmap(), compact=False), make_segmenter(vocab, "bpe", True))


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("seed", range(8))
def test_counts_are_the_numbers_of_ids(model_type, seed):
    rng = random.Random(seed)
    pieces = random_pieces(rng, False)
    encoder = make_encoder(pieces, model_type, dummy=rng.random() < 0.5)
    texts = [random_text(rng, True) for _ in range(50)]
    texts.append(b" ".join(texts * 40))  # more ids than are kept while they are counted
    expected = [len(encoder.encode(text)) for text in texts]
    assert [encoder.count(text) for text in texts] == expected
    for num_threads in (1, 2, 7):
        assert list(count_batch(encoder, ObjectTexts(tuple(texts)), num_threads).view()) == expected


def test_counting_a_long_text_adds_scores_up_as_encoding_does():
    # Sums pass 100000 many times, and most chunks tie.
    pieces = [*START, *((text, -1.7 - 0.1 * i, NORMAL) for i, text in enumerate([b"a", b"b", b"ab", b"ba", b" "]))]
    encoder = make_encoder(pieces, "unigram", remove=False)
    rng = random.Random(5)
    text = "".join(rng.choices("ab ", k=400_000))
    assert encoder.count(text) == len(encoder.encode(text))
