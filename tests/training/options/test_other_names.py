"""Options of other libraries: the pointers name options that are there, and following them works."""

import inspect
import re

import pytest

import spm_lite
from spm_lite.cli.commands.train_command import make_parser
from spm_lite.normalize.rules.named_rules import RULE_SETS
from spm_lite.sentencepiece.trainer_flags import read_options
from spm_lite.specs import ReadOptions
from spm_lite.training.options.checks import NORMALIZER_OPTIONS, OTHER_ARGUMENTS, TRAINER_FIELDS
from spm_lite.training.options.other_names import COMMAND_ONLY, NATIVE_ONLY, OLD_OPTIONS, OTHER_LIBRARIES, pointer

TEXTS = ["the mill turns all day", "a pen is in the mill"] * 20
FOLLOWED = {  # name -> options that the pointer names, as a user follows it
    "special_tokens": {"user_defined_symbols": ["[MASK]"], "control_symbols": ["<sep>"], "unk_piece": "U", "pad_id": 3},
    "added_tokens": {"user_defined_symbols": ["[MASK]"], "control_symbols": ["<sep>"]},
    "unk_token": {"unk_piece": "[UNK]"},
    "bos_token": {"bos_piece": "[BOS]"},
    "eos_token": {"eos_piece": "[EOS]"},
    "pad_token": {"pad_piece": "[PAD]", "pad_id": 3},
    "cls_token": {"control_symbols": ["[CLS]"]},
    "sep_token": {"control_symbols": ["[SEP]"]},
    "mask_token": {"control_symbols": ["[MASK]"]},
    "limit_alphabet": {"character_coverage": 0.99},
    "coverage": {"character_coverage": 0.99},
    "initial_alphabet": {"required_chars": "xyz"},
    "min_frequency": {"min_count": 2},
    "min_freq": {"min_count": 2},
    "max_token_length": {"max_sentencepiece_length": 8},
    "max_piece_length": {"max_sentencepiece_length": 8},
    "n_threads": {"num_threads": 1},
    "num_workers": {"num_threads": 1},
    "n_vocab": {"vocab_size": 300},
    "num_merges": {"vocab_size": 290},
    "num_symbols": {"vocab_size": 290},
    "continuing_subword_prefix": {},
    "end_of_word_suffix": {"treat_whitespace_as_suffix": True},
    "lowercase": {"normalization": "nfkc_cf"},
    "normalization_rule_name": {"normalization": "nmt_nfkc"},
    "random_seed": {"seed": 7},
    "training_sentence_size": {"input_sentence_size": 101},
    "whole_files": {"separator": None},
    "strict_lossless": {"lossless": "strict"},
    "as_text": {"input_format": "text"},
    "required_chars_file": {"required_chars": "xyz"},
    "control_symbols_file": {"control_symbols": ["<sep>"]},
    "user_defined_symbols_file": {"user_defined_symbols": ["[MASK]"]},
    "no_byte_fallback": {"byte_fallback": False},
    "no_split_digits": {"split_digits": False},
    "no_lossless": {"lossless": False},
}
OTHERS = {**OTHER_LIBRARIES, **NATIVE_ONLY, **COMMAND_ONLY}


@pytest.mark.parametrize("name", OTHERS)
def test_what_a_pointer_names_is_there(name):
    fields = {*TRAINER_FIELDS, *NORMALIZER_OPTIONS, *OTHER_ARGUMENTS}
    assert name not in fields
    if "leave it out" not in OTHERS[name] and "argument" not in OTHERS[name]:
        assert fields & set(re.findall(r"\w+", OTHERS[name]))
    for written in re.findall(r"\b[a-z]+_[a-z_]+\b", OTHERS[name]):
        known = written in fields or written in RULE_SETS or written == "spm_lite"
        assert known or hasattr(spm_lite.Tokenizer, written), written


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_pointer_leads_on(name):
    with pytest.raises(spm_lite.OptionError, match=f"there is no option {name!r}: ") as caught:
        spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False, **{name: 1})
    options = {"vocab_size": 300, "hard_vocab_limit": False, **FOLLOWED[name]}
    assert all(option in str(caught.value) for option in FOLLOWED[name])
    assert spm_lite.train(TEXTS, **options).vocab_size


def test_arguments_of_train_that_counting_does_not_have():
    with pytest.raises(spm_lite.OptionError, match=r"checkpoint is an option of train .* leave it out here"):
        spm_lite.CountTable.count(TEXTS, checkpoint="states")


@pytest.mark.parametrize("name", OTHER_LIBRARIES)
def test_the_trainer_of_the_drop_in_points_too(name):
    with pytest.raises(RuntimeError, match=f'unknown field name "{name}" in TrainerSpec. (Use|Leave) '):
        read_options({name: "1"})
    for option in FOLLOWED[name]:
        read_options({option: "1"})


@pytest.mark.parametrize("name", ["foo", "x", "normalisation_rules_of_mine", ""])
def test_the_trainer_of_the_drop_in_does_not_guess(name):
    with pytest.raises(RuntimeError, match=f'unknown field name "{name}" in TrainerSpec.$'):
        read_options({name: "1"})


def test_every_option_of_the_command_is_one_of_train_or_has_its_form_there():
    names = {
        flag.lstrip("-").replace("-", "_")
        for action in make_parser()._actions
        for flag in action.option_strings
        if action.dest != "help"
    }
    known = {
        *ReadOptions.__annotations__,
        *TRAINER_FIELDS,
        *NORMALIZER_OPTIONS,
        *OTHER_ARGUMENTS,
        *OLD_OPTIONS,
        *inspect.signature(spm_lite.train).parameters,
    }
    assert [name for name in sorted(names - known) if not pointer(name, known)] == []


def test_no_pointer():
    assert pointer("vocab_size") == pointer("") == ""
