"""Options as text: read as the original reads them."""

import io
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

pytest.importorskip("sentencepiece")

import sentencepiece

from spm_lite.errors import OptionError
from spm_lite.sentencepiece.trainer_flags import option_text, read_number, read_options, split_flags, split_record
from spm_lite.vocab.messages import message_class


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        ("--a=1 b=2 --c d", {"a": "1", "b": "2", "c": "", "d": ""}),
        ("--a=1 --a=2 a", {"a": "1"}),
        ("--a=b=c", {"a": "b=c"}),
        (" --a", {"": "", "a": ""}),
        ("---a -b", {"-a": "", "-b": ""}),
        ("--a=x\ty", {"a": "x\ty"}),
    ],
)
def test_split_flags(text: str, options: dict[str, str]) -> None:
    assert split_flags(text) == options


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (True, "True"),
        (None, "None"),
        (("a",), "('a',)"),
        (["a", "b,c", 'd"e'], 'a,"b,c","d""e"'),
        ([None, 1], "None,1"),
        ([], ""),
        ([""], '""'),
    ],
)
def test_option_text(value: Any, text: str) -> None:
    assert option_text(value) == text


@settings(max_examples=300, deadline=None)
@given(fields=st.lists(st.text(max_size=4) | st.text('",\na ', max_size=6), min_size=1, max_size=5))
def test_records_come_back(fields: list[str]) -> None:
    """Except that an empty field at the end is none."""
    expected = fields[:-1] if len(fields) > 1 and fields[-1] == "" else fields
    assert list(split_record(option_text(fields))) == expected


def recorded(text: str) -> Any:
    """The control symbols that the original makes of this text, or that it refuses them."""
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["xy"]),
            model_writer=model,
            model_type="char",
            normalization_rule_name="identity",
            minloglevel=3,
            control_symbols=text,
        )
    except RuntimeError:
        return None
    return list(message_class("ModelProto").FromString(model.getvalue()).trainer_spec.control_symbols)


@settings(max_examples=150, deadline=None)
@given(text=st.text('"",,ab \n', max_size=8))
@example(text='"ab"x,c')
@example(text='"a')
@example(text='a"b"')
@example(text='"a""')
@example(text='"",a')
def test_records_as_the_original(text: str) -> None:
    expected = recorded(text)
    fields = list(split_record(text))
    if expected is None:
        assert "" in fields or len(set(fields)) < len(fields)
    else:
        assert fields == expected


@pytest.mark.parametrize(
    ("text", "value"), [("12", 12), (" -7 ", -7), ("+3", 3), ("007", 7), ("9" * 40, 10**40 - 1), ("0", 0)]
)
def test_integers(text: str, value: int) -> None:
    assert read_number(text, "x", int) == value


@pytest.mark.parametrize("text", ["", "1.0", "1e3", "0x10", "1_0", "４", "True", "1 2", "9" * 41])
def test_no_integers(text: str) -> None:
    with pytest.raises(OptionError, match=r"INVALID_ARGUMENT: cannot parse .* as int"):
        read_number(text, "x", int)


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1.0), (".5", 0.5), ("5.", 5.0), ("1E-2", 0.01), ("0x1p-1", 0.5), ("-inf", -float("inf"))]
)
def test_numbers(text: str, value: float) -> None:
    assert read_number(text, "x", float) == value


@pytest.mark.parametrize("text", ["", ".", "1f", "1_0", "0x", "1e", "nano", "٣"])
def test_no_numbers(text: str) -> None:
    with pytest.raises(OptionError, match="cannot parse"):
        read_number(text, "x", float)


def test_only_what_was_given() -> None:
    request = read_options({"vocab_size": 30, "unk_surface": "", "model_type": "Char", "self_test_sample_size": "x"})
    assert [field.name for field, _ in request.trainer.ListFields()] == ["model_type", "vocab_size", "unk_surface"]
    assert request.normalizer.ListFields() == []
    assert request.deprecated == ("self_test_sample_size",)


def test_first_of_two_names() -> None:
    assert read_options({"name": "a", "normalization_rule_name": "b"}).normalizer.name == "a"
    assert read_options({"normalization_rule_name": "b", "name": "a"}).normalizer.name == "b"


def test_nearest_name() -> None:
    with pytest.raises(RuntimeError, match=r'unknown field name "vocabsize" in TrainerSpec.*vocab_size'):
        read_options({"vocabsize": 5})


def test_lone_surrogate() -> None:
    with pytest.raises(OptionError, match="lone surrogate at position 1"):
        read_options({"unk_surface": "a\ud800"})
