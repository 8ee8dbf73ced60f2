"""Sampling through the drop-in: what may be drawn, how often, and that a seed repeats it."""

import collections
import math
import threading

import pytest
import sentencepiece
from oracle.small_models import small_model

import spm_lite
from spm_lite import SentencePieceProcessor

pytestmark = pytest.mark.thread_unsafe  # one seed for the process

TEXT = "hello"


@pytest.fixture
def bpe():
    return SentencePieceProcessor(model_proto=small_model("bpe"))


@pytest.mark.parametrize("nbest_size", [-1, 8])
@pytest.mark.parametrize("kind", [int, str, bytes, "serialized_proto"])
def test_a_seed_repeats(ours, kind, nbest_size):
    def drawn():
        spm_lite.set_random_generator_seed(5)
        options = {"return_type": kind, "enable_sampling": True, "nbest_size": nbest_size, "alpha": 0.1}
        return [ours.encode(TEXT, **options) for _ in range(20)]

    first = drawn()
    assert first == drawn() and len({repr(result) for result in first}) > 1


def test_ids_and_pieces_are_drawn_alike(ours):
    results = []
    for kind in (int, str, "offset_mapping"):
        spm_lite.set_random_generator_seed(7)
        results.append([ours.encode(TEXT, return_type=kind, enable_sampling=True) for _ in range(20)])
    ids, pieces, mappings = results
    assert [ours.piece_to_id(row) for row in pieces] == ids == [mapping["ids"] for mapping in mappings]


def test_frequencies_follow_the_scores(ours):
    """Chi-square of 20,000 draws over the segmentations of a short word; the seed is fixed."""
    n, alpha = 20_000, 0.3
    nbest = ours.NBestEncodeAsImmutableProto("he", 512).nbests
    weights = {tuple(piece.id for piece in found.pieces): math.exp(alpha * found.score) for found in nbest}
    total = sum(weights.values())
    spm_lite.set_random_generator_seed(1)
    for size in (-1, 512):
        counts = collections.Counter(tuple(ours.SampleEncodeAsIds("he", size, alpha)) for _ in range(n))
        assert set(counts) <= set(weights)
        chi = sum((counts[ids] - n * w / total) ** 2 / (n * w / total) for ids, w in weights.items())
        assert chi < len(weights) + 5 * math.sqrt(2 * len(weights))


def test_entropy_is_that_of_the_distribution(ours):
    for alpha in (0.1, 1.0):
        nbest = ours.NBestEncodeAsImmutableProto("he", 512).nbests
        logs = [alpha * found.score for found in nbest]
        total = math.log(sum(map(math.exp, logs)))
        expected = -sum(math.exp(x - total) * (x - total) for x in logs)
        assert ours.CalculateEntropy("he", alpha) == pytest.approx(expected, rel=1e-4)


def test_bpe_dropout(bpe):
    plain, characters = bpe.encode(TEXT, return_type=str), ["\u2581", *TEXT]
    options = {"return_type": str, "enable_sampling": True}
    assert bpe.encode(TEXT, alpha=0, **options) == plain
    assert bpe.encode(TEXT, alpha=1, **options) == characters
    drawn = [bpe.encode(TEXT, alpha=0.5, **options) for _ in range(50)]
    assert len({tuple(pieces) for pieces in drawn}) > 2
    assert all("".join(pieces) == "\u2581" + TEXT for pieces in drawn)
    assert len(bpe.encode([TEXT] * 3, enable_sampling=True, alpha=0.5)) == 3


@pytest.mark.parametrize("model_type", ["word", "char"])
def test_other_models_cannot(model_type):
    data = small_model(model_type)
    ours, ref = SentencePieceProcessor(model_proto=data), sentencepiece.SentencePieceProcessor(model_proto=data)
    for sp in (ours, ref):
        with pytest.raises(RuntimeError, match="SampleEncode is not available for the current model"):
            sp.encode("", enable_sampling=True)
        with pytest.raises(RuntimeError, match="NBestEncode is not available for the current model"):
            sp.nbest_encode("", nbest_size=1)
    for call in (ours.CalculateEntropy, ours.SampleEncodeAndScore):
        with pytest.raises(RuntimeError, match="not available for the current model"):
            call("a")


def test_threads_have_generators_of_their_own(ours):
    spm_lite.set_random_generator_seed(3)
    drawn = {}

    def work(name):
        drawn[name] = [ours.SampleEncodeAsIds(TEXT) for _ in range(10)]

    threads = [threading.Thread(target=work, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert drawn[0] == drawn[1] == drawn[2]  # each starts the same stream, as in the original
