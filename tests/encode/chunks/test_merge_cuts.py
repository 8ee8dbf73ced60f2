"""Where merges of BPE leave a text cut, against the rule on all pieces, and against merging the whole text."""

import random
from functools import partial
from itertools import accumulate, pairwise

import pytest
import sentencepiece
from oracle import native
from oracle.segmentation import NORMAL, UNKNOWN, USER_DEFINED, bpe
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of

from spm_lite.encode.chunks.pair_cuts import PairCuts

NEVER = -1e9
CHARS = ["日", "本", "語", "中", "国", "ก", "é", "a", "b", "🤗"]


def merged_pieces(rng, n_merges, chars=CHARS, n_symbols=0):
    """Pieces as training makes them, some with equal scores; the last few are user-defined."""
    texts = [*chars]
    while len(texts) < len(chars) + n_merges:
        text = rng.choice(texts) + rng.choice(texts)
        if text not in texts and len(text) < 9:
            texts.append(text)
    scores = sorted((-float(rng.randrange(n_merges)) for _ in range(n_merges)), reverse=True)
    kinds = [NORMAL] * (n_merges - n_symbols) + [USER_DEFINED] * n_symbols
    merges = zip(texts[len(chars) :], scores, kinds, strict=True)
    return [
        (b"<unk>", 0.0, UNKNOWN),
        *((c.encode(), -1000.0, NORMAL) for c in chars),
        *((text.encode(), score, kind) for text, score, kind in merges),
    ]


def cuts_of(pieces):
    cutter = tokenizer_of(pieces, "bpe")._encoder.chunks.cutter
    native.always_use_context(cutter)
    return partial(native.cuts, cutter)


def held(scores, part):
    """The score of the piece that merges first of those that hold a string."""
    return max((score for piece, score in scores.items() if part in piece), default=NEVER)


def naive_cuts(pieces, text):
    """Byte offsets where the rule allows to cut: first as if nothing was cut, then between what is cut already."""
    shown = text.decode()
    scores = {piece.decode(): score for piece, score, kind in pieces if kind == NORMAL}
    places = [0, *accumulate(len(c.encode()) for c in shown)]
    cuts = {0, len(shown)}
    while True:
        more = cuts.copy()
        for begin, end in pairwise(sorted(cuts)):
            more |= {begin + place for place in inner_cuts(scores, shown[begin:end])}
        if more == cuts:
            return [places[k] for k in sorted(cuts)][1:]
        cuts = more


def inner_cuts(scores, part):
    """The places inside a string, in characters."""
    pairs = [a + b for a, b in pairwise(part)]
    triples = [False, *(held(scores, part[k : k + 3]) > NEVER for k in range(len(part) - 2)), False]
    firsts = [False] * (len(pairs) + 2)
    for k, pair in enumerate(pairs):
        beside = pairs[max(k - 1, 0) : k] + pairs[k + 1 : k + 2]
        firsts[k + 1] = pair in scores and all(scores[pair] > held(scores, other) for other in beside)
    for k, pair in enumerate(pairs):
        left, right = triples[k : k + 2]
        is_lone = pair not in scores and not left and not right
        if held(scores, pair) == NEVER or (firsts[k] and not left) or (firsts[k + 2] and not right) or is_lone:
            yield k + 1


@pytest.mark.parametrize("seed", slow_after(10, range(30)))
def test_rule(seed):
    """Every cut is one that the rule allows, and most of those are made; not those in which ASCII has a part."""
    rng = random.Random(seed)
    chars = CHARS[:-3]
    pieces = merged_pieces(rng, rng.randrange(10, 60), chars)
    cuts = cuts_of(pieces)
    n_found = n_allowed = 0
    for _ in range(30):
        text = "".join(rng.choices(chars, k=rng.randrange(150))).encode()
        found, allowed = cuts(text), naive_cuts(pieces, text)
        assert set(found) <= set(allowed)
        n_found += len(found)
        n_allowed += len(allowed)
    assert n_found > 0.9 * n_allowed


def test_more_than_pairs_tell():
    pieces = [("日本", -1), ("中国", -2), ("本語", -3), ("語中", -4), ("国日", -5), ("本語中", -6)]
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((text.encode(), float(score), NORMAL) for text, score in pieces)]
    text = "日本語中国日本".encode()
    assert native.pair_cuts(PairCuts(native.build_vocab(pieces, "bpe")), text) == [21]
    assert cuts_of(pieces)(text) == [6, 9, 15, 21]


@pytest.mark.parametrize("seed", slow_after(15, range(60)))
def test_parts_merge_alone(seed):
    rng = random.Random(seed)
    pieces = merged_pieces(rng, rng.randrange(5, 60), n_symbols=rng.choice([0, 0, 3]))
    cuts = cuts_of(pieces)
    for _ in range(15):
        weights = [rng.random() ** 2 for _ in CHARS]
        text = "".join(rng.choices(CHARS, weights, k=rng.randrange(100))).encode()
        whole = bpe(pieces, text)
        part = text.decode()[: rng.randrange(len(text.decode()) + 1)].encode()
        # A part of it shows no place where the whole may not be cut.
        before = cuts(part, is_whole=False)
        for places in (cuts(text), [*before, len(text)]):
            parts = [text[begin:end] for begin, end in pairwise([0, *places])]
            assert [token for alone in parts for token in bpe(pieces, alone)] == whole


@pytest.mark.parametrize(
    "text", slow_after(2, ["日本a" * 40, "é日" * 60, "🤗本" * 50, "a日 " * 70, "本語中国" * 40, "日" * 500])
)
def test_places_in_blocks(text):
    """Characters across the ends of blocks, at each place of them."""
    pieces = merged_pieces(random.Random(7), 50)
    cuts = cuts_of(pieces)
    for shift in range(70):
        data = ("中" * shift + text).encode()
        parts = [data[begin:end] for begin, end in pairwise([0, *cuts(data)])]
        assert [token for part in parts for token in bpe(pieces, part)] == bpe(pieces, data)


@pytest.mark.slow
def test_crowded_buckets():
    """Of pairs for which there is no room nothing is taken for known."""
    rng = random.Random(1)
    chars = [chr(0x4E00 + k) for k in range(3000)]
    texts = sorted({"".join(rng.choices(chars, k=rng.choice([2, 2, 2, 3, 4]))) for _ in range(150_000)})
    rng.shuffle(texts)
    pieces = [(text.encode(), -float(k), NORMAL) for k, text in enumerate(texts)]
    pieces = [(b"<unk>", 0.0, UNKNOWN), *pieces, *((c.encode(), -1e6, NORMAL) for c in chars)]
    tok = tokenizer_of(pieces, "bpe")
    segmenter, cuts = tok._encoder.segmenter, cuts_of(pieces)
    for _ in range(20):
        text = "".join(rng.choice(texts) for _ in range(300)).encode()
        parts = [text[begin:end] for begin, end in pairwise([0, *cuts(text)])]
        ids = [piece_id for part in parts for piece_id, _, _ in native.tokens(segmenter, part)]
        assert ids == [piece_id for piece_id, _, _ in native.tokens(segmenter, text)]


@pytest.mark.parametrize("seed", range(20))
def test_reference(seed):
    rng = random.Random(seed)
    chars = [*CHARS, "\u2581", "ข", "ค"]
    tok = tokenizer_of(merged_pieces(rng, 300, chars, n_symbols=rng.choice([0, 2])), "bpe")
    native.always_use_context(tok._encoder.chunks.cutter)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    for _ in range(40):
        weights = [rng.random() ** 2 for _ in chars]
        text = "".join(rng.choices([*chars[:-3], " ", "ข", "ค", "x"], [*weights, 0.1], k=rng.randrange(300)))
        assert tok.encode(text) == ref.encode(text)
