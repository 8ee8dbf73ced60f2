"""Log-likelihoods by chunks equal those of whole lattices."""

import math
import random

import pytest

import spm_lite
from spm_lite.lattice.likelihood import log_likelihood
from spm_lite.texts.object_texts import ObjectTexts

LINES = ["the cat sat on the mat", "a cat, a mat and 12 hats", "日本語の text", "e\u0301te\u0301 👩‍👧 ▁ x", ""] * 12
OPTIONS = [
    {},
    {"byte_fallback": False, "character_coverage": 0.98, "lossless": False},
    {"normalization": "nmt_nfkc"},
    {"split_by_whitespace": False, "max_sentencepiece_length": 6},
    {"user_defined_symbols": ["cat", "▁"], "lossless": False},
]


def texts_of(seed: int) -> list[str | bytes]:
    draw = random.Random(seed)
    words = [*"abcdehimnost ,12日語xé▁", " cat", " the", "\0", "👩‍👧", "  ", "\u3000", "a" * 200]
    texts: list[str | bytes] = ["".join(draw.choices(words, k=draw.randrange(40))) for _ in range(300)]
    return [*texts, b"", b"\xff\xfe cat \xe3\x81", b"a\x80" * 90, "z" * 5000, *LINES]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_sums_equal_those_of_whole_lattices(options: dict[str, object]) -> None:
    tok = spm_lite.train(LINES, vocab_size=330, hard_vocab_limit=False, **options)  # type: ignore[arg-type]
    texts = texts_of(len(options))
    expected = math.fsum(tok.lattice.log_prob(text) for text in texts)
    found = [log_likelihood(tok._distribution, ObjectTexts(texts), n) for n in (1, 2, 3, 2)]
    assert len(set(found)) == 1  # whatever the threads, and whatever the caches hold
    assert sum(found[0]) == pytest.approx(expected, rel=1e-12)
    tok.clear_cache()
    assert log_likelihood(tok._distribution, ObjectTexts(texts), 2) == found[0]


def test_real_models(shared_data) -> None:  # type: ignore[no-untyped-def]
    lines = (shared_data / "corpora" / "en-tweets.txt").read_text(encoding="utf-8").split("\n")[:400]
    lines += (shared_data / "corpora" / "ja-commonvoice.txt").read_text(encoding="utf-8").split("\n")[:400]
    for name in ("t5_base", "llmjp_v4a_unigram_196k", "albert_30k"):
        tok = spm_lite.Tokenizer.load(shared_data / "models" / f"{name}.model")
        expected = math.fsum(tok.lattice.log_prob_batch(lines).tolist())
        assert sum(log_likelihood(tok._distribution, ObjectTexts(lines), 2)) == pytest.approx(expected, rel=1e-12)


def test_no_memory_for_a_cache() -> None:
    """Without a budget every chunk is computed anew; a failure leaves the workers usable."""
    data = spm_lite.train(LINES, vocab_size=330, hard_vocab_limit=False).to_bytes()
    tok, small = spm_lite.Tokenizer.load(data), spm_lite.Tokenizer.load(data, cache_bytes=0)
    texts = texts_of(9)
    expected = log_likelihood(tok._distribution, ObjectTexts(texts), 2)
    assert log_likelihood(small._distribution, ObjectTexts(texts), 2) == expected
    with pytest.raises(spm_lite.TextError, match="text 1 of the batch holds the lone surrogate"):
        log_likelihood(tok._distribution, ObjectTexts(["a", "\ud800"]), 2)
    assert log_likelihood(tok._distribution, ObjectTexts(texts), 2) == expected
