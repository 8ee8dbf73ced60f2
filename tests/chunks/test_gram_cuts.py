"""Where no piece spans a place of a text, against all pieces at all places, and against the text segmented whole."""

import random
from functools import partial
from itertools import accumulate

import pytest
import sentencepiece
from oracle import native
from oracle.segmentation import NORMAL, UNKNOWN, USER_DEFINED
from oracle.small_models import tokenizer_of

from spm_lite.chunks.pair_cuts import PairCuts

CHARS = ["日", "本", "語", "中", "国", "ก", "é", "a", "b", "🤗", " "]


def random_words(rng, n_words, chars=CHARS):
    return sorted({"".join(rng.choices(chars, k=rng.randrange(2, 8))) for _ in range(n_words)})


def pieces_of(words, chars=CHARS):
    texts = [*chars, *words]
    return [
        (b"<unk>", 0.0, UNKNOWN),
        *((text.replace(" ", "\u2581").encode(), -1.0 - k % 7, NORMAL) for k, text in enumerate(texts)),
    ]


def cuts_of(words):
    cutter = tokenizer_of(pieces_of(words), "unigram")._encoder.chunks.cutter
    native.always_use_context(cutter)
    return partial(native.cuts, cutter)


def unspanned(words, text):
    """Byte offsets that no word spans where it stands in the text, and of those the ones that four characters show."""
    shown = text.decode()
    places = [*accumulate(len(c.encode()) for c in shown)]
    held = {word[k : k + 4] for word in words for k in range(len(word) - 3)} | {w for w in words if len(w) < 4}
    exact, seen = [], []
    for k in range(1, len(shown)):
        inside = [
            shown[begin:end] for begin in range(max(k - 7, 0), k) for end in range(k + 1, min(k + 7, len(shown)) + 1)
        ]
        if not any(part in words for part in inside):
            exact.append(places[k - 1])
        if not any(part in held for part in inside if len(part) <= 4):
            seen.append(places[k - 1])
    ends = [len(text)] if text else []
    return exact + ends, seen + ends


@pytest.mark.parametrize("seed", range(30))
def test_rule(seed):
    """No place is found that a word spans, and most that four characters show, but for what ASCII shares in."""
    rng = random.Random(seed)
    chars = [c for c in CHARS if not c.isascii()]
    words = random_words(rng, rng.randrange(10, 200), chars)
    cuts = cuts_of(words)
    n_found = n_seen = 0
    for _ in range(20):
        text = "".join(rng.choices([*chars, *words], k=rng.randrange(60))).encode()
        found, (exact, seen) = cuts(text), unspanned(words, text)
        assert set(found) <= set(exact)
        n_found += len(found)
        n_seen += len(seen)
    assert n_found > 0.9 * n_seen


@pytest.mark.parametrize("seed", range(40))
def test_no_word_is_cut(seed):
    """With ASCII runs of all lengths, in whole texts and in parts of them."""
    rng = random.Random(seed)
    words = random_words(rng, rng.randrange(5, 100))
    cuts = cuts_of(words)
    for _ in range(20):
        weights = [rng.random() ** 2 for _ in CHARS]
        text = "".join(rng.choices(CHARS, weights, k=rng.randrange(250))).encode()
        exact, _ = unspanned(words, text)
        assert set(cuts(text)) <= set(exact)
        part = text.decode()[: rng.randrange(len(text.decode()) + 1)].encode()
        assert set(cuts(part, is_whole=False)) <= set(exact)


@pytest.mark.parametrize("text", ["日本a" * 40, "é日" * 60, "🤗本" * 50, "a日 " * 70, "本語中国" * 40, "日" * 500])
def test_places_in_blocks(text):
    """Characters across the ends of blocks, at each place of them."""
    words = random_words(random.Random(3), 60)
    cuts = cuts_of(words)
    for shift in range(70):
        data = ("中" * shift + text).encode()
        assert set(cuts(data)) <= set(unspanned(words, data)[0])


def test_more_than_pairs_tell():
    words = ["日本語", "本語中国", "語中"]
    text = "日本中国語日本語中".encode()
    assert native.pair_cuts(PairCuts(native.build_vocab(pieces_of(words), "unigram")), text) == [6, 12, 15, 27]
    assert cuts_of(words)(text) == [3, 6, 9, 12, 15, 27]


@pytest.mark.parametrize("seed", range(20))
def test_reference(seed):
    rng = random.Random(seed)
    words = random_words(rng, 200)
    pieces = pieces_of(words)
    if seed % 3 == 0:
        pieces += [("中国日".encode(), 0.0, USER_DEFINED), (b"ab\xc3\xa9a", 0.0, USER_DEFINED)]
    tok = tokenizer_of([*{text: (text, score, kind) for text, score, kind in pieces}.values()], "unigram")
    native.always_use_context(tok._encoder.chunks.cutter)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    for _ in range(40):
        weights = [rng.random() ** 2 for _ in [*CHARS, *words]]
        text = "".join(rng.choices([*CHARS, *words, "x"], [*weights, 0.1], k=rng.randrange(200)))
        assert tok.encode(text) == ref.encode(text)
