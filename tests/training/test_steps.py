"""The law of counts: a common factor of all counts, and weights that differ from none by it, change no model."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite import CountTable, Tokenizer
from spm_lite.training import checkpoint, counting
from spm_lite.training.counts.chunk_budget import Budget

Texts = list[str | bytes]

TYPES: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram", "vocab_size": 700},
    "unigram, substrings": {"model_type": "unigram", "vocab_size": 700, "seed_source": "substrings"},
    "unigram, top": {"model_type": "unigram", "vocab_size": 700, "prune": "top"},
    "bpe": {"model_type": "bpe", "vocab_size": 700},
    "bpe, auto": {"model_type": "bpe", "vocab_size": 600, "character_coverage": "auto"},
    "byte_bpe": {"model_type": "byte_bpe", "vocab_size": 600},
    "likelihood": {"model_type": "wordpiece", "vocab_size": 500, "objective": "likelihood"},
    "ratio": {"model_type": "wordpiece", "vocab_size": 500, "objective": "ratio"},
    "frequency": {"model_type": "wordpiece", "vocab_size": 500, "objective": "frequency"},
    "word": {"model_type": "word", "vocab_size": 600, "hard_vocab_limit": False},
    "char": {"model_type": "char", "vocab_size": 450, "hard_vocab_limit": False},
    "min_count": {"model_type": "unigram", "vocab_size": 420, "min_count": 1, "hard_vocab_limit": False},
}
OF_ALL_TYPES = pytest.mark.parametrize("name", TYPES)

STEMS = [
    *("the", "mill", "turn", "wheel", "river", "er", "ing", "s", "n't", "joy", "12", "3.5"),
    *("Müh", "le", "dreht", "e\u0301", "à", "мель", "ница", "река", "ის", "წყალ"),
    *("水車", "川", "の", "ら", "가", "물", "레", "น้ำ", "กังหัน", "แม่", "நீர்", "ሜል"),
    *("👩\u200d🌾", "👍🏽", "\u2581", "\u2581a", "\u200d", "x\0y", "\u00a0", "\u3000"),
]
ILL_FORMED = [b"\xff\xfe", b"ab\xe3\x81", b"\x80", b"\xed\xa0\x80 x"]


def lines(seed: int, n: int = 400, stems: list[str] = STEMS) -> Texts:
    """Lines of mixed scripts, words and spaces; some words are frequent, and some lines are ill-formed."""
    draw = random.Random(seed)
    words = ["".join(draw.choices(stems, k=draw.randint(1, 4))) for _ in range(900)]
    chosen = [min(draw.random(), draw.random()) * len(words) for _ in range(8 * n)]
    found: Texts = [
        draw.choice([" ", " ", " ", "  "]).join(words[int(place)] for place in chosen[k : k + draw.randint(3, 8)])
        for k in range(0, 8 * n, 8)
    ]
    for k in range(0, n, 60):
        text = found[k]
        assert isinstance(text, str)
        found[k] = text.encode() + draw.choice(ILL_FORMED)
    return found


TEXTS = lines(1)


def train(texts: Any = None, name: str = "unigram", **options: Any) -> Tokenizer:
    return spm_lite.train(texts, **{"num_threads": 1, **TYPES[name], **options})


def scored(tok: Tokenizer) -> dict[str, float]:
    return {tok.id_to_piece(i): tok.score(i) for i in range(len(tok))}


def assert_alike(tok: Tokenizer, other: Tokenizer) -> None:
    """The same pieces, with scores that differ by 1e-5 at most."""
    assert scored(tok) == pytest.approx(scored(other), abs=1e-5)


@pytest.fixture(scope="module")
def plain() -> Callable[[str], Tokenizer]:
    """The model of each type on the text once, and nothing else."""
    made: dict[str, Tokenizer] = {}

    def get(name: str) -> Tokenizer:
        if name not in made:
            made[name] = train(TEXTS, name)
        return made[name]

    return get


Plain = Callable[[str], Tokenizer]


@OF_ALL_TYPES
@pytest.mark.parametrize("k", slow_after(1, [3, 2, 7]))
def test_texts_that_count_several_times(name: str, k: int, plain: Plain) -> None:
    once, times_k = plain(name), train(TEXTS * k, name)
    assert times_k.to_bytes() == once.to_bytes()
    assert once.report is not None
    assert times_k.report is not None
    assert times_k.report.figures == once.report.figures
    assert times_k.report.alphabet == once.report.alphabet
    assert times_k.report.bytes_used == k * (once.report.bytes_used or 0)


@OF_ALL_TYPES
def test_a_table_added_to_itself(name: str, plain: Plain) -> None:
    model_type = TYPES[name]["model_type"]
    table = CountTable.count(TEXTS, model_type=model_type)
    doubled = table + table
    assert train(doubled, name).to_bytes() == plain(name).to_bytes()
    assert train([table, doubled, table], name).to_bytes() == plain(name).to_bytes()
    assert train(table, name).to_bytes() == plain(name).to_bytes()


@OF_ALL_TYPES
@pytest.mark.parametrize("weight", slow_after(1, [0.3, 1, 1e6]))
def test_one_source_with_any_weight(name: str, weight: float, plain: Plain) -> None:
    tok = train({"a": TEXTS}, name, weights={"a": weight})
    assert tok.to_bytes() == plain(name).to_bytes()


@OF_ALL_TYPES
@pytest.mark.parametrize(
    "shares",
    slow_after(2, [{}, {"weights": {"a": 3, "b": 3}}, {"temperature": 0}, {"temperature": 0.5}, {"temperature": 1}]),
)
def test_sources_of_equal_size_with_equal_weights(name: str, shares: dict[str, Any], plain: Plain) -> None:
    """The second source has the same characters in other words, so the sizes are equal."""
    other = [text[::-1] if isinstance(text, str) else text for text in TEXTS]
    together, apart = train(TEXTS + other, name), train({"a": TEXTS, "b": other}, name, **shares)
    assert apart.report is not None
    assert [figures.factor for figures in apart.report.sources.values()] == [1, 1]
    assert apart.to_bytes() == together.to_bytes()


@OF_ALL_TYPES
def test_weights_with_a_common_factor(name: str) -> None:
    sources = {"a": TEXTS[:200], "b": TEXTS[200:], "c": lines(2, 40)}
    models = {
        train(sources, name, weights={"a": 1 * k, "b": 2 * k, "c": 4 * k}, num_threads=n).to_bytes()
        for k, n in ((1, 1), (3, 2), (0.25, 1), (1e5, 1))
    }
    assert len(models) == 1


@OF_ALL_TYPES
def test_all_sources_twice(name: str) -> None:
    """The factors stay, the counts of all sources double."""
    sources = {"a": TEXTS[:200], "b": lines(2, 40)}
    shares = {"weights": {"a": 1, "b": 3}}
    once = train(sources, name, **shares)
    twice = train({source: texts * 2 for source, texts in sources.items()}, name, **shares)
    assert twice.to_bytes() == once.to_bytes()


@OF_ALL_TYPES
def test_one_text_as_two_sources_of_different_weights(name: str, plain: Plain) -> None:
    """Every chunk counts 9 times and 10 times."""
    tables = [CountTable.count(TEXTS, model_type=TYPES[name]["model_type"]) for _ in range(2)]
    sources = {"a": tables[0], "b": tables[1]}
    tok = train(sources, name, weights={"a": 9, "b": 10})
    assert tok.report is not None
    assert [figures.factor for figures in tok.report.sources.values()] == [9, 10]
    assert_alike(tok, plain(name))


@OF_ALL_TYPES
def test_threads_and_memory_do_not_matter(name: str, plain: Plain) -> None:
    options = {"sources": {"a": TEXTS[:200], "b": lines(2, 40)}, "weights": {"a": 2, "b": 3}}
    weighted = train(None, name, **options).to_bytes()
    for n_threads, limit in ((2, None), (1, "1GB"), (5, "96MB")):
        more: dict[str, Any] = {"num_threads": n_threads, "memory_limit": limit}
        assert train(TEXTS * 2, name, **more).to_bytes() == plain(name).to_bytes()
        assert train(None, name, **options, **more).to_bytes() == weighted


@OF_ALL_TYPES
def test_the_report_tells_of_the_text_as_it_is(name: str, plain: Plain) -> None:
    """The digest of the data and the characters outside the alphabet are not divided."""
    options: dict[str, Any] = {} if name in ("byte_bpe", "bpe, auto") else {"character_coverage": 0.98}
    if name.startswith("unigram"):
        options["vocab_size"] = 600
    once, thrice = train(TEXTS, name, **options).report, train(TEXTS * 3, name, **options).report
    assert once is not None
    assert thrice is not None
    assert thrice.characters_outside == 3 * once.characters_outside
    assert (once.characters_outside > 0) == (name not in ("byte_bpe", "bpe, auto"))
    table = CountTable.count(TEXTS, model_type=TYPES[name]["model_type"])
    assert once.data_digest == train(table, name, **options).report.data_digest  # type: ignore[union-attr]
    thrice_counted = train(table + table + table, name, **options).report
    assert thrice_counted is not None
    assert once.data_digest != thrice.data_digest == thrice_counted.data_digest
    assert thrice.digest == once.digest
    assert (thrice.distinct_chunks, thrice.chunk_bytes) == (once.distinct_chunks, once.chunk_bytes)


@OF_ALL_TYPES
@pytest.mark.parametrize("available", slow_after(1, [1000, 3000]))
def test_chunks_left_out_are_divided_too(name: str, available: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same chunks are left out of a text that counts several times, of weighted sources, and in any order."""
    monkeypatch.setattr(counting, "table_budget", lambda *_: Budget(available, 3, 1))
    options: dict[str, Any] = {"memory_limit": "128MB", "hard_vocab_limit": False}
    once = train(TEXTS, name, **options)
    assert once.report is not None
    assert (once.report.chunks_left_out > 0) == (name != "char")
    assert train(TEXTS * 3, name, **options).to_bytes() == once.to_bytes()
    assert train({"a": TEXTS}, name, weights={"a": 5}, **options).to_bytes() == once.to_bytes()
    sources, shares = {"a": TEXTS[:200], "b": TEXTS[200:]}, {"weights": {"a": 1, "b": 3}}
    weighted = train(sources, name, **shares, **options)
    twice = train({source: texts * 2 for source, texts in sources.items()}, name, **shares, **options)
    assert twice.to_bytes() == weighted.to_bytes()
    assert weighted.report is not None
    assert (weighted.report.chunks_left_out > 0) == (name != "char")


class StoppedError(Exception):
    """What the progress function raises."""


@OF_ALL_TYPES
@pytest.mark.parametrize("phase", ["seeds", "em", "merges"])
def test_a_training_that_goes_on_keeps_the_law(
    name: str, phase: str, plain: Plain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its report says the same of rare pieces; the saved counts are not divided."""
    monkeypatch.setattr(checkpoint.Checkpoint.__init__, "__defaults__", (0.0,))

    def stop(progress: spm_lite.Progress) -> None:
        if progress.phase == phase:
            raise StoppedError

    try:
        train(TEXTS * 4, name, checkpoint=tmp_path / "states", progress=stop)
    except StoppedError:
        again = train(TEXTS * 4, name, checkpoint=tmp_path / "states")
        whole = train(TEXTS * 4, name).report
        assert again.to_bytes() == plain(name).to_bytes()
        assert again.report is not None
        assert whole is not None
        assert again.report.rare_pieces == whole.rare_pieces
        assert again.report.data_digest == whole.data_digest


def test_reference_rules_keep_the_counts_of_the_original() -> None:
    """There, texts that count twice give another model; so does the original."""
    texts = [text for text in TEXTS if isinstance(text, str) and "\0" not in text]
    options: dict[str, Any] = {"reference_rules": True, "hard_vocab_limit": False, "byte_fallback": False}
    once, twice = train(texts, **options), train(texts * 2, **options)
    assert once.to_bytes() != twice.to_bytes()


@pytest.mark.parametrize("name", ["unigram", "unigram, substrings", "bpe", "word", "likelihood"])
@pytest.mark.parametrize("part", [0.9, 0.3])
def test_no_cliff_on_a_small_text(name: str, part: float) -> None:
    """A part of the text twice, or one line more, gives nearly the same number of tokens."""
    texts = lines(5, 1500, STEMS[:30])
    train_texts, held_out = texts[::2], texts[1::2]
    draw = random.Random(3)
    some = [text for text in train_texts if draw.random() < part]
    options: dict[str, Any] = {"hard_vocab_limit": False, "vocab_size": 600}
    if name == "likelihood":
        options["vocab_size"] = 400

    def tokens(given: Texts) -> int:
        found = [text for text in held_out if isinstance(text, str)]
        return spm_lite.evaluate(train(given, name, **options), found).tokens

    base = tokens(train_texts)
    assert tokens(train_texts * 2 + ["one more line"]) == pytest.approx(base, rel=0.005)
    assert tokens(train_texts + some) == pytest.approx(base, rel=0.02)


LANGUAGES = ["amh", "deu", "eng", "fra", "hin", "kor", "rus", "tam", "tha", "tur", "yor", "zho-CN"]


class Ntrex:
    """Twelve languages of NTREX, and the held-out tokens of a model of 12,000 pieces on any text."""

    def __init__(self, folder: Path) -> None:
        self.train: dict[str, list[str]] = {}
        self.held_out: list[str] = []
        for language in LANGUAGES:
            rows = (folder / f"ntrex.{language}.tsv").read_text(encoding="utf-8").splitlines()
            texts = [row.split("\t")[1] for row in rows]
            self.train[language] = [text for i, text in enumerate(texts) if i % 10 < 5]
            self.held_out += [text for i, text in enumerate(texts) if i % 10 >= 5]
        self.lines = [text for texts in self.train.values() for text in texts]
        self.plain = self.tokens(self.lines)

    def tokens(self, *texts: Any, **options: Any) -> int:
        tok = spm_lite.train(*texts, vocab_size=12_000, hard_vocab_limit=False, **options)
        return spm_lite.evaluate(tok, self.held_out).tokens


@pytest.fixture(scope="module")
def ntrex(shared_data: Path) -> Ntrex:
    folder = shared_data / "corpora" / "parallel"
    if not all((folder / f"ntrex.{language}.tsv").is_file() for language in LANGUAGES):
        pytest.skip(f"not all of the twelve languages are in {folder}")
    return Ntrex(folder)


@pytest.mark.slow
def test_the_text_once(ntrex: Ntrex) -> None:
    assert ntrex.plain <= 566_500


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 10])
def test_no_cliff_at_whole_numbers(ntrex: Ntrex, k: int) -> None:
    assert ntrex.tokens(ntrex.lines * k) == ntrex.plain
    more = ntrex.tokens([*ntrex.lines * k, "One line that is nowhere else in this text."])
    assert more == pytest.approx(ntrex.plain, rel=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("tenths", [9, 3])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_no_cliff_when_part_of_the_text_stands_twice(ntrex: Ntrex, tenths: int, seed: int | None) -> None:
    """Every line of a random choice, or those whose number says so."""
    chosen = [line for i, line in enumerate(ntrex.lines) if i % 10 < tenths]
    if seed is not None:
        chosen = random.Random(seed).sample(ntrex.lines, len(ntrex.lines) * tenths // 10)
    assert ntrex.tokens(ntrex.lines + chosen) == pytest.approx(ntrex.plain, rel=0.005)


@pytest.mark.slow
def test_equal_weights_cost_little(ntrex: Ntrex) -> None:
    equal = ntrex.tokens(ntrex.train, weights=dict.fromkeys(LANGUAGES, 1))
    assert equal <= 1.025 * ntrex.plain
