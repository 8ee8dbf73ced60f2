"""Merged vocabularies: no dead piece, old ids stay, texts of other scripts do not change, and wrong pairs of models."""

import random
from collections import Counter

import pytest
from oracle.small_models import HARD

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.tokenizer.lone_pieces import LonePieces

rng = random.Random(5)
LATIN = [" ".join(rng.choices(["the", "cat", "hats", "12", "on", "at"], k=6)) for _ in range(90)]
OTHER = [" ".join(rng.choices(["кот", "шляпа", "dogs", "2024", "日本", "ไทย", "👩\u200d🚀"], k=5)) for _ in range(90)]
TEXTS = [*HARD, "日本кот"]
KINDS = {
    "bpe": {"model_type": "bpe", "vocab_size": 340},
    "lossy": {"model_type": "bpe", "vocab_size": 60, "byte_fallback": False, "normalization": "nmt_nfkc"},
    "bytes": {"model_type": "byte_bpe", "vocab_size": 300},
    "gpt2": {"model_type": "byte_bpe", "vocab_size": 300, "split_pattern": "gpt2"},
    "unigram": {"model_type": "unigram", "vocab_size": 330},
}
FITTING = [(a, b) for a in KINDS for b in KINDS if a != "unigram" or b == "unigram"]


def model(kind, texts):
    return spm_lite.train(texts, hard_vocab_limit=False, **KINDS[kind])


@pytest.mark.parametrize(("first", "second"), FITTING)
def test_promises(first, second) -> None:
    a, b = model(first, LATIN), model(second, OTHER)
    merged = spm_lite.merge(a, b)
    made, lone = merged.tokenizer, LonePieces(merged.tokenizer)
    assert merged.map.new_ids == tuple(range(len(a)))
    assert not lone.dead() - LonePieces(a).dead()
    assert {*merged.reasons} == {*range(len(made))}
    assert Counter(merged.reasons.values())["a"] == len(a)
    if first != "lossy":  # there, a run of unknown characters is one token
        assert sum(made.count_batch(OTHER)) <= sum(a.count_batch(OTHER))
    for text in [*LATIN[:20], *OTHER[:20], *TEXTS]:
        if not {*made.encode(text)} & {*merged.map.grown}:
            assert made.encode(text) == a.encode(text)
        if a.info.is_lossless:
            assert made.decode(made.encode(text)) == text
    assert spm_lite.merge(a, b).tokenizer.to_bytes() == made.to_bytes()
    few = spm_lite.merge(a, b, n=4)
    assert len(few.map.grown) <= 4
    scripts = spm_lite.merge(a, b, only="Cyrillic")
    assert scripts.tokenizer.encode_lists(LATIN) == a.encode_lists(LATIN)
    assert 0 < len(scripts.map.grown) < len(merged.map.grown)
    if not a._file.has_own_pieces:
        sentencepiece = pytest.importorskip("sentencepiece")
        other = sentencepiece.SentencePieceProcessor(model_proto=made.to_bytes())
        texts = [text for text in [*LATIN[:20], *OTHER[:20], *TEXTS] if "\u2581" not in text and "\0" not in text]
        assert [other.encode(text) for text in texts] == made.encode_lists(texts)


def test_the_best_pieces_come_first() -> None:
    a, b = model("unigram", LATIN), model("unigram", OTHER)
    few, all_of_it = spm_lite.merge(a, b, n=5), spm_lite.merge(a, b)
    least = min(a.score(i) for i in range(len(a)) if a.piece_type(i) == "normal")
    worst = min(few.tokenizer.score(i) for i in few.map.grown)
    rest = {one.piece for one in all_of_it.map.grown.values()} - {one.piece for one in few.map.grown.values()}
    assert all(b.score(b.piece_to_id(piece)) <= max(worst, least) for piece in rest)
    for i, one in few.map.grown.items():
        assert few.tokenizer.score(i) == max(least, b.score(b.piece_to_id(one.piece)))


def test_steps_on_the_way() -> None:
    a, b = model("bpe", LATIN), model("bpe", OTHER)
    merged = spm_lite.merge(a, b)
    for i, one in merged.map.grown.items():
        assert merged.reasons[i] == ("b" if one.piece in b else "step")


@pytest.mark.parametrize(("first", "second"), [("unigram", "bpe"), ("unigram", "bytes")])
def test_scores_that_are_no_probabilities(first, second) -> None:
    with pytest.raises(OptionError, match="are no probabilities: train b as unigram"):
        spm_lite.merge(model(first, LATIN), model(second, OTHER))


def test_wrong_uses() -> None:
    a, b = model("bpe", LATIN), model("bpe", OTHER)
    for kind in ("wordpiece", "word", "char"):
        tok = spm_lite.train(OTHER, model_type=kind, vocab_size=300, hard_vocab_limit=False)
        with pytest.raises(OptionError, match=f"b is a {kind} model: merge takes bpe, byte_bpe and unigram models"):
            spm_lite.merge(a, tok)
        with pytest.raises(OptionError, match=f"a {kind} model cannot be extended"):
            spm_lite.merge(tok, a)
    with pytest.raises(OptionError, match="b has no piece that a lacks"):
        spm_lite.merge(a, a)
    with pytest.raises(ArgumentTypeError, match=r"n=2\.5: must be int"):
        spm_lite.merge(a, b, n=2.5)
    with pytest.raises(OptionError, match="n=0: must be 1 or more"):
        spm_lite.merge(a, b, n=0)
    with pytest.raises(OptionError, match="no script of Unicode"):
        spm_lite.merge(a, b, only="Elvish")
    with pytest.raises(ArgumentTypeError, match="b is str, not a Tokenizer"):
        spm_lite.merge(a, "m.model")
