"""Rule tables, their compilation, and the named sets."""

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spm_lite.errors import FileError, MissingFileError, OptionError
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named import (
    RULE_SETS,
    charsmap_of,
    compile_rules,
    format_rules,
    load_rules,
    parse_rules,
)

N_RULES = {"nfkc": 225_232, "nfkc_cf": 226_640, "nmt_nfkc": 225_276, "nmt_nfkc_cf": 226_684}
TEXTS = st.text(alphabet=st.sampled_from("abcéあか漢😀\u0301\u2581 \ufffd"), max_size=5)
RULES = st.dictionaries(TEXTS.filter(bool), TEXTS, min_size=1, max_size=40).map(
    lambda rules: {source: target for source, target in rules.items() if source != target} or {"a": ""}
)


@settings(max_examples=200, deadline=None)
@given(rules=RULES)
def test_compiled_rules_come_back(rules):
    blob = compile_rules(rules)
    assert Charsmap(blob).decompile() == sorted(rules.items())
    assert compile_rules(reversed(rules.items())) == blob
    assert parse_rules(format_rules(rules.items())) == rules


@settings(max_examples=40, deadline=None)
@given(rules=RULES)
def test_original_reads_compiled_rules(rules):
    spm = pytest.importorskip("sentencepiece")
    message = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
    spec = message.NormalizerSpec(precompiled_charsmap=compile_rules(rules))
    original = spm.SentencePieceNormalizer(normalizer_spec=spec.SerializeToString())
    assert original.decompile() == sorted(rules.items())


def test_original_reads_many_rules():
    spm = pytest.importorskip("sentencepiece")
    message = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
    rng = random.Random(2)
    alphabet = [chr(point) for point in range(0x21, 0x3000, 7)]
    rules = {"".join(rng.choices(alphabet, k=rng.randrange(1, 7))): rng.choice(alphabet) * 2 for _ in range(60_000)}
    blob = compile_rules(rules)
    assert struct.unpack("<I", blob[:4])[0] > 1 << 20  # long offsets are needed
    spec = message.NormalizerSpec(precompiled_charsmap=blob)
    assert spm.SentencePieceNormalizer(normalizer_spec=spec.SerializeToString()).decompile() == sorted(rules.items())
    assert Charsmap(blob).decompile() == sorted(rules.items())


def test_equal_subtrees_are_shared():
    rules = {f"{first}{second}": "x" for first in map(chr, range(0x4E00, 0x5600)) for second in "abcdefgh"}
    assert len(compile_rules(rules)) < 16_384


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, "none given"),
        ({"": "a"}, "cannot be empty"),
        ({"a": "a"}, "identity conversion"),
        ([("a", "b"), ("a", "c")], "duplicate source"),
        ({"\ud800": "a"}, "source .* lone surrogate at position 0"),
        ({"a": "b\udfff"}, "target .* lone surrogate at position 1"),
        ({"\0a": "b"}, "cannot start with U"),
        ({"a" * size: "x" for size in range(1, 33)}, "32 normalization rules .* at most 31"),
    ],
)
def test_rules_that_cannot_be(rules, message):
    with pytest.raises(OptionError, match=message):
        compile_rules(rules)


def test_31_prefixes_are_allowed():
    rules = {"a" * size: "x" for size in range(1, 32)}
    assert dict(Charsmap(compile_rules(rules)).decompile()) == rules


def test_nul_ends_a_rule():
    rules = {"a\0c": "y", "a\0b": "x", "c": "x\0y", "d": "\0y"}
    assert Charsmap(compile_rules(rules)).decompile() == [("a", "x"), ("c", "x"), ("d", "")]


def test_table():
    text = "41 42\t61\t# AB => a\nU+43  0x44\tU+3042\r\n7F\n45\t\n1F600\t110000\n41 42\t62"
    assert parse_rules(text) == {"AB": "b", "CD": "あ", "\x7f": "", "E": "", "😀": "\ufffd"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no normalization rules"),
        ("41\t42\n\n", "line 2: no source"),
        ("\t42\n", "line 1: no source"),
        ("41\t42\n# comment\n", "line 2: Invalid hex codepoint: '#'"),
        ("41\t4G\n", "Invalid hex codepoint: '4G'"),
        ("U+\t41\n", "Invalid hex codepoint"),
        ("41\t41\n", "identity conversion"),
        ("D800\t41\n", "surrogate"),
        ("41\tDFFF\n", "surrogate"),
    ],
)
def test_tables_that_are_wrong(text, message, tmp_path):
    path = tmp_path / "rules.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=message) as caught:
        load_rules(path)
    assert "rules.tsv" in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(MissingFileError, match=r"none\.tsv"):
        load_rules(tmp_path / "none.tsv")
    with pytest.raises(FileError, match="cannot be read"):
        load_rules(tmp_path)


def test_unknown_name():
    with pytest.raises(OptionError, match='"nmt-nfkc": did you mean "nmt_nfkc"'):
        charsmap_of("nmt-nfkc")


def test_identity():
    assert charsmap_of("identity") == b""


@pytest.mark.parametrize("name", N_RULES)
def test_named_set(name, shared_data):
    """Rule by rule what the original library has, in its table as well as in its blob."""
    rules = Charsmap(charsmap_of(name)).decompile()
    derived = shared_data / "normalization" / "derived"
    assert len(rules) == N_RULES[name]
    assert dict(rules) == load_rules(derived / f"{name}.tsv")
    assert rules == Charsmap((derived / f"{name}.charsmap.bin").read_bytes()).decompile()


def test_named_sets_are_small():
    assert set(RULE_SETS) == {"identity", *N_RULES}
    assert all(len(charsmap_of(name)) < 250_000 for name in N_RULES)


def test_tables_of_others(shared_data):
    """Tables with comments and deletions, and one that a published model was trained with."""
    message = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
    model = message.ModelProto.FromString((shared_data / "models" / "jamo_ko_50k.model").read_bytes())
    rules = load_rules(shared_data / "normalization" / "nmt_nfkc_jamonized.tsv")
    assert dict(Charsmap(model.normalizer_spec.precompiled_charsmap).decompile()) == rules
    for name in ("nfd", "nfkd_cf", "ids_norm"):
        rules = load_rules(shared_data / "normalization" / f"{name}.tsv")
        assert dict(Charsmap(compile_rules(rules)).decompile()) == rules


def test_every_rule_is_one_line():
    rules = {char: f"a{char}" for char in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029\b"}
    text = format_rules(rules.items())
    assert len(text.splitlines()) == len(rules) and parse_rules(text) == rules


def test_a_byte_order_mark_is_no_rule():
    assert parse_rules("\ufeff41\t61\r\n42\t62") == {"A": "a", "B": "b"}
