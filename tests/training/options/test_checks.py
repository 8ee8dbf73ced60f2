"""Options: spelling, types, ranges, contradictions."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spm_lite.errors import ArgumentTypeError, FileError, MissingFileError, OptionError
from spm_lite.normalize.rules.rule_sets import RULE_SETS, UNICODE_FORMS
from spm_lite.training.options.checks import NORMALIZER_OPTIONS, TRAINER_FIELDS, check_flags, check_options
from spm_lite.training.options.other_names import OLD_OPTIONS
from spm_lite.training.run import train


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocabsize": 10}, r"no option 'vocabsize' \(did you mean 'vocab_size'\?\); see"),
        ({"vocab_size": 10, "frobnicate": 1}, "no option 'frobnicate'; see"),
        ({"normalisation": "nfkc"}, "did you mean 'normalization'"),
        ({"model_type": "bqe"}, "did you mean 'bpe'"),
        ({"model_type": "BPE"}, "did you mean 'bpe'"),
        ({"model_type": "sentences"}, "model_type='sentences': must be one of unigram"),
        ({"vocab_size": 0}, "vocab_size=0: must be 1..2147483647"),
        ({"character_coverage": 0.9}, "character_coverage=0.9: must be 0.98..1.0"),
        ({"character_coverage": float("nan")}, "character_coverage=nan"),
        ({"max_sentencepiece_length": 513}, "max_sentencepiece_length=513: must be 1..512"),
        ({"max_sentence_length": 9}, "max_sentence_length=9: must be 10..1073741824"),
        ({"input_sentence_size": 100}, "input_sentence_size=100: must be 0"),
        ({"shrinking_factor": 0.4}, "shrinking_factor=0.4: must be 0.5..0.95"),
        ({"num_sub_iterations": 11}, "num_sub_iterations=11"),
        ({"pad_id": -2}, "pad_id=-2: must be -1"),
        ({"unk_piece": ""}, "unk_piece='': must not be empty"),
        ({"required_chars": "a\ud800"}, "lone surrogate at position 1"),
        ({"normalization": "nkfc"}, 'did you mean "nfkc"'),
        ({"escape_whitespaces": False}, "escape_whitespaces=False"),
        ({"use_all_vocab": True}, "vocab_size='all' and model_type='unigram'"),
        (
            {"model_type": "word", "pretokenization_delimiter": "|"},
            "pretokenization_delimiter='|' and model_type='word'",
        ),
        ({"auto_character_coverage": True}, "character_coverage='auto' and model_type='unigram'"),
        (
            {"auto_character_coverage": True, "model_type": "bpe", "byte_fallback": False},
            "='auto' requires byte_fallback=True",
        ),
        ({"auto_character_coverage": True, "model_type": "bpe", "required_chars": "a"}, "required_chars='a'"),
        ({"lossless": True, "normalization": "nfkc"}, r"lossless=True contradicts normalization \(nfkc\)"),
        ({"lossless": True, "remove_extra_whitespaces": True}, "contradicts remove_extra_whitespaces=True"),
        ({"lossless": True, "byte_fallback": False}, "contradicts byte_fallback=False"),
        ({"lossless": "strict", "user_defined_symbols": ["\u2581a"]}, "contradicts the symbol '\u2581a'"),
        ({"lossless": True, "control_symbols": ["\u2581a"]}, "contradicts the symbol '\u2581a'"),
        ({"lossless": True, "model_type": "word"}, "contradicts model_type='word'"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check_options(**{"vocab_size": 1000, **options})


@pytest.mark.parametrize(
    "options",
    [
        {"vocab_size": "10"},
        {"vocab_size": True},
        {"vocab_size": 10.0},
        {"byte_fallback": 1},
        {"control_symbols": "a,b"},
        {"control_symbols": ["a", ""]},
        {"control_symbols": [b"a"]},
        {"lossless": "yes"},
        {"normalization": 3},
    ],
)
def test_wrong_types(options: dict[str, Any]) -> None:
    with pytest.raises(ArgumentTypeError, match=next(iter(options))):
        check_options(**{"vocab_size": 1000, **options})


def test_numbers_of_other_libraries() -> None:
    found = check_options(vocab_size=np.int64(1000), character_coverage=np.float32(0.99), unk_id=np.uint8(0)).trainer
    assert [type(value) for value in (found.vocab_size, found.character_coverage, found.unk_id)] == [int, float, int]
    assert found.character_coverage == pytest.approx(0.99)
    for options in ({"vocab_size": np.float64(1000)}, {"vocab_size": np.bool_(True)}, {"byte_fallback": np.int8(1)}):
        with pytest.raises(ArgumentTypeError, match=next(iter(options))):
            check_options(**{"vocab_size": 1000, **options})


def test_vocab_size_is_required() -> None:
    with pytest.raises(OptionError, match="vocab_size must be given"):
        check_options()


def test_lossless_by_default() -> None:
    options = check_options(vocab_size=1000)
    assert options.trainer.lossless
    assert options.notes == ()
    assert not options.normalizer.remove_extra_whitespaces


def test_lossless_gives_way() -> None:
    options = check_options("nmt_nfkc", vocab_size=1000)
    assert not options.trainer.lossless
    assert options.normalizer.remove_extra_whitespaces
    assert "normalization (nmt_nfkc)" in options.notes[0]
    assert not check_options(
        "nmt_nfkc", vocab_size=9, remove_extra_whitespaces=False
    ).normalizer.remove_extra_whitespaces
    assert check_options(lossless=False, vocab_size=9).notes == ()


@pytest.mark.parametrize("name", RULE_SETS)
def test_what_each_rule_set_loses(name: str) -> None:
    """Spaces stay where the rules only choose among spellings that Unicode calls equivalent."""
    options = check_options(name, vocab_size=1000)
    form = UNICODE_FORMS.get(name, "")
    assert options.normalizer.unicode_form == form
    assert bool(options.normalizer.precompiled_charsmap) == (not form and name != "identity")
    name = name.removesuffix("_rules")  # sentencepiece knows the rules by the name of the form
    assert options.normalizer.name == name
    assert options.trainer.lossless == (name == "identity")
    assert options.normalizer.remove_extra_whitespaces == (name not in ("identity", "nfc", "nfd", "nfc_cf", "nfd_cf"))
    if name != "identity":
        assert f"not lossless, because of normalization ({name})" in options.notes[0]
        with pytest.raises(OptionError, match=rf"lossless=True contradicts normalization \({name}\)"):
            check_options(name, vocab_size=1000, lossless=True)


@pytest.mark.parametrize("option", ["normalization", "denormalization"])
@pytest.mark.parametrize(("given", "near"), [("NFC", "nfc"), ("nfc ", "nfc"), ("nfck", "nfkc"), ("nmt", "nmt_nfkc")])
def test_a_misspelled_rule_set(option: str, given: str, near: str) -> None:
    with pytest.raises(OptionError) as caught:
        check_options(**{option: given}, vocab_size=1000)  # type: ignore[arg-type]
    assert f'unknown {option} "{given}": did you mean "{near}"? It {RULE_SETS[near]}. ' in str(caught.value)


def test_rules(tmp_path: Path) -> None:
    table = tmp_path / "rules.tsv"
    table.write_text("41\t61\n")
    from_pairs = check_options([("A", "a")], vocab_size=9).normalizer
    assert from_pairs.name == "user_defined"
    assert from_pairs.precompiled_charsmap
    for rules in ({"A": "a"}, table, str(table)):
        assert check_options(rules, vocab_size=9).normalizer == from_pairs
    with pytest.raises(MissingFileError, match="missing"):
        check_options(str(tmp_path / "missing.tsv"), vocab_size=9)


def test_denormalization() -> None:
    options = check_options("identity", [("a", "A")], vocab_size=9)
    assert options.denormalizer is not None
    assert not options.denormalizer.add_dummy_prefix
    assert not options.trainer.lossless


@pytest.mark.parametrize("option", ["normalization", "denormalization"])
@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        (3, ArgumentTypeError, "=3: must be a name"),
        (b"x", ArgumentTypeError, "=b'x': must be a name"),
        ([1], ArgumentTypeError, " rule 0 is 1: must be a pair"),
        ([("a", "b"), ("a",)], ArgumentTypeError, r" rule 1 is \('a',\): must be a pair"),
        (["ab"], ArgumentTypeError, " rule 0 is 'ab': must be a pair"),
        ({"a": 1}, ArgumentTypeError, r" rule 0 is \('a', 1\): must be a pair"),
        ({b"a": "b"}, ArgumentTypeError, " rule 0 is"),
        ("x" * 5000, OptionError, 'unknown .* "x{80}": There are identity'),
        ("a\0b", OptionError, "unknown .*There are identity"),
        ("", OptionError, "unknown .*There are identity"),
        ("\ud800", OptionError, "unknown .*There are identity"),
        (Path("a\0b"), FileError, " rules cannot be read: embedded null"),
        (Path("none"), MissingFileError, " rules cannot be read: No such file"),
        ("/none/none", MissingFileError, ": no file"),
        ({}, OptionError, ": .*none is given"),
        ({"": "a"}, OptionError, " rule .*cannot be empty"),
        ({"a" * size: "x" for size in range(1, 33)}, OptionError, ": 32 normalization rules"),
    ],
)
def test_wrong_rules(option: str, rules: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        check_options(vocab_size=1000, **{option: rules})
    assert re.search(rf"\b{option}\b", str(caught.value))
    assert len(str(caught.value)) < 500


def test_a_wrong_table_names_the_option(tmp_path: Path) -> None:
    table = tmp_path / "rules.tsv"
    table.write_text("41\t4G\n")
    with pytest.raises(OptionError, match=r"^denormalization rules in .*rules\.tsv, line 1: "):
        check_options(denormalization=table, vocab_size=1000)


@pytest.mark.parametrize("value", [1, "yes", None])
def test_flags(value: Any) -> None:
    check_flags(keep_newlines=True, reference_rules=False)
    with pytest.raises(ArgumentTypeError, match=f"reference_rules={value!r}: must be bool"):
        check_flags(keep_newlines=True, reference_rules=value)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"user_defined_symbols": ["a\0b"]}, "U\\+0000"),
        ({"control_symbols": ["x" * 8000]}, "8000 bytes: 7999"),
        ({"bos_piece": ""}, "must not be empty"),
        ({"eos_piece": "é" * 4000}, "8000 bytes"),
    ],
)
def test_texts_that_no_piece_can_have(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        check_options(vocab_size=300, **options)


def test_a_symbol_with_a_space_is_noted() -> None:
    assert "New▁York" in check_options(vocab_size=300, user_defined_symbols=["New York"]).notes[0]


def test_choices():
    with pytest.raises(OptionError, match=r"seed_source='bqe' \(did you mean 'bpe'\?\)"):
        check_options(vocab_size=300, seed_source="bqe")
    with pytest.raises(OptionError, match="prune='all': must be one of loss"):
        check_options(vocab_size=300, prune="all")
    with pytest.raises(OptionError, match="prune='top' and model_type='bpe': only unigram"):
        check_options(vocab_size=300, prune="top", model_type="bpe")
    assert check_options(vocab_size=300, prune="loss", model_type="bpe").trainer.prune == "loss"


def test_help_names_every_option() -> None:
    words = set(re.findall(r"\w+", train.__doc__ or ""))
    assert not {*TRAINER_FIELDS, *NORMALIZER_OPTIONS} - words - OLD_OPTIONS.keys()
