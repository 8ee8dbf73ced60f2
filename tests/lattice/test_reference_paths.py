"""N-best lists against the sentencepiece wheel: order, ids, places, scores; shrinking, giving up."""

import random

import pytest
from oracle.random_models import random_pieces, random_text
from oracle.slow import slow_after

from spm_lite import Tokenizer
from spm_lite.errors import ArgumentTypeError, TextError
from spm_lite.lattice.reference_paths import ReferencePaths
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

sentencepiece = pytest.importorskip("sentencepiece")


@pytest.fixture(autouse=True, scope="module")
def no_time_limit():
    sentencepiece.set_nbest_timeout(0)
    yield
    sentencepiece.set_nbest_timeout(30000)


def ours(paths, text, n):
    return [
        (found.ids(), found.pieces(), found.byte_offsets(), score) for found, score in paths.nbest_limited(text, n, 0)
    ]


def theirs(ref, text, n):
    data = text.encode() if isinstance(text, str) else text
    found = ref.nbest_encode(data, nbest_size=n, out_type="proto").nbests
    return [
        (
            [p.id for p in one.pieces],
            [p.piece if isinstance(p.piece, bytes) else p.piece.encode() for p in one.pieces],
            [(p.begin, p.end) for p in one.pieces],
            one.score,
        )
        for one in found
    ]


@pytest.mark.parametrize("ill_formed", [False, True])
@pytest.mark.parametrize("seed", slow_after(15, range(40)))
def test_random_models(seed, ill_formed):
    """Ties, UNUSED, USER_DEFINED, byte fallback, no unknown piece, all flags, pieces that end inside characters."""
    rng = random.Random(f"{seed} {ill_formed}")
    byte_fallback = rng.random() < 0.5
    pieces = random_pieces(rng, byte_fallback, ill_formed=ill_formed, space=rng.random() < 0.3)
    trainer = TrainerSpec(
        model_type="unigram",
        vocab_size=len(pieces),
        byte_fallback=byte_fallback,
        treat_whitespace_as_suffix=rng.random() < 0.3,
    )
    normalizer = NormalizerSpec(
        add_dummy_prefix=rng.random() < 0.5,
        remove_extra_whitespaces=rng.random() < 0.5,
        escape_whitespaces=rng.random() < 0.8,
    )
    data = write_model(pieces, trainer, normalizer)
    paths = ReferencePaths(Tokenizer.load(data)._encoder)
    ref = sentencepiece.SentencePieceProcessor(model_proto=data)
    for _ in range(25):
        text = random_text(rng, ill_formed, rng.choice([b" ", b"  ", "\u2581".encode()]))
        n = rng.choice([1, 2, 3, 5, 30, 512])
        if ill_formed:  # their protos refuse pieces that are not UTF-8
            expected = ref.nbest_encode(text, nbest_size=n, out_type=int)
            assert [ids for ids, _, _, _ in ours(paths, text, n)] == paths.nbest_ids(text, n, 0) == expected
        else:
            assert ours(paths, text, n) == theirs(ref, text, n)


@pytest.mark.slow
@pytest.mark.parametrize(
    "scores", [(-1.0,) * 6, (-1.0, -2.0, -3.0, -4.0, -5.0, -6.0), (-1.1, -2.2, -3.3, -4.4, -5.5, -6.6)]
)
def test_ties_shrinking_and_giving_up(scores):
    pieces = [(b"<unk>", 0.0, 2), *((b"a" * (i + 1), score, 1) for i, score in enumerate(scores))]
    data = write_model(pieces, TrainerSpec(vocab_size=7, byte_fallback=False), NormalizerSpec(add_dummy_prefix=False))
    paths = ReferencePaths(Tokenizer.load(data)._encoder)
    ref = sentencepiece.SentencePieceProcessor(model_proto=data)
    for length in (5, 12, 13, 40, 200, 1500):
        for n in (2, 5, 64, 512):
            assert ours(paths, "a" * length, n) == theirs(ref, "a" * length, n)


@pytest.mark.parametrize("name", ["google_test_model", "google_test_ja_model", "t5_base"])
def test_real_models(shared_data, name):
    path = str(shared_data / "models" / f"{name}.model")
    paths, ref = ReferencePaths(Tokenizer.load(path)._encoder), sentencepiece.SentencePieceProcessor(model_file=path)
    texts = (shared_data / "corpora" / "en-botchan.txt").read_text().split("\n")[:1000:20]
    texts += (shared_data / "corpora" / "ja-commonvoice.txt").read_text().split("\n")[:1000:20]
    for n, n_texts in ((1, 100), (2, 100), (5, 100), (64, 20), (512, 3)):
        for text in [*texts[:n_texts], "a" * 300, "the cat " * 30, "ha ha " * 50, "ばば" * 40, "-" * 300]:
            assert ours(paths, text, n) == theirs(ref, text, n)


def test_special_cases():
    pieces = [(b"<unk>", 0.0, 2), (b"a", -1.0, 1), (b"aa", -1.5, 1)]
    data = write_model(pieces, TrainerSpec(vocab_size=3, byte_fallback=False), NormalizerSpec(add_dummy_prefix=False))
    paths = ReferencePaths(Tokenizer.load(data)._encoder)
    assert ours(paths, "", 5) == [([], [], [], 0.0)]
    assert ours(paths, "aa", -7) == [([2], [b"aa"], [(0, 2)], 0.0)]
    assert [score for _, score in paths.nbest_limited(b"aa", 1 << 40, 5000)] == [-1.5, -2.0]
    with pytest.raises(ArgumentTypeError, match="the text is int"):
        paths.nbest_limited(5, 2, 0)
    with pytest.raises(TextError, match=r"U\+D800"):
        paths.nbest_limited("\ud800", 2, 0)


def test_what_each_type_can():
    for model_type, can_list, can_sample in (
        ("unigram", True, True), ("bpe", False, True), ("char", False, False), ("word", False, False),
    ):  # fmt: skip
        data = write_model(
            [(b"<unk>", 0.0, 2), (b"a", -1.0, 1)],
            TrainerSpec(model_type=model_type, vocab_size=2, byte_fallback=False),
            NormalizerSpec(),
        )
        paths = ReferencePaths(Tokenizer.load(data)._encoder)
        assert (paths.can_list, paths.can_sample) == (can_list, can_sample)
