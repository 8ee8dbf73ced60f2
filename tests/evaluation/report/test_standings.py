"""The rules of the decision: from verdicts to one tokenizer or none, and never from chance."""

import os
import random
from bisect import bisect
from itertools import accumulate, combinations

import pytest

import spm_lite
from spm_lite.evaluation.prediction.verdicts import BITS, TOKENS
from spm_lite.evaluation.report.standings import Ranking, listed

SPLITS = int(os.environ.get("SPM_LITE_SPLITS", "8"))  # 100 take minutes
MISSES = max(1, SPLITS // 20)
KEPT = {"unknown": {"character_share": 0.0, "token_share": 0.0}}
LOST = {"unknown": {"character_share": 0.5, "token_share": 0.5}}


def audited(names, rows, lost=(), is_mixed=False):
    """The part of an audit that a ranking reads. rows: (figure, text, a, b, verdict, winner); other pairs are open."""
    texts = [*dict.fromkeys(text for _, text, *_ in rows)]
    verdicts = [
        {"figure": figure, "text": text, "a": a, "b": b, "verdict": verdict, "winner": winner, "who": [winner],
         "relative": 0.02}
        for figure, text, a, b, verdict, winner in rows
    ]  # fmt: skip
    told = {(one["figure"], one["text"], one["a"], one["b"]) for one in verdicts}
    for text in texts:
        for a, b in combinations(names, 2):
            for figure in (BITS, TOKENS):
                if (figure, text, a, b) not in told:
                    found = {"verdict": "undecided", "winner": None, "who": [], "relative": 0.001}
                    verdicts.append({"figure": figure, "text": text, "a": a, "b": b, **found})
    models = {name: {"fill": 2.0} for name in names}
    data = {
        "tokenizers": {name: {} for name in names},
        "corpus": {text: {name: LOST if name in lost else KEPT for name in names} for text in texts},
        "ngram": {text: {"models": models} for text in texts},
        "verdicts": verdicts,
    }
    if is_mixed:
        data["corpus"].pop("mixture")
        data["mixture"] = {"corpus": {}, "ngram": {"models": models}}
    return data


def better(text, winner, loser, figure=BITS):
    a, b = sorted([winner, loser])
    return figure, text, a, b, "better" if figure == BITS else "shorter", winner


def same(text, a, b):
    return BITS, text, a, b, "same", None


def little(text, a, b):
    return BITS, text, a, b, "too little text", None


CASES = {
    "one text": (["a", "b"], [better("en", "b", "a")], "b", "predicts better than a in 1 of 1 text (2 % fewer bits"),
    "one of two texts": (["a", "b"], [better("en", "b", "a"), same("de", "a", "b")], "b", "in 1 of 2 texts"),
    "one each": (["a", "b"], [better("en", "b", "a"), better("de", "a", "b")], None, "a is ahead of b in de"),
    "open": (["a", "b"], [(BITS, "en", "a", "b", "undecided", None)], None, "Cannot tell which of a and b"),
    "same": (["a", "b"], [same("en", "a", "b")], None, "Take any of a and b"),
    "same, fewer tokens": (["a", "b"], [same("en", "a", "b"), better("en", "a", "b", TOKENS)], "a", "fewest tokens"),
    "only tokens are known": (
        ["a", "b"], [little("en", "a", "b"), better("en", "a", "b", TOKENS)], None,
        "give about 2 times as much held-out text of en",
    ),
    "too few documents": (["a", "b"], [(BITS, "en", "a", "b", "too few documents", None)], None, "about 100 or more"),
    "a chain": (["a", "b", "c"], [better("en", "c", "b"), better("en", "b", "a")], "c", "no other is ahead of it"),
    "of three": (
        ["a", "b", "c"], [better("en", "c", "b"), better("en", "c", "a"), better("en", "b", "a")], "c",
        "than a in 1 of 1 text (2 % fewer bits per byte), and than b",
    ),
    "two ahead": (
        ["a", "b", "c"], [better("en", "c", "a"), better("en", "b", "a"), better("en", "b", "c", TOKENS)], "b",
        "b and c cannot be told apart",
    ),
    "one is behind": (
        ["a", "b", "c"], [better("th", "b", "a"), better("en", "c", "a")], None,
        "which of b and c is better. a is worse on th and en.",
    ),
    "a circle": (
        ["a", "b", "c"], [better("x", "a", "b"), better("x", "b", "c"), better("x", "c", "a")], None, "None is best",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_choice(case):
    names, rows, best, words = CASES[case]
    found = Ranking(audited(names, rows))
    assert found.choice.best == best
    assert words in found.choice.sentence
    assert found.choice.sentence.startswith("Take") or best is None
    if best is not None:
        assert found.order[0] == best


def test_lossy_tokenizers_are_out():
    rows = [(BITS, "en", "a", "b", "loses text", "a")]
    found = Ranking(audited(["a", "b"], rows, lost=["a"]))
    assert found.choice.best == "b"
    assert [one.words for _, row in found.rows() for one in row] == ["alone keeps it", "loses text"]
    assert Ranking(audited(["a", "b"], rows, lost=["a", "b"])).choice.best is None
    three = [
        (BITS, "en", "a", "b", "loses text", "a"),
        (BITS, "en", "a", "c", "loses text", "a"),
        better("en", "c", "b"),
    ]
    found = Ranking(audited(["a", "b", "c"], three, lost=["a"]))
    assert (found.choice.best, found.order) == ("c", ["c", "b", "a"])
    assert found.choice.sentence.endswith("a loses text.")


def test_the_mixture_decides():
    rows = [better("mixture", "b", "a"), better("en", "a", "b")]
    assert Ranking(audited(["a", "b"], rows)).choice.best is None
    found = Ranking(audited(["a", "b"], rows, is_mixed=True))
    assert (found.choice.best, found.texts) == ("b", ["mixture", "en"])
    assert "on the mixture" in found.choice.sentence


def test_standings_and_legend():
    rows = [
        better("en", "c", "a"), better("en", "b", "a"), better("en", "b", "c"), better("de", "b", "a"),
        same("fr", "a", "b"), same("fr", "a", "c"), same("fr", "b", "c"),
        little("it", "a", "c"), little("it", "b", "c"), better("it", "a", "b"),
    ]  # fmt: skip
    found = Ranking(audited(["a", "b", "c"], rows))
    words = {text: dict(zip(found.order, [one.words for one in row], strict=True)) for text, row in found.rows()}
    assert words == {
        "en": {"a": "2 % worse", "b": "best", "c": "2 % worse"},
        "de": {"a": "2 % worse", "b": "among best", "c": "cannot tell"},
        "fr": dict.fromkeys("abc", "no difference"),
        "it": {"a": "best judged", "b": "2 % worse", "c": "too little text"},
    }
    for word in ("best", "among best", "best judged", "cannot tell", "no difference", "too little text"):
        assert f"; {word}: " in found.legend()
    assert listed(["a"]) == "a"


@pytest.fixture(scope="module")
def novels(shared_data):
    path = shared_data / "corpora" / "en-novels.txt"
    if not path.is_file():
        pytest.skip(f"no text at {path}")
    lines = path.read_text(encoding="utf-8").splitlines()
    random.Random(1).shuffle(lines)
    return lines


@pytest.mark.slow
@pytest.mark.long_input
def test_equal_models_have_no_winner(novels):
    """Two models of two random parts of one text, judged on a third: in 95 % of the splits or more, none is named."""
    rng = random.Random(2)
    named = 0
    for _ in range(SPLITS):
        lines = rng.sample(novels, 9000)
        models = [
            spm_lite.train(part, vocab_size=800, model_type="bpe", num_threads=1)
            for part in (lines[:2500], lines[2500:5000])
        ]
        named += spm_lite.audit(models, lines[5000:]).best is not None
    assert named <= MISSES


@pytest.mark.slow
@pytest.mark.long_input
def test_a_model_that_is_better_by_two_percent_is_named(novels):
    """Of samples of 1 MB, 95 % or more name the model that needs 2 % fewer bits per byte on all of the text."""
    rng = random.Random(3)
    learned, others = novels[:8000], novels[8000:]
    models = {size: spm_lite.train(learned, vocab_size=size, model_type="bpe") for size in (2000, 2550)}
    both = {str(size): model for size, model in models.items()}
    whole = spm_lite.audit(both, others[:30000]).verdicts[0]
    assert whole.relative == pytest.approx(0.02, abs=0.002)
    found = []
    for _ in range(SPLITS):
        sample = rng.choices(others, k=12000)
        n_bytes = list(accumulate(len(line.encode()) for line in sample))
        found.append(spm_lite.audit(both, sample[: bisect(n_bytes, 1_000_000)]).best)
    assert found.count("2550") >= SPLITS - MISSES
    assert "2000" not in found
