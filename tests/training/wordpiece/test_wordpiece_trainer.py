"""WordPiece training against a naive recount, with the three objectives; sources and threads give the same bytes."""

import math
import random
from collections import Counter

import pytest
from oracle import wordpiece
from oracle.slow import slow_after

import spm_lite
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet, trainer_for

OBJECTIVES = ["likelihood", "ratio", "frequency"]


def corpus(rng):
    letters = rng.choice(["ab", "abc", "abéж", "lowest", "aकरि\u094d", "ae\u0301\u0323"])
    words = ["".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(rng.randrange(1, 25))]
    return [" ".join(rng.choices(words, k=8)) for _ in range(rng.randrange(1, 9))]


def train(texts, vocab_size, **options):
    return spm_lite.train(
        texts, model_type="wordpiece", vocab_size=vocab_size, hard_vocab_limit=False, character_coverage=1.0, **options
    )


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", slow_after(12, range(150)))
def test_merges_of_random_corpora(objective, seed):
    rng = random.Random(seed)
    texts, min_count, by_graphemes = corpus(rng), rng.choice([1, 2, 4]), rng.random() < 0.5
    words = Counter(word for text in texts for word in text.split())
    characters = {(char, i > 0) for word in words for i, char in enumerate(word)}
    n_merges = rng.randrange(1, 40)
    tok = train(
        texts, 5 + len(characters) + n_merges, objective=objective, min_count=min_count,
        num_threads=rng.choice([1, 2, 7]), graphemes=by_graphemes,
    )  # fmt: skip
    pieces = [tok.id_to_piece(i) for i in range(5, len(tok))]
    assert set(pieces[: len(characters)]) == {"##" * inside + char for char, inside in characters}
    expected = wordpiece.learn(words, n_merges, objective, min_count, by_graphemes=by_graphemes)
    assert pieces[len(characters) :] == expected, texts


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_sources_give_the_same_bytes(objective, tmp_path):
    rng = random.Random(3)
    texts = [" ".join(rng.choices(["play", "playing", "Played,", "12.5", "東京", "É"], k=9)) for _ in range(200)]
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join([*texts, ""]), encoding="utf-8")
    model = train(texts, 60, objective=objective, num_threads=1)
    table = spm_lite.CountTable.count(path, model_type="wordpiece")
    for source in (path, iter(texts), table):
        for n in (1, 2, 7):
            if not hasattr(source, "__next__") or n == 1:
                assert train(source, 60, objective=objective, num_threads=n) == model
    table.save(tmp_path / "t.counts")
    assert train(spm_lite.CountTable.load(tmp_path / "t.counts"), 60, objective=objective) == model


def test_worked_numbers():
    """The figures of the three objectives in the examples of courses."""
    assert pytest.approx(5.0e-8) == 10_000 / (500_000 * 400_000)
    assert pytest.approx(1.389e-3, rel=1e-3) == 50 / (200 * 180)
    assert 500 * math.log(0.010 / (0.016 * 0.040)) == pytest.approx(1374.4, abs=0.05)
    assert 600 * math.log(0.012 / (0.013 * 0.012)) == pytest.approx(2605.7, abs=0.3)
    pairs, symbols = Counter({("t", "h"): 10_000, ("x", "z"): 50}), Counter(t=500_000, h=400_000, x=200, z=180)
    assert wordpiece.score(("t", "h"), pairs, symbols, "ratio") == pytest.approx(5.0e-8)
    assert wordpiece.score(("x", "z"), pairs, symbols, "ratio") > wordpiece.score(("t", "h"), pairs, symbols, "ratio")


def test_the_rarer_pair_comes_first_by_ratio():
    texts = ["th"] * 100 + ["t", "h", "ta", "ah"] * 4000 + ["xz"] * 50 + ["x", "az"] * 100
    by_ratio = train(texts, 5 + 7 + 1, objective="ratio")
    assert by_ratio.id_to_piece(len(by_ratio) - 1) == "xz"
    by_count = train(texts, 5 + 7 + 1, objective="frequency")
    assert by_count.id_to_piece(len(by_count) - 1) in ("ta", "ah", "az")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"byte_fallback": True}, "byte_fallback=True has no meaning"),
        ({"lossless": True}, "lossless=True has no meaning"),
        ({"user_defined_symbols": ["x"]}, "user_defined_symbols=.* has no meaning"),
        ({"objective": "loss"}, "objective='loss'"),
        ({"min_count": 0}, "min_count=0"),
        ({"split_digits": True}, "split_digits=True has no meaning"),
        ({"reference_rules": True}, "reference_rules=True has no meaning"),
        ({"vocab_size": "all"}, "vocab_size='all'"),
        ({"vocab_size": 9}, "at least 1[0-9]"),
    ],
)
def test_options_without_meaning(options, message):
    with pytest.raises((spm_lite.OptionError, spm_lite.TrainingError), match=message):
        spm_lite.train(["ab cd ef"] * 9, model_type="wordpiece", **{"vocab_size": 30, **options})


def test_options_of_wordpiece_are_for_it_alone():
    for options in ({"objective": "ratio"}, {"continuation_prefix": "@@"}, {"split_by_punctuation": False}):
        with pytest.raises(spm_lite.OptionError, match="only wordpiece models"):
            spm_lite.train(["ab"] * 9, vocab_size=300, **options)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", slow_after(12, range(150)))
def test_merges_that_occur_often_enough(objective, seed):
    """Before weights: the scores are those of weighted counts, and occurrences decide."""
    rng = random.Random(seed)
    texts = {name: corpus(rng) for name in "ab"}
    weights, min_count = {"a": 1, "b": rng.choice([1, 5, 30])}, rng.choice([1, 2, 4, 9])
    n_merges, by_graphemes = rng.randrange(1, 40), rng.random() < 0.5
    counts, occurrences = Counter(), Counter()
    tok = train(texts, 900, weights=weights, objective=objective)
    for name, figures in tok.report.sources.items():
        for word in (word for text in texts[name] for word in text.split()):
            counts[word] += figures.factor
            occurrences[word] += 1
    characters = {(char, i > 0) for word in counts for i, char in enumerate(word)}
    tok = train(
        texts, 5 + len(characters) + n_merges, weights=weights, objective=objective, min_count=min_count,
        num_threads=rng.choice([1, 2]), graphemes=by_graphemes,
    )  # fmt: skip
    made = Counter()
    expected = wordpiece.learn(
        counts, n_merges, objective, min_count, occurrences=occurrences, made=made, by_graphemes=by_graphemes
    )
    assert [tok.id_to_piece(i) for i in range(5 + len(characters), len(tok))] == expected, (texts, weights, min_count)
    tables = [spm_lite.CountTable.count(given, model_type="wordpiece").chunks for given in texts.values()]
    factors = [figures.factor for figures in tok.report.sources.values()]
    trainer = trainer_for("wordpiece")
    trainer.learn(
        ChunkTable.sum(table.weighted(factors[i], i) for i, table in enumerate(tables)),
        Alphabet.from_items((character, 1) for character in tok.report.alphabet),
        TrainerSpec(model_type="wordpiece", objective=objective, min_count=min_count, graphemes=by_graphemes),
        len(characters) + n_merges,
    )
    occurs = {piece: n for piece, (n, _) in trainer.rare.items() if piece in expected}
    assert occurs == {piece: made[piece] for piece in expected if made[piece] < 5}


def test_characters_are_rare_where_they_stand():
    """`b` stands at the beginning of one word, and `c` once inside a word; both occur often in the other place."""
    report = train(["ab c"] * 20 + ["b ac"], 60, min_count=30).report
    assert report.pieces_by_origin["characters"] + report.pieces_by_origin["learned"] == 5
    assert report.rare_pieces == 2


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_higher_min_count_than_anything_leaves_the_characters(objective):
    texts = ["the mill turns the wheel"] * 9
    none = train(texts, 60, objective=objective, min_count=1000)
    assert all(len(none.id_to_piece(i).removeprefix("##")) == 1 for i in range(5, len(none)))
    assert train(texts, 60, objective=objective, min_count=1) == train(texts, 60, objective=objective)
    repeated = train(texts * 2, 60, objective=objective, min_count=19)
    assert [repeated.id_to_piece(i) for i in range(5, len(repeated))] == wordpiece_twin(texts * 2, objective, 19)


def wordpiece_twin(texts, objective, min_count):
    """The pieces in order, without the special ones."""
    words = Counter(word for text in texts for word in text.split())
    characters = sorted({(i > 0, char) for word in words for i, char in enumerate(word)})
    first = ["##" * inside + char for inside, char in characters]
    return first + wordpiece.learn(words, 60 - 5 - len(first), objective, min_count)


def test_the_older_name_of_min_count():
    with pytest.raises(spm_lite.OptionError, match="use min_count"):
        train(["ab"] * 9, 30, min_frequency=2)
