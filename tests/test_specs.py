"""The options that type checkers know are those that `train` takes."""

from spm_lite.specs import CutOptions, ReadOptions, TrainOptions
from spm_lite.training.count_table import CUT_OPTIONS
from spm_lite.training.options.checks import NORMALIZER_OPTIONS, TRAINER_FIELDS


def test_options_for_type_checkers_are_those_of_train():
    options = {*TRAINER_FIELDS, *NORMALIZER_OPTIONS} - {"lossless"}
    assert set(TrainOptions.__annotations__) == {*options, *ReadOptions.__annotations__}
    assert set(CutOptions.__annotations__) == {*CUT_OPTIONS, "escape_whitespaces"}
