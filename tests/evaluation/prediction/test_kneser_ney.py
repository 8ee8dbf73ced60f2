"""n-gram models: the worked example, a naive twin, parts of any number, and the right values."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
from oracle.kneser_ney import Model

from spm_lite import TextError
from spm_lite.evaluation.figures.id_store import IdStore
from spm_lite.evaluation.prediction import held_out
from spm_lite.evaluation.prediction.held_out import Ngrams, Selection
from spm_lite.evaluation.prediction.kneser_ney import MOST_SYMBOLS, NgramModel

EXAMPLE = [[1, 2], [1, 2, 3], [2, 3, 1], [1, 1, 2]]


def selection(texts, size, wanted=None):
    store = IdStore()
    store.append(np.array([i for text in texts for i in text], np.int32))
    lengths = np.array([len(text) for text in texts], np.int32)
    reading = SimpleNamespace(subject=SimpleNamespace(size=size), ids=store, lengths=lengths)
    return Selection(reading, np.ones(len(texts), np.uint8) if wanted is None else wanted)


def bits_of(order, size, train, held, n_threads=1):
    ngrams = Ngrams(selection(train, size), selection(held, size), 1)
    ngrams.threads = n_threads
    return ngrams.bits(order)


def test_example():
    two = bits_of(2, 4, EXAMPLE, [[1, 2, 3], []])
    assert two.texts.tolist() == pytest.approx([7.21204910698, 2.07681559705], rel=1e-11)
    assert two.report["discounts"]["2"] == pytest.approx([5 / 9, 1 / 3, 3])
    assert two.report["fallback"] == {"1": True, "2": False}
    three = bits_of(3, 4, EXAMPLE, [[1, 2, 3]])
    assert three.texts.tolist() == pytest.approx([5.72873756086], rel=1e-11)
    assert three.report["discounts"]["2"] == pytest.approx([0.6, 1.1, 3])
    one = bits_of(1, 4, EXAMPLE, [[2]])
    assert one.texts[0] == pytest.approx(-np.log2(0.24) - np.log2(Model(1, 4, EXAMPLE).probability((), -20)))


@pytest.mark.parametrize("seed", range(30))
def test_against_naive_model(seed):
    rng = random.Random(seed)
    size = rng.choice([1, 3, 20, 300])

    def texts(n):
        return [[int(size * rng.random() ** 3) for _ in range(rng.randrange(12))] for _ in range(n)]

    train, held = texts(rng.choice([0, 3, 80, 400])), [*texts(10), [-1, 0]]
    for order in (1, 2, 3):
        model = Model(order, size, train)
        found = bits_of(order, size, train, held, rng.randrange(1, 6))
        assert found.texts.tolist() == pytest.approx([model.bits(text) for text in held], rel=1e-11)
        for k in range(1, order + 1):
            assert found.report["discounts"][str(k)] == pytest.approx(model.discounts[k][1:])
            assert found.report["entries"][str(k)] == len(model.counts[k])


def test_it_is_a_distribution():
    """The probabilities of all ids and of the end add up to 1 after any context."""
    for order in (1, 2, 3):
        for context in ([], [1], [1, 2], [4, 4], [2, 0]):
            found = bits_of(order, 5, EXAMPLE, [[*context, i] for i in range(5)] + [context])
            with_all = bits_of(order, 5, EXAMPLE, [context])
            model = Model(order, 5, EXAMPLE)
            total = sum(model.probability((-10, *context), i) for i in (0, 1, 2, 3, 4, -20))
            assert total == pytest.approx(1)
            assert found.texts[-1] == with_all.texts[0]


def test_parts(monkeypatch):
    """Any number of parts, also of those that are made again since there is no memory for all, gives the same bits."""
    rng = random.Random(1)
    train = [[int(200 * rng.random() ** 2) for _ in range(rng.randrange(40))] for _ in range(4000)]
    held = train[:50]
    for order in (1, 2, 3):
        one = bits_of(order, 200, train, held)
        for n_threads in (2, 3):
            assert (bits_of(order, 200, train, held, n_threads).texts == one.texts).all()
        monkeypatch.setattr(held_out, "TABLE_BYTES", 1 << 19)
        few = bits_of(order, 200, train, held, 2)
        monkeypatch.undo()
        assert (few.texts == one.texts).all()
        assert few.report == one.report


def test_some_texts():
    train = [[1, 2], [9, 9], [1, 2, 3], [9], [2, 3, 1], [1, 1, 2]]
    wanted = np.array([1, 0, 1, 0, 1, 1], np.uint8)
    ngrams = Ngrams(selection(train, 10), selection([[1, 2, 3]], 10), 1)
    expected = bits_of(2, 10, EXAMPLE, [[1, 2, 3]])
    assert ngrams.bits(2, wanted).texts == pytest.approx(expected.texts)
    assert ngrams.unseen_tokens == 0
    assert Ngrams(selection([[1]], 10), selection([[1, 2, 2]], 10), 1).unseen_tokens == 2


def test_too_many_symbols():
    with pytest.raises(TextError, match="different tokens are more than"):
        NgramModel(2, 1, np.zeros(1, np.int32), MOST_SYMBOLS + 1, np.zeros(1, np.uint16), 1)
