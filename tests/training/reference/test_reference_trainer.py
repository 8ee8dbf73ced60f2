"""The original's Unigram trainer against its naive twin, and its corners. Against the original: test_reference.py."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import native
from oracle import reference_unigram as oracle
from oracle.interrupts import ON_THE_WAY_OUT, count_checks, interrupt
from oracle.piece_rules import ORIGINAL_RULES
from oracle.slow import slow_after

from spm_lite.errors import TrainingError
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.reference.reference_trainer import ReferenceUnigramTrainer
from spm_lite.training.reference.seed_file import read_seed_file
from spm_lite.training.trainer_interface import Alphabet, trainer_for
from spm_lite.training.unigram.unigram_trainer import UnigramTrainer

SPEC = TrainerSpec(vocab_size=100, allow_whitespace_only_pieces=False, byte_fallback=False, lossless=False)
CHARACTERS = "ab\u2581,あいж\u03017"
OUTSIDE = "x\u2585\0"

specs = st.builds(lambda **options: replace(SPEC, **options), **ORIGINAL_RULES)
sentences_of = st.lists(
    st.tuples(st.text(CHARACTERS + OUTSIDE, min_size=1, max_size=14), st.integers(1, 4)), min_size=1, max_size=7
)
Sentences = list[tuple[str, int]]


def alphabet_of(sentences: Sentences) -> Alphabet:
    """All characters but those of OUTSIDE."""
    counts: Counter[str] = Counter()
    for text, count in sentences:
        for character in text:
            counts[character] += count
    return Alphabet.from_items((c, n) for c, n in counts.items() if c not in OUTSIDE)


def table(sentences: Sentences) -> ChunkTable:
    return native.from_sentences((text.encode(), count) for text, count in sentences)


def marked(sentences: Sentences) -> Sentences:
    """With the mark for what is outside the alphabet."""
    return [("".join("\u2585" if c in OUTSIDE else c for c in text), count) for text, count in sentences]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(sentences_of, specs, st.integers(1, 20), st.sampled_from([1, 30, 60, 1000, 500 << 20]), st.integers(1, 3))
def test_seeds_equal_naive(
    sentences: Sentences, spec: TrainerSpec, n_seeds: int, part_size: int, n_threads: int
) -> None:
    found = native.list_seeds(table(sentences), alphabet_of(sentences), spec, n_seeds, n_threads, part_size)
    assert found == oracle.seeds(marked(sentences), spec, n_seeds, part_size)


def test_a_string_before_characters_of_one_first_byte_is_no_seed() -> None:
    sentences = [("今日は", 1), ("今日も", 1)]
    assert native.list_seeds(table(sentences), alphabet_of(sentences), SPEC, 9) == []
    sentences = [("今日は", 1), ("今日a", 1)]
    assert dict(native.list_seeds(table(sentences), alphabet_of(sentences), SPEC, 9)) == {"今日": 4}


def test_a_string_at_ends_of_sentences_counts_again() -> None:
    """What follows its NUL varies: "b", and the end of the text."""
    sentences = [("bab", 1), ("ab", 1)]
    assert dict(native.list_seeds(table(sentences), alphabet_of(sentences), SPEC, 9)) == {"ab": 4}


def test_the_list_of_seeds_is_cut_after_a_part() -> None:
    """Of more than 16 times the seeds wanted, 8 times as many go on to the next part."""
    draw = random.Random(5)
    sentences = [("".join(draw.choices("ab", k=40)), 1) for _ in range(12)]
    for part_size in (41, 100, 200):
        for n_seeds in (1, 2, 5):
            found = native.list_seeds(table(sentences), alphabet_of(sentences), SPEC, n_seeds, 1, part_size)
            assert found == oracle.seeds(sentences, SPEC, n_seeds, part_size)


def learn(
    sentences: Sentences, spec: TrainerSpec, n_lanes: int = 16, seed_file: str = "", n_threads: int = 2, **others: Any
) -> list[tuple[str, float]]:
    trainer = ReferenceUnigramTrainer()
    trainer.n_lanes, trainer.seed_file = n_lanes, seed_file
    return trainer.learn(
        table(sentences), alphabet_of(sentences), spec, spec.vocab_size - 3, num_threads=n_threads, **others
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.text("aab\u2581あx", min_size=1, max_size=9), st.integers(1, 9)), min_size=2, max_size=5),
    specs,
    st.integers(1, 5),
    st.integers(8, 40),
    st.sampled_from([0.5, 0.75, 0.95]),
    st.integers(1, 2),
)
def test_pieces_equal_naive(
    sentences: Sentences, spec: TrainerSpec, n_lanes: int, vocab_size: int, shrinking_factor: float, n_rounds: int
) -> None:
    sentences = [("a" + text, count) for text, count in sentences]
    spec = replace(
        spec, vocab_size=vocab_size, shrinking_factor=shrinking_factor, num_sub_iterations=n_rounds,
        seed_sentencepiece_size=200,
    )  # fmt: skip
    alphabet = alphabet_of(sentences).items()
    expected = oracle.learn(marked(sentences), alphabet, spec, vocab_size - 3, n_lanes)
    assert learn(sentences, spec, n_lanes) == expected


def words(n: int, seed: int = 3) -> Sentences:
    draw = random.Random(seed)
    stems = ["".join(draw.choices("abcdefgh", k=draw.randint(2, 5))) for _ in range(100)]
    return [(" ".join(draw.choices(stems, k=6)).replace(" ", "\u2581"), 1) for _ in range(n)]


def test_threads_do_not_matter_but_lanes_do() -> None:
    sentences = words(800)
    first = learn(sentences, SPEC, 3, n_threads=1)
    assert learn(sentences, SPEC, 3, n_threads=7) == first
    assert learn(sentences, SPEC, 100, n_threads=2) == learn(sentences, SPEC, 100, n_threads=3)
    assert any(learn(sentences, SPEC, n_lanes) != first for n_lanes in (1, 2, 16))


def test_which_trainer_is_whose() -> None:
    assert isinstance(trainer_for("unigram", True), ReferenceUnigramTrainer)
    assert isinstance(trainer_for("unigram"), UnigramTrainer)


def test_seed_file(tmp_path: Path) -> None:
    path = tmp_path / "seeds.tsv"
    path.write_bytes("ab\t5\nb a\t9\nab\t7\na\t100\nbc\t5\tmore\nあ7\t1\nabc\t3\n".encode())
    characters = [("a", 4), ("b", 3)]
    found = read_seed_file(str(path), characters, SPEC, 100)
    assert found == [(b"ab", 10.0), (b"bc", 10.0), (b"abc", 9.0), (b"a", 4.0), (b"b", 3.0)]
    assert len(read_seed_file(str(path), characters, SPEC, 3)) == 3
    assert read_seed_file(str(tmp_path / "missing"), characters, SPEC, 3) == [(b"a", 4.0), (b"b", 3.0)]
    pieces = dict(learn(words(50), SPEC, seed_file=str(path)))
    assert set(pieces) <= set("abcdefgh\u2581") | {"ab", "bc", "abc"}


@pytest.mark.parametrize("line", ["ab", "ab\t0", "ab\t-3", "ab\tx", "ab\t", "", "ab\t99999999999999999999", "ab\t1.5"])
def test_bad_lines_of_a_seed_file(tmp_path: Path, line: str) -> None:
    path = tmp_path / "seeds.tsv"
    path.write_text(f"ba\t3\n{line}\nbb\t1\n")
    with pytest.raises(TrainingError, match=r"seeds.tsv', line 2: "):
        read_seed_file(str(path), [], SPEC, 100)


def test_nothing_to_learn_from() -> None:
    with pytest.raises(TrainingError, match="no characters to learn from"):
        learn([("x\0x", 3)], SPEC)


def test_sums_that_single_precision_cannot_hold() -> None:
    """The original refuses scores that are not numbers, too."""
    with pytest.raises(TrainingError, match=r"100002 characters without a space is too long"):
        learn([("\0" * 100_000 + "ab", 1)], SPEC)


@pytest.mark.parametrize("text", slow_after(1, ["a" * 200_000, "ab" * 100_000, "\0" * 4000 + "ab"]))
@pytest.mark.parametrize(
    "options", slow_after(1, [{}, {"split_by_whitespace": False, "max_sentencepiece_length": 100}]), ids=str
)
def test_long_texts(text: str, options: dict[str, Any]) -> None:
    pieces = dict(learn([(text, 1)], replace(SPEC, vocab_size=20, **options)))
    assert set(text) - {"\0"} <= set(pieces)


def test_large_counts() -> None:
    sentences = [("\u2581abab", 2**40), ("\u2581ab", 2**33), ("ba", 2**52)]
    pieces = dict(learn(sentences, replace(SPEC, vocab_size=12)))
    assert {"a", "b", "\u2581"} <= set(pieces)


@pytest.mark.slow
@pytest.mark.thread_unsafe
def test_interrupt() -> None:
    """Ctrl-C ends it soon, also within one long sentence."""

    def training(n_letters: int) -> Callable[[], object]:
        sentences = [("".join(random.Random(2).choices("abcdefgh", k=n_letters)), 1)]
        sentence_table, alphabet, trainer = table(sentences), alphabet_of(sentences), ReferenceUnigramTrainer()
        spec = replace(SPEC, vocab_size=500)
        return lambda: trainer.learn(sentence_table, alphabet, spec, spec.vocab_size - 3, num_threads=1)

    n_few, n_all = count_checks(training(1000)), count_checks(training(100_000))
    assert n_all - n_few > 1000
    for at in (1, n_few, (n_few + n_all) // 2):
        assert interrupt(training(100_000), at) <= ON_THE_WAY_OUT


def test_progress() -> None:
    seen: list[tuple[str, int, int]] = []
    learn(words(300), SPEC, progress=lambda *step: seen.append(step))
    assert [phase for phase, _, _ in seen[:2]] == ["seeds", "seeds"]
    assert all(done <= total for _, done, total in seen)
    with pytest.raises(ZeroDivisionError):
        learn(words(300), SPEC, progress=lambda phase, done, total: 1 / 0)


def test_ill_formed_seeds_are_left_out(tmp_path: Path) -> None:
    """Prefixes of a text by bytes: more pieces would begin at one place than there are lengths in characters."""
    line = "a" + "😀" * 511
    path = tmp_path / "seeds.tsv"
    path.write_bytes(b"".join(b"%s\t5\n" % line.encode()[:size] for size in range(1, len(line.encode()) + 1)))
    characters = [("😀", 20 * 511), ("a", 20)]
    spec = replace(SPEC, max_sentencepiece_length=512, vocab_size=50, split_by_unicode_script=False)
    seeds = read_seed_file(str(path), characters, spec, 10_000)
    assert sorted(len(text.decode()) for text, _ in seeds) == [1, 1, *range(2, 513)]
    trainer = ReferenceUnigramTrainer()
    trainer.seed_file = str(path)
    counts = native.from_sentences([(f"{line}".encode(), 20)])
    learned = trainer.learn(counts, Alphabet.from_items(characters), spec, 30, reference_rules=True)
    assert len(learned) <= 30


def test_frequency_of_many_digits(tmp_path: Path) -> None:
    path = tmp_path / "seeds.tsv"
    path.write_bytes(b"ab\t" + b"0" * 30 + b"1" * 5000 + b"\n")
    with pytest.raises(TrainingError, match="line 1: 'ab"):
        read_seed_file(str(path), [("a", 1)], SPEC, 100)
