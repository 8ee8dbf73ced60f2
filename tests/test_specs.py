"""The options that type checkers know are those that `train` takes."""

import inspect
from pathlib import Path

import pytest

import spm_lite
from spm_lite.errors import ArgumentTypeError
from spm_lite.specs import CutOptions, ReadOptions, TrainOptions
from spm_lite.training.count_table import CUT_OPTIONS
from spm_lite.training.options.checks import NORMALIZER_OPTIONS, TRAINER_FIELDS
from spm_lite.training.options.other_names import OLD_OPTIONS

LINES = [f"line {n} of a text, {n % 7} and {n * n % 31}" for n in range(300)]


def test_options_for_type_checkers_are_those_of_train():
    arguments = inspect.signature(spm_lite.train).parameters.keys() - {"options"}
    options = {*TRAINER_FIELDS, *NORMALIZER_OPTIONS} - arguments - OLD_OPTIONS.keys()
    assert set(TrainOptions.__annotations__) == {*options, *ReadOptions.__annotations__}
    assert set(CutOptions.__annotations__) == {*CUT_OPTIONS} - OLD_OPTIONS.keys()
    assert len(arguments | TrainOptions.__annotations__.keys()) <= 71


def test_the_form_begins_with_size_and_type():
    for call in (spm_lite.train, spm_lite.CountTable.count, spm_lite.sweep):
        names = [*inspect.signature(call).parameters]
        assert "model_type" in names[:3]
    assert [*inspect.signature(spm_lite.train).parameters][:3] == ["input", "vocab_size", "model_type"]


def test_an_option_without_its_name_is_explained():
    for value, hint in [(8000, "write vocab_size=8000"), ("bpe", "write model_type='bpe'"), ("a.txt", "given without")]:
        with pytest.raises(ArgumentTypeError, match=f"as in train\\(input, vocab_size=8000\\), .*{hint}"):
            spm_lite.train(["a text"], value)


OLD = [  # as in the older version, and now
    ({"use_all_vocab": True, "vocab_size": 9, "model_type": "char"}, {"vocab_size": "all", "model_type": "char"}),
    ({"auto_character_coverage": True, "model_type": "bpe"}, {"character_coverage": "auto", "model_type": "bpe"}),
    (
        {"shuffle_input_sentence": False, "input_sentence_size": 101, "seed": 3},
        {"seed": None, "input_sentence_size": 101},
    ),
    ({"escape_whitespaces": True}, {}),
    ({"num_sub_iterations": 2, "shrinking_factor": 0.75, "unk_surface": " \u2047 "}, {}),
    ({"pretokenization_delimiter": ""}, {}),
    ({"keep_newlines": False}, {}),
]


@pytest.mark.parametrize(("old", "new"), OLD)
def test_options_of_the_older_version_work_and_warn(old, new):
    usual = {"vocab_size": 300, "hard_vocab_limit": False}
    with pytest.warns(DeprecationWarning, match="is gone after this version") as caught:
        found = spm_lite.train(LINES, **{**usual, **old})
    assert found.to_bytes() == spm_lite.train(LINES, **{**usual, **new}).to_bytes()
    assert {Path(warning.filename).name for warning in caught} == {"test_specs.py"}


def test_sources_are_a_dict():
    sources, usual = {"a": LINES[:99], "b": LINES[99:]}, {"vocab_size": 300, "hard_vocab_limit": False}
    tok = spm_lite.train(sources, weights={"a": 1, "b": 1}, **usual)
    assert [*tok.report.sources] == ["a", "b"]
    assert spm_lite.train(texts=sources, weights={"a": 1, "b": 1}, **usual) == tok
    with pytest.warns(DeprecationWarning, match="give the dict as the input"):
        assert spm_lite.train(sources=sources, weights={"a": 1, "b": 1}, **usual) == tok
    with pytest.raises(ArgumentTypeError, match="must be a path, a list of paths, or texts, not int"):
        spm_lite.train({"a": 1, "b": 2}, **usual)


def test_newlines_are_kept_by_the_old_name_too(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\n".join(LINES))
    tok = spm_lite.byte_tokenizer()
    with pytest.warns(DeprecationWarning, match="write separator=None") as caught:
        assert spm_lite.evaluate(tok, path, keep_newlines=True).texts == 1
    assert Path(caught[0].filename).name == "test_specs.py"


def test_the_advice_on_an_old_option_fits_its_value():
    from spm_lite.training.options.other_names import OLD_OPTIONS, old_option

    for name, (default, advice) in OLD_OPTIONS.items():
        assert old_option(name, default) == "leave it out, which means the same"
        assert old_option(name, not default) == advice
    for options in (
        {"use_all_vocab": False, "vocab_size": "all"},
        {"auto_character_coverage": False, "character_coverage": "auto", "vocab_size": 300},
    ):
        with (
            pytest.warns(DeprecationWarning, match="gone after this version"),
            pytest.raises(spm_lite.OptionError, match="contradict each other: leave out"),
        ):
            spm_lite.train(["a b"] * 9, model_type="char", **options)
