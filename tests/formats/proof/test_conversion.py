"""Conversions: what is compared, how differences are explained, and what is refused."""

import json
import pickle

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import ArgumentTypeError, MissingFileError, OptionError, TextError
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import (
    DECODING,
    FILE,
    Outgoing,
    hostile_texts,
    prove,
    random_texts,
    texts_of_caller,
)
from spm_lite.formats.proof.partner_programs import Partner
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import Settings

pytest.importorskip("tokenizers")


class PanicException(BaseException):
    """As libraries in Rust have it."""


@pytest.fixture(scope="module")
def tok():
    return partners.trained("bpe")


def conversion_with(tok, encode=None, decode=None, findings=None, verify=()):
    partner = Partner("twin 1.0", encode or tok.encode_lists, decode or tok.decode_batch)
    return prove(tok, partner, findings or Findings(), verify, "x", "twin")


def test_a_program_that_does_the_same(tok):
    conversion = conversion_with(tok, verify=["the cat", "caf\u00e9".encode()])
    assert conversion.exact and conversion.conditions == [] and conversion.differences == []
    assert conversion.compared == conversion_with(tok).compared + 2
    assert (conversion.n_verified, conversion.n_verified_differences) == (2, 0)
    assert "your 2 texts: all the same" in str(conversion)
    assert "all the same" in str(conversion)
    assert pickle.loads(pickle.dumps(conversion)) == conversion


def test_differences_have_causes(tok):
    findings = Findings()
    findings.add("cats", "no cat in the text", lambda text: "cat" not in text)

    def encode(texts):
        return [[1] if "cat" in text else ids for text, ids in zip(texts, tok.encode_lists(texts), strict=True)]

    conversion = conversion_with(tok, encode, findings=findings, verify=["the catfish"])
    assert not conversion.exact and conversion.n_differences > 40
    assert len(conversion.differences) == 41
    assert conversion.differences[0].text == "the catfish"
    assert conversion.n_verified == conversion.n_verified_differences == 1
    assert "your 1 text: 1 differ" in str(conversion)
    assert {difference.cause for difference in conversion.differences} == {"no cat in the text"}
    assert conversion.unmet("a cat") == ["no cat in the text"] and conversion.unmet("a dog") == []
    assert "no cat in the text" in str(conversion)


def test_files_of_texts(tok, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"the cat\r\nthe dog\n")
    (tmp_path / "b.jsonl").write_text('{"text": "one\\ntwo"}\n', encoding="utf-8")
    assert [*texts_of_caller(tmp_path)] == ["the cat\r", "the dog", "one\ntwo"]
    assert conversion_with(tok, verify=str(tmp_path / "a.txt")).n_verified == 2
    with pytest.raises(MissingFileError, match="no file 'the cat' to read"):
        conversion_with(tok, verify="the cat")
    with pytest.raises(ArgumentTypeError, match="verify is bytes: pass a list of str, or the name of a file"):
        conversion_with(tok, verify=b"the cat")
    with pytest.raises(TextError, match=r"verify: the text '\\ud800x' holds a lone surrogate"):
        conversion_with(tok, verify=[*"ab" * 4096, "\ud800x"])
    (tmp_path / "c.txt").write_bytes(b"\xff\n")
    with pytest.raises(TextError, match="is not UTF-8"):
        conversion_with(tok, verify=tmp_path)


def test_most_differences_of_texts_to_verify(tok):
    findings = Findings()
    findings.add("cats", "no cat in the text", lambda text: "cat" not in text)

    def encode(texts):
        return [[1] if "cat" in text else ids for text, ids in zip(texts, tok.encode_lists(texts), strict=True)]

    conversion = conversion_with(tok, encode, findings=findings, verify=[f"cat {i}" for i in range(300)])
    assert [one.text for one in conversion.differences[:200]] == [f"cat {i}" for i in range(200)]
    assert len(conversion.differences) == 240 and conversion.n_verified_differences == 300


def test_a_difference_without_a_cause_is_refused_unless_allowed(tok):
    def encode(texts):
        return [[*ids, 1] if "fish" in text else ids for text, ids in zip(texts, tok.encode_lists(texts), strict=True)]

    with pytest.raises(OptionError, match="'a fish' other ids, without a known cause"):
        conversion_with(tok, encode, verify=["a fish"])
    conversion = conversion_with(tok, encode, findings=Findings("other"), verify=["a fish"])
    assert [difference.cause for difference in conversion.differences] == ["other"]


def test_a_panic_is_caught_and_told(tok):
    def encode(texts):
        if any("fish" in text for text in texts):
            raise PanicException("index out of bounds")
        return tok.encode_lists(texts)

    with pytest.raises(OptionError, match="PanicException: index out of bounds"):
        conversion_with(tok, encode, verify=["a fish", "the cat"])
    conversion = conversion_with(tok, encode, findings=Findings("other"), verify=["a fish", "the cat"])
    assert [(d.text, d.other_ids) for d in conversion.differences] == [
        ("a fish", "PanicException: index out of bounds")
    ]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_other_exceptions_pass(tok, error):
    def encode(texts):
        raise error

    with pytest.raises(error):
        conversion_with(tok, encode)


def test_decoded_text_is_compared(tok):
    def decode(many):
        return [text.upper() for text in tok.decode_batch(many)]

    conversion = conversion_with(tok, decode=decode)
    assert not conversion.exact
    assert {difference.cause for difference in conversion.differences} == {DECODING}


def test_texts_are_always_the_same():
    assert [*random_texts(["a", "b"], 50)] == [*random_texts(["a", "b"], 50)]
    assert len(set(hostile_texts())) == len(hostile_texts()) > 700
    "".join(hostile_texts()).encode()


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


def test_a_name_that_needs_no_permission_any_more():
    assert Findings("added").allow == ("added",)
    with pytest.raises(OptionError, match="allow='more' is unknown"):
        Findings("more")


@pytest.mark.parametrize(
    ("step", "theirs"), [({"type": "Lowercase"}, "kzw"), ({"type": "Prepend", "prepend": "x"}, "xKZW")]
)
def test_texts_of_added_tokens_show_what_they_are_decoded_to(step, theirs, tmp_path):
    """tokenizers 0.23 decodes a normalized token to its normalized form; here it stays as the file has it."""
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "special"), False)
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    parts = {
        "added_tokens": [{"id": 256, "content": "KZW", "normalized": True, **flags}],
        "normalizer": step,
        "pre_tokenizer": level,
        "decoder": level,
        "model": {"type": "BPE", "vocab": {sign: i for i, sign in enumerate(BYTES)}, "merges": []},
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    settings = Settings(findings=Findings())
    entry, source = loading.opened(path, "tokenizer.json")
    tok = loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings)
    findings, partner = entry.prove_read(tok, source, settings)
    found = prove(tok, partner, findings, (), "x", "tokenizer.json").differences
    assert [one.other_ids for one in found if one.text == "KZW"] == [f"decoded to {theirs!r}, not to 'KZW'"]
    assert tok.decode(tok.encode("KZW")) == "KZW"
