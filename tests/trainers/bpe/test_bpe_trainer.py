"""BPE merges against the naive twin, worked examples, and inputs that invite quadratic work."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.bpe_trainer import learn as learn_naively
from oracle.piece_rules import PIECE_RULES

from spm_lite.counts.chunk_table import ChunkTable
from spm_lite.specs import TrainerSpec
from spm_lite.trainers.trainer_interface import Alphabet, trainer_for

SPEC = TrainerSpec(model_type="bpe")
CHARACTERS = "ab\u2581,あ7"


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
