"""Arguments of other libraries: each is a TypeError that says what to write, in every method, and signatures stay."""

import inspect
import re

import pytest

import spm_lite
from spm_lite import Tokenizer
from spm_lite.tokenizer.foreign_arguments import EXPLAINED, FOREIGN_ARGUMENTS, OF_CALLS, hint_for

METHODS = [name for name in EXPLAINED if name not in ("load", "from_hf", "from_tiktoken")]


@pytest.fixture(scope="module")
def tok():
    return spm_lite.byte_tokenizer()


@pytest.mark.parametrize("name", FOREIGN_ARGUMENTS)
def test_an_argument_of_another_library_says_what_to_write(tok, name):
    for call, given in (
        (tok.encode, "a"), (tok.encode_batch, ["a"]), (tok.encode_lists, ["a"]), (tok.decode, [5]), (tok.pieces, "a"),
        (tok.count, "a"), (tok.decode_batch, [[5]]), (tok.spans, "a"),
    ):  # fmt: skip
        message = rf"Tokenizer\.{call.__name__}\(\) got an unexpected keyword argument '{name}': "
        with pytest.raises(TypeError, match=message + re.escape(FOREIGN_ARGUMENTS[name])):
            call(given, **{name: True})
    with pytest.raises(TypeError, match=r"decode_batch\(\) got an unexpected keyword argument 'foo'$"):
        tok.decode_batch([[5]], foo=1)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("count_files", "encode_files")])
def test_every_method_answers(tok, method):
    call = getattr(tok, method)
    if any(one.kind is one.VAR_KEYWORD for one in inspect.signature(call).parameters.values()):
        pytest.skip("its other keywords are options, which are answered by name")
    with pytest.raises(
        TypeError, match=rf"Tokenizer\.{method}\(\) got an unexpected keyword argument 'qqq'; it takes "
    ):
        call("a", qqq=1)


def test_too_many_arguments_without_a_name(tok):
    with pytest.raises(TypeError, match=r"nbest\(\) takes 2 without a name, and 3 are given: leave out the others"):
        tok.nbest("a", 2, 3)
    with pytest.raises(TypeError, match=r"spans\(\) takes 1 without a name, .*with their names, unit=, "):
        tok.spans("a", "byte")


def test_errors_within_a_method_stay(tok):
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'n'"):
        tok.nbest("a")
    with pytest.raises(spm_lite.ArgumentTypeError, match="an integer"):
        tok.nbest("a", "b")


@pytest.mark.parametrize("name", EXPLAINED)
def test_signatures_and_help_stay(name):
    shown = getattr(Tokenizer, name)
    call = getattr(shown, "__func__", shown)
    assert inspect.signature(call) == inspect.signature(call.__wrapped__)
    assert (call.__qualname__, call.__doc__) == (f"Tokenizer.{name}", call.__wrapped__.__doc__)


def test_no_argument_that_a_method_has_is_foreign():
    for name, others in OF_CALLS.items():
        assert not set(inspect.signature(getattr(Tokenizer, name)).parameters) & set(others)


def test_options_of_loading(tok):
    for name, remedy in OF_CALLS["load"].items():
        with pytest.raises((spm_lite.OptionError, TypeError), match=re.escape(remedy)):
            spm_lite.load(tok.to_bytes(), **{name: "x"})
    assert hint_for("load", "patern", ["pattern"]) == "; did you mean pattern?"
