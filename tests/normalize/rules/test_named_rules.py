"""Rule tables, their compilation, and the named sets."""

import random
import struct
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import extras
from oracle.slow import slow_after

from spm_lite.errors import FileError, MissingFileError, OptionError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import (
    RULE_SETS,
    charsmap_of,
    compile_rules,
    compile_table,
    format_rules,
    load_rules,
    parse_rules,
)
from spm_lite.normalize.rules.rule_sets import (
    ALSO_COMPILED,
    DATA,
    KEPT_COMPILED,
    OVERVIEW,
    UNICODE_FORMS,
    nearest_rule_set,
    read_table,
    table_rules,
)
from spm_lite.specs import BERT_RULES

N_RULES = {
    "nfc": 13_675,
    "nfc_cf": 15_173,
    "nfd": 13_253,
    "nfd_cf": 14_381,
    "nfkc": 225_232,
    "nfkc_cf": 226_640,
    "nfkd": 17_086,
    "nfkd_cf": 18_125,
    "nmt_nfkc": 225_276,
    "nmt_nfkc_cf": 226_684,
}
# Characters of Unicode 16 and 17 that decompose or fold, which the tables of the original lack.
NEW_CHARACTERS = ((0x1C89, 0x1C8A), (0xA7CB, 0xA7F1), (0x105C0, 0x105FF), (0x10D40, 0x10D8F), (0x11380, 0x113FF),
                  (0x16100, 0x1613F), (0x16D40, 0x16D7F), (0x16EA0, 0x16EDF), (0x1CC00, 0x1CEBF))  # fmt: skip
TEXTS = st.text(alphabet=st.sampled_from("abcéあか漢😀\u0301\u2581 \ufffd"), max_size=5)
RULES = st.dictionaries(TEXTS.filter(bool), TEXTS, min_size=1, max_size=40).map(
    lambda rules: {source: target for source, target in rules.items() if source != target} or {"a": ""}
)


@settings(max_examples=200, deadline=None)
@given(rules=RULES)
def test_compiled_rules_come_back(rules):
    blob = compile_rules(rules)
    assert Charsmap(blob).decompile() == sorted(rules.items())
    short = sorted(rule for rule in rules.items() if len(rule[0]) == 1)
    assert Charsmap(blob).count_targets() == (dict(Counter(rules.values())), short)
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


@pytest.mark.slow
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
        ({}, "none is given"),
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


@pytest.mark.parametrize("given", RULE_SETS)
def test_hints_say_what_a_set_does(given):
    """Also where another set is a letter away: nfc and nfkc."""
    for name in (given.upper(), given + given[-1], given.replace("_", "-") + " "):
        with pytest.raises(OptionError) as caught:
            charsmap_of(name)
        near = nearest_rule_set(name)
        assert f'did you mean "{near}"? It {RULE_SETS[near]}. There are {OVERVIEW}' in str(caught.value)
    assert nearest_rule_set(given.upper()) == given


@pytest.mark.parametrize(
    ("given", "near"),
    [("NFC", "nfc"), ("nfcc", "nfc"), ("nfck", "nfkc"), ("nfk", "nfc"), ("nf", "nfc"), ("nfccf", "nfc_cf"),
     ("nfd-cf", "nfd_cf"), ("none", ""), ("nmt", "nmt_nfkc"), ("x" * 1000, ""), ("", "")],
)  # fmt: skip
def test_nearest_rule_set(given, near):
    assert nearest_rule_set(given) == near


def test_no_hint_without_a_near_name():
    with pytest.raises(OptionError, match=r'unknown normalization "none": There are identity \(changes nothing\), nfc'):
        charsmap_of("none")


@pytest.mark.parametrize("name", ["nfc", "nfd", "nfkd", "nfd_cf", "nfkd_cf"])
def test_set_kept_as_a_table(name, shared_data):
    """The original's table, and rules for the characters that Unicode got since: that table is some years old."""
    rules = dict(Charsmap(charsmap_of(name)).decompile())
    table = load_rules(shared_data / "normalization" / f"{name}.tsv")
    assert rules == table_rules(name)
    assert len(rules) == N_RULES[name]
    assert rules.items() >= table.items()
    assert all(any(is_new(char) for char in source) for source in rules.keys() - table.keys())


def is_new(char: str) -> bool:
    """Whether a character came with Unicode 16 or 17: it is in one of these blocks or ranges."""
    return any(first <= ord(char) <= last for first, last in NEW_CHARACTERS)


def test_nfc_with_case_folding(shared_data):
    """What its name says. The original's table of this name is that of nfkd_cf, byte for byte."""
    folder = shared_data / "normalization"
    assert (folder / "nfc_cf.tsv").read_bytes() == (folder / "nfkd_cf.tsv").read_bytes()
    nfc, folded, apart = (table_rules(name) for name in ("nfc", "nfc_cf", "nfd_cf"))
    assert len(folded) == N_RULES["nfc_cf"]
    assert dict(Charsmap(charsmap_of("nfc_cf")).decompile()) == folded
    assert folded.keys() >= nfc.keys()
    for source, target in folded.items():  # each rule says the same as nfd_cf says of the parts
        separated = "".join(apart.get(char, char) for char in source)
        assert "".join(apart.get(char, char) for char in target) == separated
    assert folded.items() >= {"A": "a", "E\u0301": "é", "É": "é"}.items()
    assert not {"①", "ﬁ", "\u00a0", "é"} & folded.keys()


@pytest.mark.dev
@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(1, ["nfc", "nfd", "nfkd"]))
def test_every_character_as_unicode_says(name):
    """Every code point alone, and its full decomposition."""
    unicodedata2 = extras.need("unicodedata2")
    assert unicodedata2.unidata_version == "17.0.0"
    normalizer = Normalizer(Charsmap(charsmap_of(name)), False, False, False)
    for point in (*range(1, 0xD800), *range(0xE000, 0x110000)):
        char = chr(point)
        if 0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE:
            continue
        for text in {char, unicodedata2.normalize("NFD", char)}:
            assert plain(normalizer, text) == unicodedata2.normalize(name.upper(), text), hex(point)


@pytest.mark.dev
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nfc", "\u1e0b\u0323"),  # the marks in another order
        ("nfc", "\u00ea\u0301"),  # a character that holds some of the parts
        ("nfc", "\uac00\u11a8"),
        ("nfd", "\u1e0b\u0323"),
        ("nfd", "\u0628\u0651\u064e"),
    ],
)
def test_what_rules_cannot_do(name, text):
    """As in the original: rules look at one place at a time. The documentation says so."""
    spm = pytest.importorskip("sentencepiece")
    unicodedata2 = extras.need("unicodedata2")
    rules = list(table_rules(name).items())
    original = spm.SentencePieceNormalizer(
        norm_map=rules, add_dummy_prefix=False, escape_whitespaces=False, remove_extra_whitespaces=False
    )
    came = plain(Normalizer(Charsmap(charsmap_of(name)), False, False, False), text)
    assert came == original.normalize(text) != unicodedata2.normalize(name.upper(), text)


def plain(normalizer: Normalizer, text: str) -> str:
    return normalizer.normalize(text.encode()).decode()


@pytest.mark.parametrize("name", slow_after(1, KEPT_COMPILED))
def test_named_set(name, shared_data):
    """Rule by rule what the original library has, in its table as well as in its blob."""
    rules = Charsmap(charsmap_of(name)).decompile()
    derived = shared_data / "normalization" / "derived"
    assert len(rules) == N_RULES[name]
    assert dict(rules) == load_rules(derived / f"{name}.tsv")
    assert rules == Charsmap((derived / f"{name}.charsmap.bin").read_bytes()).decompile()


def test_named_sets_are_small():
    assert set(RULE_SETS) == {"identity", *BERT_RULES, *N_RULES, *(f"{name}_rules" for name in UNICODE_FORMS)}
    assert all(charsmap_of(f"{name}_rules") == charsmap_of(name) for name in UNICODE_FORMS)
    assert all(len(charsmap_of(name)) < 270_000 for name in N_RULES)
    assert all(len(charsmap_of(name)) < 270_000 for name in BERT_RULES)
    assert sum(path.stat().st_size for path in DATA.glob("*.tsv")) < 200_000


@pytest.mark.parametrize("name", ["nfc", "strip_accents", "lowercase", "bert_cased"])
def test_our_own_tables_are_compiled_as_rules_of_users_are(name):
    rules = parse_rules((DATA / f"{name}.tsv").read_text(encoding="ascii"))
    assert list(read_table(name).items()) == list(rules.items())
    assert compile_table(rules) == compile_rules(rules)


def test_what_is_kept_compiled_too_is_its_table():
    for name in ALSO_COMPILED:
        assert charsmap_of(name) == compile_rules(table_rules(name))


@pytest.mark.slow
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
    assert text.count("\n") == len(rules) and parse_rules(text) == rules
    assert [line.split("# ")[1][:1] for line in text.split("\n")[:-1]] == list("    \x1c\x1d\x1e\x85\u2028\u2029 ")


def test_a_byte_order_mark_is_no_rule():
    assert parse_rules("\ufeff41\t61\r\n42\t62") == {"A": "a", "B": "b"}
