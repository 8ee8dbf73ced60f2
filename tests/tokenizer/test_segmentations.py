"""The methods of Tokenizer that give other segmentations: arguments, errors, seeds, threads."""

import math

import numpy as np
import pytest
from oracle.interrupts import ON_THE_WAY_OUT, count_checks, interrupt

from spm_lite import ArgumentTypeError, OptionError, Segmentation, TextError, Tokenizer
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

TEXTS = ["play", "", "lay play", "ppp", "payplay"]


def load(model_type):
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3)]
    texts = ["pl", "ay", "play", "la", "p", "l", "a", "y", "\u2581", "\u2581play"]
    pieces += [(text.encode(), -1.0 - i / 3, 1) for i, text in enumerate(texts)]
    return Tokenizer.load(
        write_model(
            pieces, TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=False), NormalizerSpec()
        )
    )


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def tok(request):
    return load(request.param)


def test_nbest(tok):
    for text in TEXTS:
        found = tok.nbest(text, 7)
        assert found[0].ids == tok.encode(text)
        assert tok.nbest(text, 1) == found[:1]
        assert len({tuple(one.ids) for one in found}) == len(found)
        scores = [one.score for one in found[1:]]
        assert scores == sorted(scores, reverse=True)
        assert all(isinstance(one, Segmentation) and tok.decode(one.ids) == text for one in found)
        assert tok.nbest(text.encode(), 7) == found
    assert tok.lattice.nbest_batch(TEXTS, 7, num_threads=2) == [tok.nbest(text, 7) for text in TEXTS]
    assert len(tok.nbest("play", 10**30)) == len(tok.nbest("play", 100))


def test_sample(tok):
    for options in ({}, {"alpha": 0.1}, {"alpha": 0, "nbest_size": 3}, {"nbest_size": 1}):
        first = [tok.sample("play lay", seed=i, **options) for i in range(20)]
        assert first == [tok.sample("play lay", seed=np.int64(i), **options) for i in range(20)]
        assert all(tok.decode(ids) == "play lay" for ids in first)
    assert len({tuple(tok.sample("play lay", alpha=0)) for _ in range(50)}) > 5
    assert tok.sample("play lay", alpha=1e9, seed=1) == max(tok.nbest("play lay", 100), key=lambda s: s.score).ids
    generator = np.random.default_rng(3)
    drawn = [tok.sample("play lay", alpha=0, seed=generator) for _ in range(30)]
    assert len(set(map(tuple, drawn))) > 5
    generator = np.random.default_rng(3)
    assert drawn == [tok.sample("play lay", alpha=0, seed=generator) for _ in range(30)]


def test_samples(tok):
    found = tok.lattice.samples("play lay", 500, alpha=0.5, seed=1)
    assert found == tok.lattice.samples("play lay", 500, alpha=0.5, seed=1)
    assert len(found) == 500
    different = tok.lattice.samples("play lay", 5, alpha=0.5, replace=False, seed=1)
    assert len({tuple(one.ids) for one in different}) == 5
    assert all(one.score <= 0 for one in found + different)
    everything = tok.lattice.samples("play", 10**9, replace=False)
    assert sorted(one.ids for one in everything) == sorted(one.ids for one in tok.nbest("play", 10**9))


def test_batches_do_not_depend_on_threads(tok):
    texts = TEXTS * 2000
    one = tok.sample_batch(texts, alpha=0.2, seed=5, num_threads=1)
    assert one == tok.sample_batch(iter(texts), alpha=0.2, seed=5, num_threads=3)
    assert one != tok.sample_batch(texts, alpha=0.2, seed=6)
    assert len({tuple(ids.tolist()) for ids in one[::5]}) > 5
    assert tok.sample_batch([]).to_lists() == []
    plain = tok.sample_batch(TEXTS, seed=5).to_lists()
    assert tok.sample_batch(TEXTS, seed=5, bos=True, eos=True).to_lists() == [[1, *ids, 2] for ids in plain]
    assert np.array_equal(
        tok.lattice.log_prob_batch(texts, num_threads=3), tok.lattice.log_prob_batch(texts, num_threads=1)
    )
    assert tok.lattice.entropy_batch(TEXTS, alpha=0.2).tolist() == [
        tok.lattice.entropy(text, alpha=0.2) for text in TEXTS
    ]
    assert tok.lattice.log_prob_batch(TEXTS).tolist() == [tok.lattice.log_prob(text) for text in TEXTS]
    assert tok.lattice.entropy_batch([]).dtype == np.float64


def test_batches_of_lists(tok):
    for replace in (True, False):
        lists = tok.lattice.samples_batch(TEXTS, 3, alpha=0.3, replace=replace, seed=4, num_threads=1)
        assert lists == tok.lattice.samples_batch(TEXTS, 3, alpha=0.3, replace=replace, seed=4, num_threads=2)
        assert lists[0] == tok.lattice.samples(TEXTS[0], 3, alpha=0.3, replace=replace, seed=4)
        assert all(isinstance(one, Segmentation) for found in lists for one in found)
    assert tok.lattice.expected_counts_batch(TEXTS, alpha=0.3) == [
        tok.lattice.expected_counts(text, alpha=0.3) for text in TEXTS
    ]
    ids = [tok.nbest(text, 2)[-1].ids for text in TEXTS]
    wanted = [tok.lattice.log_prob(text, one) for text, one in zip(TEXTS, ids, strict=True)]
    assert (
        tok.lattice.log_prob_batch(TEXTS, ids).tolist()
        == tok.lattice.log_prob_batch(TEXTS, iter(ids)).tolist()
        == wanted
    )
    assert tok.lattice.log_prob_batch([], []).tolist() == []
    with pytest.raises(OptionError, match="5 texts, but ids of 1"):
        tok.lattice.log_prob_batch(TEXTS, [[1]])
    with pytest.raises(ArgumentTypeError, match="element 1 of the batch"):
        tok.lattice.log_prob_batch(["a", "b"], [[1], "b"])
    listed = tok.sample_batch(TEXTS, nbest_size=2, alpha=0.3, seed=4)
    assert listed[0].tolist() == tok.sample(TEXTS[0], nbest_size=2, alpha=0.3, seed=4)


def test_sampling_is_a_call_of_its_own(tok):
    for options in ({"alpha": 0.3}, {"dropout": 0.3}, {"seed": 3}):
        with pytest.raises(TypeError, match="sample_batch"):
            tok.encode_batch(TEXTS, **options)


@pytest.mark.slow
@pytest.mark.long_input
def test_more_than_fits():
    with pytest.raises(OptionError, match="ask for fewer, or split the text"):
        load("unigram").nbest("lay play " * 20_000, 10**9)


@pytest.mark.thread_unsafe
def test_interrupted(tok):
    text = "lay play " * 2000
    for call, few in (
        (lambda: tok.nbest(text, 10**9), lambda: tok.nbest("a", 1)),
        (lambda: tok.lattice.samples(text, 10**9), lambda: tok.lattice.samples("a", 1)),
        (lambda: tok.lattice.nbest_batch([text] * 100, 1000, num_threads=2), lambda: tok.lattice.nbest_batch(["a"], 1)),
    ):
        few()  # modules are imported
        for at in (1, count_checks(few) + 3):
            assert interrupt(call, at) <= ON_THE_WAY_OUT
    assert tok.nbest("play", 1)[0].ids == tok.encode("play")


def test_numbers(tok):
    for text in TEXTS:
        everything = tok.nbest(text, 10**9)
        total = math.fsum(math.exp(one.score) for one in everything)
        assert tok.lattice.log_prob(text) == pytest.approx(math.log(total))
        for one in everything:
            assert tok.lattice.log_prob(text, one.ids) == pytest.approx(one.score)
            assert tok.lattice.log_prob(text, np.array(one.ids, dtype=np.int64)) == pytest.approx(one.score)
        assert tok.lattice.log_prob(text, [1, 2**40]) == tok.lattice.log_prob(text, [-7]) == -math.inf
        counts = tok.lattice.expected_counts(text)
        lengths = math.fsum(math.exp(one.score) * len(one.ids) for one in everything) / total
        assert math.fsum(counts.values()) == pytest.approx(lengths)
        assert tok.lattice.entropy(text, alpha=0) == pytest.approx(math.log(len(everything)), abs=1e-9)


def test_dropout():
    tok = load("bpe")
    assert tok.sample("play lay", dropout=0) == tok.encode("play lay")
    assert [tok.id_to_piece(i) for i in tok.sample("play", dropout=1)] == list("\u2581play")
    assert len({tuple(tok.sample("play lay", dropout=0.5)) for _ in range(50)}) > 5
    one = tok.sample_batch(TEXTS * 50, dropout=0.3, seed=5, num_threads=1)
    assert one == tok.sample_batch(TEXTS * 50, dropout=0.3, seed=5, num_threads=2)
    with pytest.raises(OptionError, match="is not a probability"):
        tok.sample("a", dropout=1.5)
    with pytest.raises(OptionError, match="has no meaning with dropout"):
        tok.sample("a", alpha=0.5, dropout=0.5)
    with pytest.raises(OptionError, match="two kinds"):
        tok.sample("a", nbest_size=5, dropout=0.5)
    with pytest.raises(OptionError, match="only BPE models"):
        load("unigram").sample("a", dropout=0.5)


@pytest.mark.parametrize("n", [0, -1, -(10**30)])
def test_too_few(tok, n):
    for call in (tok.nbest, tok.lattice.samples):
        with pytest.raises(OptionError, match="is below 1"):
            call("a", n)
    with pytest.raises(OptionError, match="is below 1"):
        tok.sample("a", nbest_size=n)
    with pytest.raises(OptionError, match="is below 1"):
        tok.lattice.nbest_batch(["a"], n)


@pytest.mark.parametrize("alpha", [-1, -0.001, math.nan, math.inf, -math.inf, 10**400])
def test_alpha_out_of_range(tok, alpha):
    for call in (
        lambda: tok.sample("a", alpha=alpha),
        lambda: tok.lattice.samples("a", 2, alpha=alpha),
        lambda: tok.sample_batch(["a"], alpha=alpha),
        lambda: tok.lattice.entropy("a", alpha=alpha),
        lambda: tok.lattice.entropy_batch(["a"], alpha=alpha),
        lambda: tok.lattice.expected_counts("a", alpha=alpha),
    ):
        with pytest.raises(OptionError, match="alpha"):
            call()


def test_wrong_types(tok):
    for wrong in (1.5, "1", None, True):
        with pytest.raises(ArgumentTypeError, match="n is an integer"):
            tok.nbest("a", wrong)
    for wrong in ("1", None, True, [1]):
        with pytest.raises(ArgumentTypeError, match="alpha is a number"):
            tok.sample("a", alpha=wrong)
    for wrong in ("1", 1.5, True, [1]):
        with pytest.raises(ArgumentTypeError, match="seed is an integer"):
            tok.sample("a", seed=wrong)
    for wrong in (-1, 2**64):
        with pytest.raises(OptionError, match="seed"):
            tok.sample("a", seed=wrong)
    with pytest.raises(ArgumentTypeError, match="replace"):
        tok.lattice.samples("a", 2, replace=1)
    for call in (
        lambda t: tok.nbest(t, 2),
        tok.sample,
        tok.lattice.log_prob,
        tok.lattice.entropy,
        tok.lattice.expected_counts,
    ):
        with pytest.raises(ArgumentTypeError, match="the text is int"):
            call(5)
        with pytest.raises(TextError, match=r"U\+D800"):
            call("\ud800")
    for call in (
        lambda t: tok.lattice.nbest_batch(t, 2),
        tok.sample_batch,
        tok.lattice.log_prob_batch,
        tok.lattice.entropy_batch,
    ):
        with pytest.raises(ArgumentTypeError, match="pass a list"):
            call("ab")
        with pytest.raises(ArgumentTypeError, match="text 1 of the batch is int"):
            call(["a", 5])


@pytest.mark.parametrize("model_type", ["char", "word"])
def test_one_segmentation_only(model_type):
    tok = load(model_type)
    for call in (
        lambda: tok.nbest("a", 2),
        lambda: tok.sample("a"),
        lambda: tok.lattice.samples("a", 2),
        lambda: tok.lattice.log_prob("a"),
        lambda: tok.lattice.entropy("a"),
        lambda: tok.lattice.expected_counts("a"),
        lambda: tok.sample_batch(["a"]),
    ):
        with pytest.raises(OptionError, match="one segmentation of a text only"):
            call()
