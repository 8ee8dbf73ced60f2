"""What a fair training takes, and what it says to the rest: each message names the option, and each remedy works."""

import pytest

import spm_lite
from spm_lite import ArgumentTypeError, OptionError, TrainingError
from spm_lite.training.balance.fairness_options import AskedFairness, ParityOptions, as_fairness, check_type
from spm_lite.training.options.checks import check_options

TEXTS = {"en": ["the mill turns the wheel"] * 9, "de": ["die Mühle dreht das Rad"] * 9}
DEV = {"en": ["the mill", "a wheel"], "de": ["die Mühle", "ein Rad"]}
FAIR = {"balance": "tokens", "parallel": DEV}
SIZE = {"vocab_size": 300, "hard_vocab_limit": False}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"balance": "bytes"}, OptionError, "balance='bytes': must be 'tokens' or None"),
        ({"balance": "parity"}, OptionError, "objective='parity' is an option of its own"),
        ({"balance": "tokens"}, OptionError, "give parallel=.* or targets="),
        ({"objective": "parity", "model_type": "bpe"}, OptionError, "give parallel=.* or targets="),
        ({**FAIR, "objective": "parity"}, OptionError, "two ways to the same"),
        ({"parallel": DEV}, OptionError, "give balance='tokens' or objective='parity' too"),
        ({"parity": {"window": 3}}, OptionError, "give objective='parity' too, or leave parity out"),
        ({"price": 0.1}, OptionError, "price=0.1 is for a training that is fair"),
        ({**FAIR, "weights": {"en": 1, "de": 1}}, OptionError, "weights and balance='tokens' both decide"),
        ({**FAIR, "temperature": 0.5}, OptionError, "temperature and balance='tokens' both decide"),
        ({"balance": "tokens", "parallel": {"en": ["a"]}}, OptionError, "one language, 'en'"),
        ({"balance": "tokens", "parallel": {**DEV, "fr": ["a"]}}, OptionError, "names 'fr', which is no source"),
        ({"balance": "tokens", "parallel": ["a"]}, ArgumentTypeError, "parallel is list: pass a dict"),
        ({"balance": "tokens", "parallel": {**DEV, "de": 3}}, ArgumentTypeError, "parallel, 'de'"),
        ({**FAIR, "parallel": {**DEV, "de": ["a"]}}, OptionError, "'en' has 2 and 'de' has 1"),
        ({**FAIR, "parallel": {**DEV, "de": ["a", "b", "c"]}}, OptionError, "'en' has 2 and 'de' has 3"),
        ({**FAIR, "parallel": {"en": ["", "a"], "de": ["b", " "]}}, TrainingError, "no line to measure costs on"),
        ({**FAIR, "parallel": {"en": [], "de": []}}, TrainingError, "no line to measure costs on"),
        ({**FAIR, "targets": {"fr": 3}}, OptionError, "targets names 'fr'"),
        ({**FAIR, "targets": {}}, OptionError, "targets is empty"),
        ({**FAIR, "targets": {"en": 0}}, OptionError, "the target of 'en' is 0 bytes_per_token: must be 0.001"),
        ({**FAIR, "targets": {"en": float("nan")}}, OptionError, "is nan bytes_per_token: must be 0.001..1,000,000,"),
        ({**FAIR, "targets": {"en": 5e-324}}, OptionError, "must be 0.001"),
        ({**FAIR, "targets": {"en": 10**400}}, OptionError, "is a number of more than 300 digits bytes_per_token"),
        ({**FAIR, "targets": {"en": "3"}}, ArgumentTypeError, "the target of 'en' is str"),
        ({**FAIR, "targets": {"en": 17}, "target_unit": "characters_per_token"}, OptionError, "has at most"),
        ({**FAIR, "targets": {"en": 3}, "target_unit": "words"}, OptionError, "target_unit='words': must be one of"),
        ({**FAIR, "target_unit": "tokens_per_line"}, OptionError, "there are none: leave it out"),
        (
            {"balance": "tokens", "targets": {"de": 3}, "parallel": {"en": ["a"]}},
            OptionError,
            "'de' has a target but no text in parallel",
        ),
        ({**FAIR, "price": -0.1}, OptionError, "price=-0.1: must be 0 or more"),
        ({**FAIR, "price": float("nan")}, OptionError, "price=nan: must be 0 or more"),
        ({**FAIR, "price": "2%"}, ArgumentTypeError, "price is str"),
        ({**FAIR, "parity": {"window": 3}}, OptionError, "parity= is for objective='parity'"),
        ({**FAIR, "model_type": "word", "vocab_size": "all", "hard_vocab_limit": True}, OptionError, "='all'"),
        ({**FAIR, "checkpoint": "x"}, OptionError, "checkpoint and several sources"),
        ({**FAIR, "reference_rules": True}, OptionError, "several sources and reference_rules"),
    ],
)  # fmt: skip
def test_mistakes(arguments, error, message):
    with pytest.raises(error, match=message) as found:
        spm_lite.train(TEXTS, **{**SIZE, **arguments})
    for remedy in found.value.remedies:
        changed = {**SIZE, **arguments, **remedy}
        if changed.get("objective") == "parity":
            continue
        try:
            spm_lite.train(TEXTS, **changed)
        except (OptionError, TrainingError) as other:
            assert str(other) != str(found.value)


@pytest.mark.parametrize("option", [{"balance": "tokens"}, {"objective": "parity"}, {"parallel": DEV}, {"targets": {}}])
def test_one_text_is_no_several(option):
    with pytest.raises(OptionError, match="is for several sources: name each"):
        spm_lite.train(TEXTS["en"], model_type="bpe", **SIZE, **option)


def test_other_calls_do_not_take_them():
    with pytest.raises(OptionError, match="balance is an option of train that this function does not have"):
        spm_lite.CountTable.count(TEXTS["en"], balance="tokens")


@pytest.mark.parametrize(
    ("parity", "error", "message"),
    [
        ({"windows": 3}, OptionError, "did you mean 'window'"),
        ({"window": -1}, OptionError, "window=-1 of parity: must be 0"),
        ({"window": 10**7}, OptionError, "window=10000000 of parity: must be 0..1,000,000"),
        ({"window": 1.5}, ArgumentTypeError, "window of parity is an integer"),
        ({"alpha": 0.5}, OptionError, "alpha=0.5 of parity: must be 1"),
        ({"floor": 1.5}, OptionError, "floor=1.5 of parity: must be 0"),
        ({"floor": "1"}, ArgumentTypeError, "floor of parity is str"),
        ({"global_merges": True}, ArgumentTypeError, "global_merges of parity is bool"),
        (3, ArgumentTypeError, "parity is int: pass a dict"),
    ],
)
def test_mistakes_in_the_options_of_parity(parity, error, message):
    with pytest.raises(error, match=message):
        spm_lite.train(TEXTS, model_type="bpe", objective="parity", parallel=DEV, parity=parity, **SIZE)


def test_parity_is_for_merges():
    arguments = {"objective": "parity", "parallel": DEV, **SIZE}
    for model_type in ("unigram", "wordpiece", "word", "char"):
        with pytest.raises(OptionError, match=f"objective='parity' and model_type='{model_type}'") as found:
            spm_lite.train(TEXTS, model_type=model_type, **arguments)
        *_, instead = found.value.remedies
        assert spm_lite.train(TEXTS, model_type=model_type, **{**arguments, **instead}).report.balance is not None


def test_what_is_asked_for():
    asked = AskedFairness(parallel=DEV, parity={"alpha": 3, "global_merges": 5}, is_parity=True)
    found = as_fairness(asked, TEXTS, {"weights": None}, lambda texts: texts)
    assert found.parity == ParityOptions(100, 3.0, 0.0, 5)
    assert found.price == float("inf")
    check_type(found, check_options(vocab_size=300, model_type="byte_bpe").trainer)
    assert as_fairness(AskedFairness(), TEXTS, {}, lambda texts: texts) is None
    assert as_fairness(AskedFairness("tokens", DEV), TEXTS, {}, lambda texts: texts).price == 0.02
    for price in (10**400, float("inf")):
        assert as_fairness(AskedFairness("tokens", DEV, price=price), TEXTS, {}, lambda texts: texts).price == float(
            "inf"
        )
