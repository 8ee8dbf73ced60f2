"""Chunks that are segmented a part at a time: the tokens are those of the naive twins, whatever the size of a part."""

from __future__ import annotations

import random

import pytest
from oracle import native
from oracle.segmentation import NORMAL, SEGMENTERS, SPACE, UNKNOWN, UNUSED, USER_DEFINED, Pieces
from oracle.slow import slow_after

from spm_lite.encode.segment.segmenter import make_segmenter

ALPHABETS = ["a", "ab", "abc", "aé", "漢字", "abcdefgh", " a", "  ", "a🤗"]


def grown_pieces(rng: random.Random, letters: str) -> Pieces:
    """Pieces joined of pieces, some of them long, with ties, symbols and UNUSED pieces now and then."""
    texts = list(dict.fromkeys(letters))
    longest = rng.choice([4, 16, 90])
    for _ in range(rng.choice([2, 8, 30, 80])):
        text = rng.choice(texts) + rng.choice(texts)
        if text not in texts and len(text) <= longest:
            texts.append(text)
    texts = [text for text in texts if len(text) > 1 or rng.random() < 0.9]
    step = rng.choice([1, 1, 4])
    scores = [rng.choice([-float(k // step), -float(k), -rng.random(), -0.0]) for k in range(len(texts))]
    kinds = dict.fromkeys(texts, NORMAL)
    for kind in (USER_DEFINED, UNUSED):
        if texts and rng.random() < 0.2:
            kinds[rng.choice(texts) + rng.choice(["", letters[0] * 2])] = kind
    scored = dict(zip(texts, scores, strict=True))
    pieces = [(text.encode().replace(b" ", SPACE), scored.get(text, -0.5), kind) for text, kind in kinds.items()]
    rng.shuffle(pieces)
    return [(b"<unk>", 0.0, UNKNOWN), *pieces]


def long_text(rng: random.Random, letters: str, most: int = 400) -> bytes:
    """A repeat, a repeat of repeats, or random text; some with a few other characters."""
    period = "".join(rng.choices(letters, k=rng.choice([1, 2, 3, 17, 100])))
    if rng.random() < 0.3:
        period = period * rng.randrange(2, 30) + "".join(rng.choices(letters, k=rng.choice([1, 5])))
    text = (period * most)[: rng.choice([5, 59, 60, 61, 62, 80, 81, 100, 121, rng.randrange(1, most)])]
    for _ in range(rng.choice([0, 0, 1, 3])):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice([*letters, "z", "\0", "🤗", " "]) + text[at:]
    return text.encode().replace(b" ", SPACE)


def check(pieces: Pieces, model_type: str, text: bytes, n: int, n_most: int, byte_fallback: bool = False) -> int:
    """Compare both forms with the twin; n, n_most: limits of a part. Return how often tokens were withdrawn."""
    expected = SEGMENTERS[model_type](pieces, text)
    vocab = native.build_vocab(pieces, model_type, byte_fallback)
    withdrawn = 0
    for compact in (False, True):
        form = text.replace(SPACE, b" ") if compact else text
        segmenter = make_segmenter(vocab, model_type, compact)
        native.set_limits(segmenter, n)
        found, n_withdrawn = native.tokens_in_parts(segmenter, form, n_most)
        withdrawn += n_withdrawn
        assert found == native.tokens(segmenter, form)
        shown = [(form[begin:end].replace(b" ", SPACE) if compact else form[begin:end], i) for i, begin, end in found]
        assert shown == expected
    return withdrawn


@pytest.mark.parametrize("model_type", ["bpe", "unigram", "char", "word"])
@pytest.mark.parametrize("seed", slow_after(20, range(300)))
def test_equals_twin(model_type: str, seed: int) -> None:
    rng = random.Random(f"parts {model_type} {seed}")
    letters = rng.choice(ALPHABETS)
    pieces = grown_pieces(rng, letters)
    for _ in range(6):
        n = rng.choice([1, 3, 64, 70]) if model_type == "unigram" else rng.choice([61, 64, 70, 2048])
        check(pieces, model_type, long_text(rng, letters), n, rng.choice([1, 2, 7, 50, 4096]))


@pytest.mark.parametrize("size", [101, 120, 121, 250, 401])
@pytest.mark.parametrize("n", [61, 64, 100, 2048])
def test_tokens_are_withdrawn_where_the_end_of_a_chunk_decides(size: int, n: int) -> None:
    """The last pair merges first: windows agree, until the last of them shows that all were wrong."""
    text = "".join(map(chr, range(0x4E00, 0x4E00 + size)))
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((text[k : k + 2].encode(), float(k), NORMAL) for k in range(size - 1))]
    withdrawn = [
        check(pieces, "bpe", (before + text[first:]).encode(), n, 5) for first in (0, 1) for before in ("", "zz")
    ]
    assert max(withdrawn) > 0


@pytest.mark.parametrize("lengths", [[2], [3], [2, 4, 64], [1, 2, 4, 8, 16, 32, 64], [90]])
@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_runs_of_one_letter(model_type: str, lengths: list[int]) -> None:
    """Ties at every place, and pieces longer than a window or than the part of it that the next one shares."""
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((b"a" * n, -1.0 - n, NORMAL) for n in lengths)]
    for size in (1, 59, 60, 61, 200, 333, 1000):
        check(pieces, model_type, b"a" * size, 61 if model_type == "bpe" else 1, 10)
