"""Trainings with superwords: against the naive twin, on texts made to tempt, and what stays true of the models."""

import random

import pytest
from oracle.slow import slow_after
from oracle.small_models import HARD
from oracle.superwords import SPACE, second_stage

from spm_lite import CountTable, OptionError, TrainingError, train
from spm_lite.training import counting
from spm_lite.training.options.checks import check_options
from spm_lite.training.options.superword_options import as_superwords, first_size

COMMON = ["the", "of", "cat", "it's", "don't", "and", "a"]
RARE = [
    "Bassom", "naïve", "me\u0301t", "मनुष्य", "ไทย", "日本", "boys'", "x1", "12", ",", ".", 'said."', "--", "  ",
    "\u2019s", "''", "e.g.", "👩\u200d🚀",
]  # fmt: skip
SMALL = {"hard_vocab_limit": False, "model_type": "bpe"}


def random_texts(rng: random.Random, words: list[str]) -> list[str]:
    weights = [6] * len(COMMON) + [1] * len(words)
    return [" ".join(rng.choices(COMMON + words, weights, k=rng.randint(1, 12))) for _ in range(rng.randint(5, 50))]


def text_of(tok, piece_id):
    """The text of a piece, or its bytes as characters U+0000 to U+00FF."""
    piece = tok._file.vocab.text(piece_id)
    return piece.decode("latin-1") if tok.model_type == "byte_bpe" else piece.decode()


def pieces_of(tok):
    return [tok.id_to_piece(i) for i in range(tok.vocab_size)]


@pytest.mark.parametrize("seed", slow_after(8, range(30)))
@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe"])
def test_equals_naive(model_type, seed) -> None:
    rng = random.Random(seed)
    in_bytes = model_type == "byte_bpe"
    texts = random_texts(rng, [word for word in RARE if not in_bytes or "\u0301" not in word])
    superwords = {
        "share": rng.choice([0.3, 0.5, 0.8]), "max_words": rng.choice([2, 3, 4]), "whole_words": rng.random() < 0.4,
        "inside": rng.choice(["letters", "punctuation"]), "min_documents": rng.choice([1, 2, 4]),
        "max_length": rng.choice([5, 9, 32]),
    }  # fmt: skip
    options = {"model_type": model_type, "hard_vocab_limit": False, "min_count": rng.choice([1, 2])}
    if not in_bytes:
        options |= {"byte_fallback": False, "character_coverage": 1.0}
    for name in ("split_by_unicode_script", "split_by_number", "allow_whitespace_only_pieces"):
        if rng.random() < 0.2:
            options[name] = False
    size = rng.randint(200, 280) + 700 * in_bytes
    n_first = first_size(size, as_superwords(superwords))
    first = train(texts, vocab_size=n_first, **options)
    made = train(texts, vocab_size=size, superwords=superwords, **options)
    spec = check_options(vocab_size=n_first, superwords=superwords, **options).trainer
    given = [(text if in_bytes else f" {text}").replace(" ", SPACE) for text in texts]
    scores = {text_of(first, i): first.score(i) for i in range(first.vocab_size) if first.piece_type(i) == "normal"}
    expected = second_stage(zip(given, map(str.encode, texts), strict=True), scores, spec, size - n_first)
    assert pieces_of(made)[: first.vocab_size] == pieces_of(first)
    more = range(first.vocab_size, made.vocab_size)
    assert [text_of(made, i) for i in more] == expected


def superwords_of(tok):
    """The pieces with a space after another character, which is written as a space."""
    found = [text_of(tok, i).replace(SPACE, " ") for i in range(tok.vocab_size)]
    return [text for text in found if " " in text.lstrip(" ")]


TEMPTING = [  # each stands in one document only, or across what no superword crosses
    *["Ann Bee went " * 9], *[f"one two\nthree {i}" for i in range(9)], *[f"end. Start {i}" for i in range(9)],
    *[f"week 5 day {i}" for i in range(9)], *[f"to  the {i}" for i in range(9)], *["it is so"] * 40,
    *[f"in the {word}" for word in ("mill", "pond", "wood", "hall", "barn", "field", "yard", "lane")],
]  # fmt: skip


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("inside", ["letters", "punctuation"])
def test_no_superword_of_few_documents_or_across_an_end(inside, model_type, tmp_path) -> None:
    texts = [line for text in TEMPTING for line in text.split("\n")]
    options = {**SMALL, "model_type": model_type, "vocab_size": 500, "superwords": {"share": 0.6, "inside": inside}}
    made = train(texts, **options)
    found = superwords_of(made)
    assert any("in the" in text for text in found)
    for tempting in ("Ann Bee", "Bee went", "two three", ". S", "5 d", "week 5", "to  t", "it is", "is so"):
        assert not any(tempting in text for text in found), (tempting, found)
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(texts), encoding="utf-8")
    assert train(path, **options).to_bytes() == made.to_bytes()
    assert "it is" in " ".join(
        superwords_of(train(texts, **{**options, "superwords": {"share": 0.6, "min_documents": 1}}))
    )


def test_is_training_and_then_extending() -> None:
    rng = random.Random(3)
    texts = [text for _ in range(6) for text in random_texts(rng, ["mill", "mills"])]
    options = {**SMALL, "min_count": 2}
    made = train(texts, vocab_size=330, superwords=0.9, **options)
    first = train(texts, vocab_size=297, **options)
    n_new = made.vocab_size - first.vocab_size
    assert n_new > 0
    assert first.extend(texts, n_new, superwords=True, coverage=0.98).tokenizer.to_bytes() == made.to_bytes()
    assert all(made.decode(made.encode(text)) == text for text in [*texts, *HARD])
    assert made.report.vocab_size == made.vocab_size
    assert made.report.pieces_by_origin["superwords"] == len(superwords_of(made)) > 0
    assert "superwords" in str(made.report)


@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe", "unigram"])
def test_threads_tables_and_sources_do_not_matter(model_type, tmp_path) -> None:
    texts = random_texts(random.Random(5), RARE) * 40
    options = {**SMALL, "model_type": model_type, "vocab_size": 470, "superwords": {"share": 0.7}}
    made = train(texts, num_threads=1, **options).to_bytes()
    assert train(texts, num_threads=3, **options).to_bytes() == made
    count = {"model_type": model_type, "superwords": 0.7}
    tables = [CountTable.count(texts[i::3], **count) for i in range(3)]
    tables[0].save(tmp_path / "a.counts")
    tables[0] = CountTable.load(tmp_path / "a.counts")
    tables[1] = CountTable.from_bytes(tables[1].to_bytes())
    assert train(tables, **options).to_bytes() == made
    assert train(CountTable.sum(reversed(tables)), **options).to_bytes() == made
    assert train({"a": texts[::2], "b": texts[1::2]}, **options).to_bytes() == made


def test_superwords_of_every_source() -> None:
    many = [f"in the {a} of the {b}" for a in "abcdefgh" for b in "ijklmnop"] * 9
    few = [f"auf dem {a} und mit der {b}" for a in "abcd" for b in "ijkl"]
    options = {**SMALL, "vocab_size": 400, "superwords": {"share": 0.95}}
    alone = superwords_of(train({"en": many, "de": few}, **{**options, "vocab_size": 305}))
    equal = superwords_of(train({"en": many, "de": few}, temperature=0, **{**options, "vocab_size": 305}))
    assert not any("auf" in text for text in alone), alone
    assert any("auf" in text for text in equal), equal


def test_text_without_spaces_is_learned_within_words() -> None:
    texts = ["".join(random.Random(i).choices("กขคงจฉชซ", k=30)) for i in range(60)]
    made = train(texts, vocab_size=300, model_type="bpe", superwords=0.95)
    assert superwords_of(made) == []
    assert sorted(pieces_of(made)) == sorted(pieces_of(train(texts, vocab_size=300, model_type="bpe")))
    assert sum("no superwords" in note for note in made.report.notes) == 1


def test_too_few_pieces_are_an_error_whose_remedies_work() -> None:
    texts = random_texts(random.Random(8), ["mill"])
    options = {"model_type": "bpe", "superwords": 0.5}
    with pytest.raises(TrainingError, match="of the second stage") as caught:
        train(texts, vocab_size=580, **options)
    for change in caught.value.remedies:
        train(texts, **{"vocab_size": 580, **options, **change})
    with pytest.raises(TrainingError, match="first stage has 50 of vocab_size=100") as caught:
        train(texts, vocab_size=100, **options)
    for change in caught.value.remedies:
        if "vocab_size" in change:
            train(texts, hard_vocab_limit=False, **options, **change)


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_phrases_that_are_spilled_give_the_same_model(model_type, monkeypatch) -> None:
    texts = random_texts(random.Random(6), RARE) * 30
    options = {**SMALL, "model_type": model_type, "vocab_size": 470, "superwords": 0.7}
    made = train(texts, **options).to_bytes()
    monkeypatch.setattr(counting, "counting_share", lambda limit: 20_000)
    assert train(texts, memory_limit="200MB", **options).to_bytes() == made
    with pytest.raises(OptionError, match="phrases of all are held in memory"):
        train({"a": texts}, memory_limit="200MB", **options)


def test_a_line_that_is_frequent_does_not_hide_the_others() -> None:
    """Unigram: the words of one frequent line are no superwords. Those of rarer lines are found."""
    texts = ["Ann Bee went out to see"] * 5000 + [f"in the {a} of the {b}" for a in "abcd" for b in "efgh"]
    plain = train(texts, vocab_size=300, model_type="unigram", hard_vocab_limit=False)
    made = plain.extend(texts, 4, superwords=True).tokenizer
    assert made.vocab_size == plain.vocab_size + 4
    assert any("of the" in text for text in superwords_of(made))
