"""BPE merges against the naive twin, worked examples, and inputs that invite quadratic work."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.bpe_trainer import learn as learn_naively
from oracle.piece_rules import PIECE_RULES
from oracle.weighted_counts import Weighted, weighted_sum

import spm_lite
from spm_lite.errors import OptionError
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet, trainer_for

SPEC = TrainerSpec(model_type="bpe")
CHARACTERS = "ab\u2581,あ7१\u0301\u200d"


def learn(
    items: list[tuple[str, int]], alphabet: str, n_merges: int, spec: TrainerSpec = SPEC, zero_frequency: bool = False
) -> list[tuple[str, float]]:
    counts = ChunkTable.from_items((text.encode(), count) for text, count in items)
    letters = Alphabet.from_items((c, 1) for c in alphabet)
    n_pieces = n_merges + len(letters)
    return trainer_for("bpe").learn(counts, letters, spec, n_pieces, reference_rules=zero_frequency)


def merges(*args: object, **kwargs: object) -> list[str]:
    pieces = learn(*args, **kwargs)  # type: ignore[arg-type]
    return [text for text, _ in pieces if len(text) > 1]


specs = st.builds(TrainerSpec, model_type=st.just("bpe"), **PIECE_RULES)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.text(CHARACTERS, min_size=1, max_size=12), st.integers(1, 4), max_size=8),
    st.integers(0, 40),
    specs,
    st.booleans(),
    st.booleans(),
)
def test_equals_naive(
    items: dict[str, int], n_merges: int, spec: TrainerSpec, zero_frequency: bool, leaves_out: bool
) -> None:
    alphabet = CHARACTERS[1:] if leaves_out else CHARACTERS
    if zero_frequency:  # the rules of the original
        spec = replace(spec, split_digits=spec.split_digits is True, graphemes=False)
    pieces = learn(list(items.items()), alphabet, n_merges, spec, zero_frequency)
    expected = learn_naively(list(items.items()), list(alphabet), spec, n_merges, zero_frequency)
    assert [text for text, _ in pieces] == expected + sorted(alphabet)
    assert [score for _, score in pieces] == [-float(i) for i in range(len(pieces))]
    assert str(pieces[0][1]) == "-0.0"


@settings(max_examples=100, deadline=None)
@given(st.text("ab", min_size=1, max_size=60), st.integers(1, 16), st.booleans())
def test_equals_naive_on_repeats(text: str, length: int, zero_frequency: bool) -> None:
    spec = replace(SPEC, max_sentencepiece_length=length)
    expected = learn_naively([(text, 1)], ["a", "b"], spec, 30, zero_frequency)
    assert merges([(text, 1)], "ab", 30, spec, zero_frequency) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" * 1_000_000, ["aa", "aaaa", "a" * 8, "a" * 16]),
        ("ab" * 500_000, ["ab", "abab", "ab" * 4, "ab" * 8]),
    ],
)
def test_long_repeats(text: str, expected: list[str]) -> None:
    assert merges([(text, 1)], "ab", 4) == expected


def test_worked_example() -> None:
    """low 5, lower 2, newest 6, widest 3, each word ending in the space mark."""
    spec = replace(SPEC, treat_whitespace_as_suffix=True)
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    items = [(word + "\u2581", count) for word, count in words.items()]
    result = merges(items, "delnorstwi\u2581", 8, spec)
    assert result[0] == "es"
    assert result[1] == "t\u2581"  # 9 like `est`, but shorter
    assert result[2] == "est\u2581"  # made of `es` and `t` + mark
    assert {"est\u2581", "low"} <= set(result)


def test_worked_counts() -> None:
    """ne 8, ew 8, we 7, es 7, st 7, lo 6, ow 6: the first merges in that order, as far as they last."""
    words = {"low": 5, "lowest": 1, "newest": 6, "wider": 3, "new": 2}
    assert merges(list(words.items()), "delnorstwi", 1) == ["ew"]
    words = {"low": 5, "lowest": 1, "newer": 6, "wider": 3, "new": 2}
    assert merges(list(words.items()), "delnorstwi", 1) == ["er"]


def test_progress_may_stop() -> None:
    class StopError(Exception):
        pass

    def stop(phase: str, done: int, total: int) -> None:
        raise StopError(phase)

    counts = ChunkTable.from_items([(b"abab", 1)])
    letters = Alphabet.from_items([("a", 1), ("b", 1)])
    with pytest.raises(StopError, match="merges"):
        trainer_for("bpe").learn(counts, letters, SPEC, 10, progress=stop)


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.text(CHARACTERS, min_size=1, max_size=12),
        st.sampled_from([1, 2**32 - 1, 2**32, 2**33 + 1, 2**50]),
        max_size=8,
    ),
    st.integers(0, 40),
)
def test_counts_above_32_bits_equal_naive(items: dict[str, int], n_merges: int) -> None:
    pieces = learn(list(items.items()), CHARACTERS, n_merges)
    expected = learn_naively(list(items.items()), list(CHARACTERS), SPEC, n_merges, False)
    assert [text for text, _ in pieces] == expected + sorted(CHARACTERS)


RARE = 5
items_of = st.dictionaries(st.text("ab\u2581あ", min_size=1, max_size=10), st.integers(1, 4), min_size=1, max_size=8)
parts_of = st.lists(st.tuples(items_of, st.sampled_from([1, 2, 3, 10, 1000])), min_size=1, max_size=4)


@settings(max_examples=150)
@given(parts_of, st.integers(1, 40), st.integers(1, 12))
def test_merges_that_occur_often_enough_equal_naive(
    parts: list[tuple[dict[str, int], int]], n_merges: int, least: int
) -> None:
    """In a table of several sources the weights order the merges, and occurrences before weights decide."""
    encoded: list[Weighted] = [
        ({text.encode(): count for text, count in items.items()}, factor, source)
        for source, (items, factor) in enumerate(parts)
    ]
    rows = [(text.decode(), *figures) for text, *figures in weighted_sum(encoded)]
    made: dict[str, tuple[int, int]] = {}
    origins = [(n, sources) for _, _, n, sources in rows]
    expected = learn_naively(
        [row[:2] for row in rows], list("ab\u2581あ"), SPEC, n_merges, least=least, origins=origins, made=made
    )
    tables = [ChunkTable.from_items(items.items()).weighted(factor, source) for items, factor, source in encoded]
    trainer = trainer_for("bpe")
    letters = Alphabet.from_items((c, 1) for c in "ab\u2581あ")
    spec = replace(SPEC, min_count=least)
    pieces = trainer.learn(ChunkTable.sum(tables), letters, spec, n_merges + 4)
    assert [text for text, _ in pieces][: len(expected)] == expected
    assert len(pieces) == len(expected) + 4
    assert all(made[text][0] >= least for text in expected)
    assert trainer.rare == {text: origin for text, origin in made.items() if origin[0] < RARE}


@settings(max_examples=100)
@given(items_of, st.integers(1, 40), st.integers(1, 12), st.integers(1, 6))
def test_occurrences_of_a_divided_table_are_those_of_the_text(
    items: dict[str, int], n_merges: int, least: int, k: int
) -> None:
    made: dict[str, tuple[int, int]] = {}
    whole = [(text, count * k) for text, count in items.items()]
    expected = learn_naively(whole, list("ab\u2581あ"), SPEC, n_merges, least=least, made=made)
    counts = ChunkTable.from_items((text.encode(), count) for text, count in whole).divided(k)
    trainer = trainer_for("bpe")
    letters = Alphabet.from_items((c, 1) for c in "ab\u2581あ")
    pieces = trainer.learn(counts, letters, replace(SPEC, min_count=least), n_merges + 4)
    assert [text for text, _ in pieces][: len(expected)] == expected
    assert len(pieces) == len(expected) + 4
    assert trainer.rare == {text: origin for text, origin in made.items() if origin[0] < RARE}


TEXTS = ["the mill turns the wheel", "the river, the mill", "die Mühle dreht das Rad"] * 3 + ["a wheel of joy"]
OPTIONS = {"model_type": "bpe", "hard_vocab_limit": False, "vocab_size": 330}


def test_a_higher_min_count_than_anything_leaves_the_characters() -> None:
    for source in ({"input": TEXTS}, {"sources": {"a": TEXTS, "b": ["another one"]}, "weights": {"a": 1, "b": 9}}):
        tok = spm_lite.train(**source, min_count=1000, **OPTIONS)  # type: ignore[arg-type]
        assert tok.report is not None
        assert tok.report.pieces_by_origin["learned"] == 0
        assert set(tok.report.alphabet) == {
            c for t in TEXTS + ["another one"] * ("sources" in source) for c in t.replace(" ", "\u2581")
        }


def test_a_min_count_of_one_changes_nothing() -> None:
    assert spm_lite.train(TEXTS, min_count=1, **OPTIONS).to_bytes() == spm_lite.train(TEXTS, **OPTIONS).to_bytes()


def test_too_few_merges_that_occur_often_enough() -> None:
    with pytest.raises(spm_lite.TrainingError, match="vocab"):
        spm_lite.train(TEXTS, min_count=1000, model_type="bpe", vocab_size=330)


def test_min_count_and_the_rules_of_sentencepiece() -> None:
    with pytest.raises(OptionError, match="reference_rules=True and min_count=2") as error:
        spm_lite.train(TEXTS, min_count=2, reference_rules=True, **OPTIONS)
    for remedy in error.value.remedies:
        spm_lite.train(TEXTS, **{**OPTIONS, "min_count": 2, "reference_rules": True, **remedy})


def test_the_older_name() -> None:
    with pytest.raises(OptionError, match="use min_count"):
        spm_lite.train(TEXTS, min_frequency=2, **OPTIONS)
