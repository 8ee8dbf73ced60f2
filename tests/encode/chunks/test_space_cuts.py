"""Cuts before spaces in models whose pieces hold words in a row, against every place that such a piece can span."""

import random

import pytest
import sentencepiece
from oracle import native
from oracle.growing_texts import try_edits
from oracle.segmentation import NORMAL, SEGMENTERS, SPACE, UNKNOWN, USER_DEFINED
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of
from oracle.word_pieces import pieces_of_words, text_of_words

from spm_lite import train


def judging(tok):
    native.always_judge_spaces(tok._encoder.chunks.cutter)
    return tok


def cutter_of(pieces, model_type="bpe", **flags):
    return judging(tokenizer_of(pieces, model_type, **flags))._encoder.chunks.cutter


def normal(texts):
    return [(b"<unk>", 0.0, UNKNOWN), *((text.encode().replace(b" ", SPACE), -1.0, NORMAL) for text in texts)]


def spanned(pieces, text):
    """The places of a compact text that some piece spans, in bytes."""
    found = set()
    for piece, _, kind in pieces:
        if kind in (NORMAL, USER_DEFINED):
            piece = piece.replace(SPACE, b" ")
            begin = text.find(piece)
            while begin >= 0:
                found |= {begin + k for k in range(1, len(piece))}
                begin = text.find(piece, begin + 1)
    return found


def windows(pieces):
    """What stands before each space inside the pieces, its last four bytes, and after it, its first three."""
    found = []
    for piece, _, kind in pieces:
        piece = piece.replace(SPACE, b" ")
        if kind in (NORMAL, USER_DEFINED):
            found += [(piece[:k][-4:], piece[k + 1 : k + 4]) for k in starts(piece)]
    return found


def naive_places(pieces, text):
    """The places before spaces that the test allows; None: too many pieces end in their spaces."""
    known = windows(pieces)
    if not known or 4 * sum(not after for _, after in known) >= len(known):
        return None
    return {
        k
        for k in starts(text)
        if not any(text[:k].endswith(before) and text[k + 1 :].startswith(after) for before, after in known)
    }


def starts(text):
    """The places before a space that follows another character."""
    return {k for k in range(1, len(text)) if text[k] == 0x20 and text[k - 1] != 0x20}


def test_few_pieces():
    cutter = cutter_of(normal(["a", " of the", "x y", " in", "t s"]))
    text = b" in of the of them of a x y x in cat sat cat in"
    places = native.cuts(cutter, text)
    assert not set(places) & spanned(normal([" of the", "x y", " in", "t s"]), text)
    assert starts(text) - set(places) == {6, 13, 25, 36}


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("seed", slow_after(15, range(30)))
def test_no_piece_spans_a_cut(seed, model_type):
    rng = random.Random(seed)
    pieces = pieces_of_words(rng, rng.randrange(40), rng.randrange(1, 30), rng.random() < 0.5)
    cutter = cutter_of(pieces, model_type)
    n_found = n_allowed = 0
    for _ in range(30):
        text = text_of_words(rng, 60).encode()
        places, taken = native.cuts(cutter, text), spanned(pieces, text)
        assert not set(places) & taken
        allowed = naive_places(pieces, text)
        if allowed is not None:
            n_found += len(set(places) & starts(text))
            n_allowed += len(allowed)
            assert set(places) & starts(text) - {len(text)} <= allowed
        part = text.decode()[: rng.randrange(len(text.decode()) + 1)].encode()
        # A part of it shows no place where the whole may not be cut.
        assert not set(native.cuts(cutter, part, is_whole=False)) & taken
    assert n_found >= 0.95 * n_allowed  # pairs with characters beyond ASCII are kept by hashes


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("seed", slow_after(20, range(40)))
def test_ids(seed, model_type):
    """The naive twin on the whole text, and sentencepiece. Words merge on their own first where the order allows it."""
    rng = random.Random(seed)
    pieces = pieces_of_words(rng, rng.randrange(60), rng.randrange(1, 40), rng.random() < 0.7)
    tok = judging(tokenizer_of(pieces, model_type))
    if rng.random() < 0.5:
        native.always_use_context(tok._encoder.chunks.cutter)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    for _ in range(15):
        text = text_of_words(rng)
        data = text.encode().replace(b" ", SPACE)
        twin = [piece_id for _, piece_id in SEGMENTERS[model_type](pieces, data)]
        merged = [i for k, i in enumerate(twin) if i != 0 or k == 0 or twin[k - 1] != 0]
        assert tok.encode(text) == merged == ref.encode(text)
        longer = text * rng.choice([3, 40])
        ids = ref.encode(longer)
        assert tok.encode(longer) == ids
        assert tok.encode_batch([longer] * 3, num_threads=2).to_lists() == [ids] * 3


@pytest.mark.parametrize("seed", range(6))
def test_bytes(seed):
    """Pieces of bytes: the same merges, and no character is unknown."""
    rng = random.Random(seed)
    texts = [text_of_words(rng, 200) for _ in range(8)]
    tok = train(texts, model_type="byte_bpe", vocab_size=400, split_by_whitespace=False, min_count=1)
    assert any(" " in tok.id_to_piece(i).strip() for i in range(tok.vocab_size))
    for text in texts:
        whole = native.tokens(tok._encoder.segmenter, tok.normalize(text).encode())
        assert tok.encode(text) == [piece_id for piece_id, _, _ in whole]


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_growing_texts(model_type):
    """The end of a text that goes on is not judged before its next bytes are known."""
    rng = random.Random(5)
    tok = judging(tokenizer_of(pieces_of_words(rng, 30, 30, True), model_type, add_dummy_prefix=True))
    try_edits(tok, 150, 7)
    text = text_of_words(rng, 200)
    stream = tok.growing()
    for char in text:
        stream.append(char)
    assert stream.ids.tolist() == tok.encode(text)


@pytest.mark.parametrize("n_chars", [3, 40, 200])
def test_many_windows(n_chars):
    """So many windows that the table takes shorter ones."""
    rng = random.Random(n_chars)
    chars = [chr(0x400 + k) for k in range(n_chars)]
    words = ["".join(rng.choices(chars, k=4)) for _ in range(4000)]
    pieces = normal(sorted({f" {rng.choice(words)} {rng.choice(words)}" for _ in range(4000)}))
    cutter = cutter_of(pieces)
    held = [piece for piece, *_ in pieces[1:]]
    for _ in range(20):
        text = b"".join(rng.choices(held, k=5)).replace(SPACE, b" ") + "".join(rng.choices(words, k=3)).encode()
        places = native.cuts(cutter, text)
        assert not set(places) & spanned(pieces, text)
        assert len(places) > 1 or n_chars == 3


def test_suffix_mode_has_none():
    """Where words end with their space, the place before it is inside a word: only pairs of characters tell of cuts."""
    cutter = cutter_of(normal(["the ", "of ", "of the ", "a "]), suffix=True)
    assert native.cuts(cutter, b"of the a of a ") == [7, 9, 12, 14]
