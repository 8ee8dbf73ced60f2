"""Unigram training as a whole: determinism, corners, long inputs, giving up."""

import io
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.interrupts import ON_THE_WAY_OUT, count_checks, interrupt
from oracle.occurrences import chunks_of, learned_pieces, occurrences
from oracle.slow import slow_after
from oracle.unigram_trainer import segmentations

import spm_lite
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.trainer_interface import Alphabet, trainer_for

SPEC = TrainerSpec(vocab_size=1000)
WORDS = [f"▁{word}" for word in ("the", "then", "there", "other", "mother", "bother", "brother", "broth", "these")]
WORDS += [f"▁{word}" for word in ("theme", "hem", "them", "hot", "rest")]


def learn(items: Iterable[tuple[str, int]], n_pieces: int, **options: object) -> list[tuple[str, float]]:
    """Train on chunks of text; every character is in the alphabet."""
    arguments = {name: options.pop(name) for name in ("num_threads", "progress") if name in options}
    items = list(items)
    characters: Counter[str] = Counter()
    for text, count in items:
        for character in text:
            characters[character] += count
    counts = ChunkTable.from_items((text.encode(), count) for text, count in items)
    spec = replace(SPEC, vocab_size=n_pieces, **options)  # type: ignore[arg-type]
    alphabet = Alphabet.from_items(characters.items())
    return trainer_for("unigram").learn(counts, alphabet, spec, n_pieces, **arguments)  # type: ignore[arg-type]


def random_words(n: int, alphabet: str = "abcdefgh", seed: int = 1) -> list[tuple[str, int]]:
    source = random.Random(seed)
    stems = ["".join(source.choices(alphabet, k=source.randint(2, 5))) for _ in range(200)]
    words = {"▁" + "".join(source.choices(stems, k=source.randint(1, 3))) for _ in range(n)}
    return [(word, int(1000 / (k + 1)) + 1) for k, word in enumerate(sorted(words, key=lambda _: source.random()))]


def test_learns_what_recurs() -> None:
    pieces = dict(learn([(word, 100 - 5 * k) for k, word in enumerate(WORDS)], 24))
    assert len(pieces) == 24
    assert set("".join(WORDS)) <= set(pieces)
    assert {"▁the", "other"} & set(pieces)


def test_scores_are_log_probabilities_in_final_order() -> None:
    pieces = learn(random_words(2000), 300)
    assert len(pieces) == 300
    assert pieces == sorted(pieces, key=lambda item: (-item[1], item[0]))
    assert math.fsum(math.exp(score) for _, score in pieces) == pytest.approx(1, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("threads", slow_after(1, [2, 7]))
def test_threads_do_not_matter(threads: int) -> None:
    items = random_words(60_000, "abcdefghijklmnop")  # enough for several lanes
    assert learn(items, 900, num_threads=threads) == learn(items, 900, num_threads=1)


def test_order_of_arrival_does_not_matter() -> None:
    items = random_words(3000)
    assert learn(items, 300) == learn(items[::-1], 300)


def test_counts_may_be_given_in_parts() -> None:
    items = random_words(500)
    split = [(text, count // 2) for text, count in items if count > 1] + [(t, c - c // 2) for t, c in items]
    assert learn(items, 200) == learn(split, 200)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.text("ab▁,あ7", min_size=1, max_size=12), st.integers(1, 50), min_size=1, max_size=12),
    st.integers(1, 60),
    st.booleans(),
    st.integers(1, 3),
)
def test_small_corpora(items: dict[str, int], n_pieces: int, hard: bool, rounds: int) -> None:
    pieces = learn(items.items(), n_pieces, hard_vocab_limit=hard, num_sub_iterations=rounds)
    texts = [text for text, _ in pieces]
    alphabet = set("".join(items))
    assert alphabet <= set(texts)
    assert len(set(texts)) == len(texts) <= max(n_pieces, len(alphabet))
    assert all(math.isfinite(score) and score < 0.01 for _, score in pieces)
    assert all(any(text in chunk for chunk in items) for text in texts)
    for chunk in items:
        assert next(segmentations(chunk, dict(pieces)))


def test_hard_limit_fills_up_while_there_are_seeds() -> None:
    """The vocabulary may be as large as there are seeds; a soft limit keeps only what is of use."""
    items = [(word, 10) for word in WORDS]
    hard, soft = learn(items, 60), learn(items, 60, hard_vocab_limit=False)
    assert len(hard) == 60
    assert len(soft) < 60
    assert len(learn(items, 10_000)) < 200


def test_more_required_characters_than_occur() -> None:
    counts = ChunkTable.from_items([(b"abab", 3)])
    alphabet = Alphabet.from_items([("a", 6), ("b", 6), ("z", 0), ("\U0001f600", 0)])
    pieces = dict(trainer_for("unigram").learn(counts, alphabet, SPEC, 50))
    assert {"a", "b", "z", "\U0001f600", "abab"} <= set(pieces)
    assert all(math.isfinite(score) for score in pieces.values())


def test_characters_outside_the_alphabet_are_in_no_piece() -> None:
    counts = ChunkTable.from_items([(b"abxab", 5), (b"\xff", 9), (b"x", 9), (b"ab\x00ab\xffab", 2)])
    pieces = dict(trainer_for("unigram").learn(counts, Alphabet.from_items([("a", 1), ("b", 1), ("\0", 3)]), SPEC, 9))
    assert {piece for piece in pieces if piece != "\0"} == {"a", "b", "ab"}


def test_no_text_at_all() -> None:
    assert trainer_for("unigram").learn(ChunkTable.from_items([]), Alphabet.from_items([]), SPEC, 9) == []
    assert trainer_for("unigram").learn(ChunkTable.from_items([]), Alphabet.from_items([("a", 0)]), SPEC, 9) == [
        ("a", 0.0)
    ]


def test_only_single_characters() -> None:
    pieces = dict(learn([("a", 3), ("b", 1), ("ab", 4)], 9, max_sentencepiece_length=1))
    assert set(pieces) == {"a", "b"}
    assert pieces["a"] > pieces["b"]


@pytest.mark.long_input
@pytest.mark.parametrize("text", slow_after(1, ["a" * 1_000_000, "ab" * 500_000, "abcdefghijklmnopqrs" * 50_000]))
def test_long_repeats_are_linear(text: str) -> None:
    """Were they not, this would take hours."""
    for size in (len(text) // 2, len(text)):
        assert max(len(piece) for piece, _ in learn([(text[:size], 1)], 40)) == 16


def test_long_pieces() -> None:
    """Among all substrings are long ones; merges of BPE make a long piece only step by step."""
    text = "".join(random.Random(5).choices("abcd", k=400))
    pieces = dict(learn([(text, 3), ("ab" + text, 2)], 50, max_sentencepiece_length=512, seed_source="substrings"))
    assert text in pieces


def test_figures_and_progress() -> None:
    calls = []
    counts = ChunkTable.from_items((text.encode(), count) for text, count in random_words(3000))
    characters = sorted(set("▁abcdefgh"))
    trainer = trainer_for("unigram")
    spec = replace(SPEC, vocab_size=100)
    trainer.learn(
        counts, Alphabet.from_items((c, 1) for c in characters), spec, 97, progress=lambda *call: calls.append(call)
    )
    assert calls[0][0] == "seeds"
    assert {phase for phase, _, _ in calls} == {"seeds", "em"}
    assert all(0 <= done <= total for _, done, total in calls)
    assert calls[-1][1] == calls[-1][2]
    sizes, objectives = trainer.figures["pruned"], trainer.figures["em_objectives"]
    assert sizes == sorted(sizes, reverse=True)
    assert trainer.figures["seeds"] == trainer.figures["em_pieces"][0] > sizes[0]
    assert len(objectives) == len(trainer.figures["em_pieces"]) == spec.num_sub_iterations * len(sizes) + 1
    for k in range(len(sizes)):  # between prunings the objective falls
        assert objectives[2 * k + 1] <= objectives[2 * k]


def test_progress_can_stop_the_training() -> None:
    def stop(phase: str, done: int, total: int) -> None:
        if phase == "em":
            raise TimeoutError("enough")

    with pytest.raises(TimeoutError, match="enough"):
        learn(random_words(1000), 100, progress=stop)


@pytest.mark.slow
@pytest.mark.long_input
@pytest.mark.thread_unsafe
@pytest.mark.parametrize("threads", slow_after(1, [1, 2]))
def test_interrupt(threads: int) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    alphabet = Alphabet.from_items((c, 1) for c in "▁" + letters)

    def training(n_words: int) -> Callable[[], object]:
        counts = ChunkTable.from_items((word.encode(), 1) for word, _ in random_words(n_words, letters))
        trainer = trainer_for("unigram")
        spec = replace(SPEC, vocab_size=100, seed_source="substrings")
        return lambda: trainer.learn(counts, alphabet, spec, 100, num_threads=threads)

    n_few, n_all = count_checks(training(100)), count_checks(training(50_000))
    assert n_all - n_few > 50
    # With two threads, how many checks the main one comes to depends on the other one.
    for at in (1, n_few, n_few + (n_all - n_few) // (2 if threads == 1 else 10)):
        assert interrupt(training(50_000), at) <= ON_THE_WAY_OUT


@pytest.mark.thread_unsafe
def test_real_text_is_as_good_as_the_originals(shared_data: Path) -> None:
    """On half of a novel: bits for the other half, against the pieces of the original with its own scores."""
    spm = pytest.importorskip("sentencepiece")
    lines = (shared_data / "corpora" / "en-botchan.txt").read_text(encoding="utf-8").splitlines()
    lines = ["▁" + "▁".join(line.split()) for line in lines if line.split()]
    characters = Counter("".join(lines))
    words = Counter("▁" + word for line in lines[::2] for word in line.split("▁") if word)
    held_out = Counter("▁" + word for line in lines[1::2] for word in line.split("▁") if word)
    options = {"split_by_unicode_script": False, "vocab_size": 2003}
    counts = ChunkTable.from_items((word.encode(), count) for word, count in words.items())
    ours = dict(
        trainer_for("unigram").learn(
            counts, Alphabet.from_items(characters.items()), replace(SPEC, **options), 2000, num_threads=2
        )
    )
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(line.replace("▁", " ") for line in lines[::2]),
        model_writer=model,
        num_threads=2,
        normalization_rule_name="identity",
        character_coverage=1.0,
        minloglevel=2,
        **options,
    )
    processor = spm.SentencePieceProcessor(model_proto=model.getvalue())
    theirs = {processor.id_to_piece(k): processor.get_score(k) for k in range(3, len(processor))}
    best = [sum(n * best_score(word, scores) for word, n in held_out.items()) for scores in (ours, theirs)]
    assert best[0] >= best[1] * 1.002


def best_score(word: str, scores: dict[str, float]) -> float:
    best = [0.0] + [-math.inf] * len(word)
    for begin in range(len(word)):
        for end in range(begin + 1, min(begin + 16, len(word)) + 1):
            score = scores.get(word[begin:end], -25.0 if end == begin + 1 else -math.inf)
            best[end] = max(best[end], best[begin] + score)
    return best[-1]


@pytest.mark.parametrize(
    "options", [{"seed_source": "substrings"}, {"prune": "top"}, {"seed_source": "substrings", "prune": "top"}]
)
def test_other_seeds_and_pruning(options: dict[str, str]) -> None:
    words = random_words(2000)
    pieces = learn(words, 300, **options)
    assert len(pieces) == 300
    assert pieces == learn(words, 300, num_threads=3, **options)
    assert pieces != learn(words, 300)
    assert pieces == sorted(pieces, key=lambda item: (-item[1], item[0]))
    assert {character for word, _ in words for character in word} <= {text for text, _ in pieces}
    text = "".join(word for word, _ in words)
    assert all(piece in text for piece, _ in pieces)


SOURCES = ["bpe", "substrings"]


def random_texts(seed: int, n: int = 60) -> list[str]:
    draw = random.Random(seed)
    words = ["".join(draw.choices(["a", "b", "ab", "c", "é", "水", "ไ"], k=draw.randint(1, 5))) for _ in range(40)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 7))) for _ in range(n)]


@pytest.mark.parametrize("seed_source", SOURCES)
@pytest.mark.parametrize("min_count", [1, 2, 3, 8, 25])
@pytest.mark.parametrize("seed", slow_after(2, range(20)))
def test_pieces_occur_often_enough(seed: int, min_count: int, seed_source: str) -> None:
    """Before weights, and where seeds fill up a hard limit too."""
    texts = {"a": random_texts(seed), "b": random_texts(seed + 100, 9)}
    chunks = {name: chunks_of(given) for name, given in texts.items()}
    options = {"min_count": min_count, "seed_source": seed_source}
    for arguments, counted in (
        ({"input": texts["a"]}, chunks["a"]),
        ({"input": texts["a"] * 2}, chunks["a"] + chunks["a"]),
        ({"sources": texts}, chunks["a"] + chunks["b"]),
        ({"sources": texts, "weights": {"a": 1, "b": 1}}, chunks["a"] + chunks["b"]),
        ({"sources": texts, "weights": {"a": 1, "b": 50}}, chunks["a"] + chunks["b"]),
    ):
        soft = spm_lite.train(**arguments, **options, vocab_size=340, hard_vocab_limit=False)  # type: ignore[arg-type]
        found = [piece for piece in learned_pieces(soft) if len(piece) > 1]
        assert all(occurrences(piece, counted) >= min_count for piece in found)
        size = len(soft) + 3
        try:
            hard = spm_lite.train(**arguments, **options, vocab_size=size)  # type: ignore[arg-type]
        except spm_lite.TrainingError:
            continue
        found = [piece for piece in learned_pieces(hard) if len(piece) > 1]
        assert len(hard) == size
        assert all(occurrences(piece, counted) >= min_count for piece in found)


@pytest.mark.parametrize("seed_source", SOURCES)
def test_weights_do_not_make_a_string_frequent(seed_source: str) -> None:
    """What stands once in a source that counts 50 times occurs once."""
    sources = {"a": random_texts(1, 300), "b": ["水ไ水ไéé"]}
    for weight in (1, 50):
        tok = spm_lite.train(sources, weights={"a": 1, "b": weight}, vocab_size=340, hard_vocab_limit=False,
            min_count=3, seed_source=seed_source,
        )  # fmt: skip
        assert tok.report is not None
        assert tok.report.sources["b"].factor > 50
        assert not any("水ไ水" in piece for piece in learned_pieces(tok))


@pytest.mark.parametrize("seed_source", SOURCES)
def test_a_higher_min_count_than_anything_leaves_the_characters(seed_source: str) -> None:
    options = {"vocab_size": 340, "hard_vocab_limit": False, "seed_source": seed_source}
    tok = spm_lite.train(random_texts(1), min_count=10**9, **options)  # type: ignore[arg-type]
    assert tok.report is not None
    assert sorted(learned_pieces(tok)) == sorted(tok.report.alphabet)
    with pytest.raises(spm_lite.TrainingError, match=r"[Vv]ocab"):
        spm_lite.train(random_texts(1), min_count=10**9, vocab_size=340, seed_source=seed_source)
    one = spm_lite.train(random_texts(1), min_count=1, **options)  # type: ignore[arg-type]
    assert one.to_bytes() == spm_lite.train(random_texts(1), **options).to_bytes()  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [1, 40])
def test_no_string_is_rare_in_a_made_up_example(k: int) -> None:
    """With few distinct chunks, all words may become pieces, however evenly they are distributed."""
    tok = spm_lite.train(["the mill turns the wheel"] * k, vocab_size=300, hard_vocab_limit=False)
    assert tok.pieces("the wheel turns the mill") == ["▁the", "▁wheel", "▁turns", "▁the", "▁mill"]


@pytest.mark.parametrize("seed_source", SOURCES)
@pytest.mark.parametrize("k", [1, 3])
def test_a_hard_limit_takes_rare_seeds_while_there_are_too_few(seed_source: str, k: int) -> None:
    """Strings that stand once are seeds only where the vocabulary needs them."""
    draw = random.Random(4)
    words = ["".join(draw.choices("abcdefghij", k=draw.randint(2, 6))) for _ in range(900)]
    texts = [" ".join(words[int(900 * draw.random() ** 4)] for _ in range(8)) for _ in range(150)] * k
    soft = spm_lite.train(texts, vocab_size=2000, hard_vocab_limit=False, seed_source=seed_source)
    counted = chunks_of(texts)
    assert len(soft) < 800
    assert all(occurrences(piece, counted) > k for piece in learned_pieces(soft) if len(piece) > 1)
    for size, least in ((900, 2 * k), (1500, k)):
        hard = spm_lite.train(texts, vocab_size=size, seed_source=seed_source)
        assert len(hard) == size
        assert min(occurrences(piece, counted) for piece in learned_pieces(hard) if len(piece) > 1) == least
