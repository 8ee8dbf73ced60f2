"""Files before they are written: a program that fails with them is told, and the pattern brings its Conversion."""

import pickle

import pytest
from oracle import partners

from spm_lite.errors import OptionError
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.outgoing import FILE, Outgoing


class PanicException(BaseException):
    """As libraries in Rust have it."""


@pytest.mark.parametrize("error", [PanicException("called `unwrap()`"), ValueError("no such thing")])
def test_a_program_that_cannot_read_the_files_is_told(error):
    def fail():
        raise error

    tok = partners.trained("byte_bpe")
    files = Outgoing("twin", {FILE: b""}, Findings(), fail, lambda: tok)
    with pytest.raises(OptionError, match=f"reads twin fails with this file: {type(error).__name__}"):
        files.prove(tok, "x")


def test_without_the_program_our_reader_is_compared():
    tok = partners.trained("byte_bpe")
    found = Outgoing("twin", {FILE: b""}, Findings(), lambda: None, lambda: tok).prove(tok, "x", ["my text"])
    assert found.exact and found.compared_with == "spm_lite's reader of twin"


def test_a_pattern_is_a_str_with_a_conversion(tmp_path):
    pattern = partners.trained("byte_bpe").to_tiktoken(tmp_path / "x.tiktoken", verify=["my text"])
    assert pattern == " *[^ ]+| +" == str(pattern)
    again = pickle.loads(pickle.dumps(pattern))
    assert again == pattern and again.conversion == pattern.conversion
    assert pattern.conversion.exact and pattern.conversion.pattern == pattern
