"""Fair shares against the naive loop; targets; warnings; the same model however the text comes."""

import random

import pytest
from oracle import weight_loop as naive
from oracle.slow import slow_after
from oracle.small_models import HARD

import spm_lite
from spm_lite import CountTable, OptionError, TrainingError
from spm_lite.training.balance.costs import training_tokens
from spm_lite.training.balance.weight_loop import MOST_TRAININGS
from spm_lite.training.weighted_sources import CountedSources

SPELLINGS = {"plain": "abcdefg", "wide": "あいうえおかき", "mixed": "aébcさ가นิ"}


def language(rng: random.Random, letters: str, n_words: int) -> list[str]:
    """Lines of words of some letters; a word that comes early in the list is frequent."""
    words = ["".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(n_words)]
    weights = [1 / rank for rank in range(1, n_words + 1)]
    return [" ".join(rng.choices(words, weights, k=rng.randrange(3, 12))) for _ in range(160)]


def corpora(seed: int) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Training texts of three languages and of code, and dev texts of the languages."""
    rng = random.Random(seed)
    texts = {name: language(rng, letters, 30 * 4**k) for k, (name, letters) in enumerate(SPELLINGS.items())}
    dev = {name: lines[:40] for name, lines in texts.items()}
    dev["wide"][rng.randrange(40)] = " "
    texts = {name: lines[40:] for name, lines in texts.items()}
    return texts | {"code": ["def f(x): return x + 1", *HARD]}, dev


def options_of(model_type: str) -> dict[str, object]:
    size = 90 if model_type == "char" else 460
    fallback = {} if model_type in ("byte_bpe", "wordpiece") else {"byte_fallback": model_type != "char"}
    return {"model_type": model_type, "vocab_size": size, "hard_vocab_limit": False, **fallback}


TYPES = ["bpe", "unigram", "byte_bpe", "wordpiece", "word", "char"]
CASES = [(kind, seed, price) for seed, price in enumerate(("0.02", "0", "0.005", "1")) for kind in TYPES]


@pytest.mark.parametrize(("model_type", "seed", "price"), slow_after(8, CASES, are_rows=True))
def test_the_naive_loop_finds_the_same(model_type, seed, price):
    texts, dev = corpora(seed)
    options = options_of(model_type)
    weights, model, totals = naive.balanced(texts, dev, price, **options)
    tok = spm_lite.train(texts, balance="tokens", parallel=dev, price=float(price), **options)
    found = tok.report.balance
    assert found.weights == weights
    assert tok.to_bytes() == model == spm_lite.train(texts, weights=weights, **options).to_bytes()
    assert [one.total for one in found.rounds] == totals
    assert found.gini_after <= found.gini_before
    assert found.total_after <= found.total_before * (1 + float(price))
    assert len(totals) <= MOST_TRAININGS


def test_the_loop_makes_languages_alike():
    texts, dev = corpora(5)
    report = spm_lite.train(texts, balance="tokens", parallel=dev, price=1, **options_of("bpe")).report
    assert report.balance.gini_after < 0.5 * report.balance.gini_before
    plain = spm_lite.train(texts, **options_of("bpe")).report
    assert report.sources["code"].share == pytest.approx(plain.sources["code"].share, rel=0.02)  # it has no dev text
    assert "Gini" in str(report)


@pytest.mark.parametrize("model_type", slow_after(2, ["byte_bpe", "unigram", "bpe", "wordpiece"]))
def test_the_same_model_in_any_form(tmp_path, model_type):
    """Each text is read once: an iterator gives it no second time."""
    texts, dev = corpora(1)
    options = options_of(model_type)
    (tmp_path / "dev.txt").write_text("\n".join(dev["wide"]) + "\n", encoding="utf-8")
    forms = [
        ({**texts}, {**dev}, {"num_threads": 1}),
        (
            {name: iter(lines) for name, lines in texts.items()},
            {**dev, "wide": tmp_path / "dev.txt"},
            {"num_threads": 3},
        ),
        ({**texts}, {name: iter(lines) for name, lines in dev.items()}, {"memory_limit": "1GB"}),
    ]
    models = {
        spm_lite.train(given, balance="tokens", parallel=lines, **options, **more).to_bytes()
        for given, lines, more in forms
    }
    assert len(models) == 1


def test_count_tables():
    texts, dev = corpora(2)
    options = options_of("bpe")
    tables = {name: CountTable.count(lines, model_type="bpe") for name, lines in texts.items()}
    tok = spm_lite.train(tables, balance="tokens", parallel=dev, **options)
    assert tok.to_bytes() == spm_lite.train(tables, weights=tok.report.balance.weights, **options).to_bytes()
    with pytest.raises(OptionError, match="no longer has lines"):
        spm_lite.train(tables, balance="tokens", targets={"wide": 2}, target_unit="tokens_per_line", **options)


@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe", "unigram", "word", "char"])
def test_tokens_of_the_training_text(model_type):
    """They are those of the lines, though only the chunks are there."""
    texts, _ = corpora(3)
    options = options_of(model_type) | ({"byte_fallback": False, "lossless": False} if model_type == "char" else {})
    tok = spm_lite.train(texts["mixed"], **options)
    table = CountTable.count(texts["mixed"], model_type=model_type).chunks
    counted = CountedSources({"mixed": lambda: table}, {}, {}, {})
    assert training_tokens(tok, counted, 2) == {"mixed": sum(map(len, tok.encode_batch(texts["mixed"])))}


def test_targets():
    texts, dev = corpora(4)
    options = options_of("bpe")
    plain = spm_lite.train(texts, **options)
    n_bytes = sum(len(line.encode()) for line in dev["wide"] if line.strip())
    rate = n_bytes / sum(len(plain.encode(line)) for line in dev["wide"] if line.strip())
    tok = spm_lite.train(texts, balance="tokens", parallel=dev, targets={"wide": rate * 1.1}, **options)
    row = tok.report.balance.languages["wide"]
    assert row.tokens_after <= row.target == pytest.approx(n_bytes / (rate * 1.1))
    assert tok.report.balance.stopped_by == "the targets are reached"
    same = spm_lite.train(texts, balance="tokens", parallel=dev, targets={"wide": rate * 0.9}, **options)
    assert same.to_bytes() == plain.to_bytes()  # it is reached before


def test_targets_without_dev_text():
    texts, _ = corpora(4)
    targets = {"plain": 2.0, "wide": 4.0}
    tok = spm_lite.train(texts, balance="tokens", targets=targets, **options_of("bpe"))
    for name, target in targets.items():
        n_bytes = sum(len(text.encode()) for text in texts[name])
        assert n_bytes / sum(map(len, tok.encode_batch(texts[name]))) >= target
    assert tok.report.balance.warnings == ()


def test_targets_that_a_larger_size_reaches():
    texts, dev = corpora(4)
    targets = {"wide": 11, "plain": 4.4, "mixed": 3}
    arguments = {"balance": "tokens", "parallel": dev, "targets": targets}
    with pytest.raises(TrainingError, match=r"not reached with vocab_size=460: the best weights give") as error:
        spm_lite.train(texts, **arguments, **options_of("bpe"))
    (remedy,) = error.value.remedies
    report = spm_lite.train(texts, **arguments, **(options_of("bpe") | remedy)).report
    assert report.balance.stopped_by == "the targets are reached"
    with pytest.raises(TrainingError, match="Nor are they with 920 and 1,840") as error:
        spm_lite.train(texts, balance="tokens", parallel=dev, targets={"wide": 99}, **options_of("bpe"))
    assert not error.value.remedies
    with pytest.raises(TrainingError, match=r"ended by: the price of 0.0%.* Leave out price") as error:
        spm_lite.train(texts, **arguments, price=0, **options_of("bpe"))
    assert error.value.remedies == ({"price": None},)


def test_a_language_whose_dev_text_differs_is_named(caplog):
    texts, dev = corpora(6)
    calm = spm_lite.train(texts, balance="tokens", parallel=dev, **options_of("bpe")).report.balance
    assert calm.warnings == ()
    dev["plain"] = [line.translate(str.maketrans("abcdefg", "gfedcba")) for line in dev["plain"]]
    found = spm_lite.train(texts, balance="tokens", parallel=dev, **options_of("bpe")).report.balance
    assert [warning.partition(":")[0] for warning in found.warnings] == ["plain"]
    assert "warning: plain" in str(found)
    assert caplog.messages == [*found.warnings]


def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    texts, dev = corpora(0)
    seen = []

    def stop(progress):
        seen.append(progress.phase)
        if len(seen) > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spm_lite.train(
            texts, balance="tokens", parallel=dev, price=1, memory_limit="1GB", progress=stop, **options_of("bpe")
        )
    assert not any(tmp_path.iterdir())
