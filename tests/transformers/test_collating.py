"""Batches of examples: padded, cut and masked."""

import numpy as np
import pytest

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.transformers import Collator

EXAMPLES = [{"input_ids": [5, 6, 7]}, {"input_ids": [8]}, {"input_ids": []}]


def lists(batch):
    return {name: table.tolist() for name, table in batch.items()}


def test_padding_right_and_left():
    made = lists(Collator(0, tensors="np", labels=True)(EXAMPLES))
    assert made["input_ids"] == [[5, 6, 7], [8, 0, 0], [0, 0, 0]]
    assert made["attention_mask"] == [[1, 1, 1], [1, 0, 0], [0, 0, 0]]
    assert made["labels"] == [[5, 6, 7], [8, -100, -100], [-100] * 3]
    made = lists(Collator(9, tensors="np", side="left")(EXAMPLES))
    assert made == {"input_ids": [[5, 6, 7], [9, 9, 8], [9] * 3], "attention_mask": [[1] * 3, [0, 0, 1], [0] * 3]}


def test_multiples_and_cuts():
    made = Collator(0, multiple=4, tensors="np")(EXAMPLES)["input_ids"]
    assert made.shape == (3, 4) and made.dtype == np.int64
    assert lists(Collator(0, max_length=2, tensors="np")(EXAMPLES))["input_ids"] == [[5, 6], [8, 0], [0, 0]]


def test_fields_of_the_examples_are_padded():
    examples = [
        {"input_ids": [1, 2], "attention_mask": [1, 0], "labels": [1, 2]},
        *[{**EXAMPLES[1], "attention_mask": [1], "labels": [8]}],
    ]
    made = lists(Collator(0, tensors="np", labels=True)(examples))
    assert made["attention_mask"] == [[1, 0], [1, 0]]
    assert made["labels"] == [[1, 2], [8, -100]]


def test_arrays_are_examples():
    made = lists(Collator(0, tensors="np")([np.array([3, 4], dtype=np.uint16), [5]]))
    assert made["input_ids"] == [[3, 4], [5, 0]]


def test_a_tokenizer_names_its_padding():
    class Named:
        pad_token_id, padding_side = 7, "left"

    assert lists(Collator(Named(), tensors="np")([[1, 2], [3]]))["input_ids"] == [[1, 2], [7, 3]]
    Named.pad_token_id = None
    with pytest.raises(OptionError, match="no padding token"):
        Collator(Named())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"side": "top"}, "side='top'"),
        ({"multiple": 0}, "multiple=0"),
        ({"max_length": 0}, "max_length=0"),
        ({"max_length": 10, "multiple": 4}, "no multiple"),
        ({"tensors": "tf"}, "tensors='tf'"),
    ],
)
def test_wrong_options(options, words):
    with pytest.raises(OptionError, match=words):
        Collator(0, **options)


def test_wrong_examples():
    with pytest.raises(ArgumentTypeError, match="pad_id is str"):
        Collator("0")
    collate = Collator(0, tensors="np")
    for examples, words in (
        ([], "no examples"),
        ([{"text": [1]}], "input_ids"),
        ([{"input_ids": [1]}, {"input_ids": [1], "labels": [1]}], "example 1"),
        ([{"input_ids": [1], "labels": [1, 2]}], "2 values of labels"),
    ):
        with pytest.raises(OptionError, match=words):
            collate(examples)


def test_numbers_of_each_example():
    examples = [{"input_ids": [1, 2], "label": 1, "score": [0.5, 0.25]}, {"input_ids": [3], "label": 0, "score": [1]}]
    made = Collator(0, tensors="np")(examples)
    assert made["labels"].tolist() == [1, 0]
    assert made["score"].dtype == np.float32 and made["score"].tolist() == [[0.5, 0.25], [1.0, 0.0]]


def test_columns_and_type_ids():
    class Named:
        pad_token_id, pad_token_type_id, padding_side = 7, 3, "left"

    columns = {"input_ids": [[1, 2], [3]], "token_type_ids": [[0, 1], [0]]}
    made = lists(Collator(Named(), tensors="np")(columns))
    assert made["input_ids"] == [[1, 2], [7, 3]]
    assert made["token_type_ids"] == [[0, 1], [3, 0]]


@pytest.mark.parametrize("value", ["ab", [(0, 1), (1, 2)], [[1], [2, 3]], None])
def test_fields_that_are_no_numbers(value):
    with pytest.raises(OptionError, match="remove the column extra"):
        Collator(0, tensors="np")([{"input_ids": [1, 2], "extra": value}])
    with pytest.raises(TypeError, match="write side="):
        Collator(0, padding_side="left")
