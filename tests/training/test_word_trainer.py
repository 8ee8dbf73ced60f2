"""Words as pieces: the most frequent ones, of those that occur often enough, against a count in Python."""

import math
import random
from collections import Counter
from typing import Any

import pytest
from oracle.occurrences import chunks_of, learned_pieces
from oracle.slow import slow_after

import spm_lite


def random_texts(seed: int, n: int) -> list[str]:
    draw = random.Random(seed)
    words = ["".join(draw.choices("abé水", k=draw.randint(1, 4))) for _ in range(60)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 7))) for _ in range(n)]


def train(min_count: int, **arguments: Any) -> spm_lite.Tokenizer:
    return spm_lite.train(
        **arguments, min_count=min_count, model_type="word", vocab_size=290, hard_vocab_limit=False,
        byte_fallback=False,
    )  # fmt: skip


@pytest.mark.parametrize("seed", slow_after(5, range(50)))
@pytest.mark.parametrize("min_count", [1, 2, 4, 9])
def test_words_that_occur_often_enough(seed: int, min_count: int) -> None:
    """The order and the scores are those of weighted counts, and occurrences decide."""
    texts = {"a": random_texts(seed, 40), "b": random_texts(seed + 1, 9)}
    for weight in (1, 30):
        tok = train(min_count, input=texts, weights={"a": 1, "b": weight})
        assert tok.report is not None
        counts: Counter[str] = Counter()
        found: Counter[str] = Counter()
        for name, figures in tok.report.sources.items():
            for word, n in chunks_of(texts[name], model_type="word").items():
                counts[word] += n * figures.factor
                found[word] += n
        order = sorted(counts, key=lambda word: (-counts[word], word.encode()))
        expected = [word for word in order if found[word] >= min_count][:287]
        assert learned_pieces(tok) == expected
        scores = [math.log(counts[word] / counts.total()) for word in expected]
        assert [tok.score(tok.piece_to_id(word)) for word in expected] == pytest.approx(scores, rel=1e-6)
        assert tok.report.rare_pieces == sum(found[word] < 5 for word in expected)


def test_a_higher_min_count_than_anything_leaves_no_words() -> None:
    texts = random_texts(1, 40)
    assert learned_pieces(train(10**6, input=texts)) == []
    assert train(1, input=texts) == spm_lite.train(
        texts, model_type="word", vocab_size=290, hard_vocab_limit=False, byte_fallback=False
    )
    assert learned_pieces(train(8, input=texts * 4)) == learned_pieces(train(2, input=texts))
