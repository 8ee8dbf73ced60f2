"""The table of training options agrees with the specs and with `train`."""

import inspect
import re
from dataclasses import fields
from pathlib import Path

import pytest

import spm_lite
from spm_lite.cli.command_names import module_of
from spm_lite.cli.options.other_flags import with_flags
from spm_lite.cli.options.parsing import CommandParser, UsageError
from spm_lite.cli.options.training_options import (
    OLD_FLAGS,
    ONE_OPTION,
    OPTIONS,
    add_training_options,
    read_lines,
    training_options,
    typed_names,
)
from spm_lite.errors import OptionError, SpmLiteError
from spm_lite.normalize.rules.rule_sets import RULE_SETS
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_file import TEXT_FIELDS

NOT_ON_THE_COMMAND_LINE = {"name", "precompiled_charsmap", "escape_whitespaces"}


def parse(*argv):
    parser = CommandParser("train", "", "")
    add_training_options(parser)
    options, files = parser.parse(list(argv))
    return training_options(options), files


def test_every_field_of_the_specs_is_an_option():
    names = {field.name for spec in (TrainerSpec, NormalizerSpec) for field in fields(spec)}
    names -= {*TEXT_FIELDS}  # the rule set says them
    assert names - NOT_ON_THE_COMMAND_LINE <= {*(option.name for option in OPTIONS), *OLD_FLAGS}
    assert len({option.name for option in OPTIONS}) == len(OPTIONS)


def test_train_takes_every_option():
    parameters = inspect.signature(spm_lite.train).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        assert {ONE_OPTION.get(option.name, option.name) for option in OPTIONS} <= set(parameters)


def test_only_what_is_given_is_passed_on():
    assert parse("a.txt") == ({}, ["a.txt"])


def test_types():
    options, files = parse(
        "a", "--vocab-size", "32_000", "--pad-id", "-1", "b", "--character-coverage=0.99", "--no-byte-fallback",
        "--split-digits", "--model-type", "bpe", "--unk-surface", "", "-",
    )  # fmt: skip
    assert files == ["a", "b", "-"]
    assert options == {
        "vocab_size": 32000, "pad_id": -1, "character_coverage": 0.99, "byte_fallback": False, "split_digits": True,
        "model_type": "bpe", "unk_surface": "",
    }  # fmt: skip


def test_lists():
    assert parse("--control-symbols", "<a>,<b>")[0] == {"control_symbols": ["<a>", "<b>"]}
    assert parse("--control-symbols", "<a>", "--control-symbols", "b,c")[0] == {"control_symbols": ["<a>", "b,c"]}


def test_text_is_utf8_whatever_the_locale_says():
    misread = "日本".encode().decode("ascii", "surrogateescape")
    assert parse("--user-defined-symbols", f"{misread},é", "--unk-surface", misread)[0] == {
        "user_defined_symbols": ["日本", "é"],
        "unk_surface": "日本",
    }


def test_symbols_from_a_file(text_file):
    path = text_file(b"one\ntwo,three\n\n")
    given = parse("--user-defined-symbols", "zero", "--user-defined-symbols-file", str(path))[0]
    assert given == {"user_defined_symbols": ["zero", "one", "two,three"]}
    assert parse("--required-chars-file", str(path))[0] == {"required_chars": "onetwo,three"}


def test_a_symbol_file_that_is_not_utf8(text_file):
    path = text_file(b"a\xff\n")
    with pytest.raises(OptionError, match=r"byte 1 is not UTF-8"):
        parse("--control-symbols-file", str(path))


def test_two_names_of_normalization():
    assert parse("--normalization-rule-tsv", "r.tsv")[0] == {"normalization": Path("r.tsv")}
    assert parse("--denormalization-rule-tsv", "r.tsv")[0] == {"denormalization": Path("r.tsv")}
    assert parse("--normalization-rule-name", "nfkc")[0] == {"normalization": "nfkc"}
    assert parse("--normalization-rule-name", "nfkc", "--normalization", "nfkc")[0] == {"normalization": "nfkc"}
    for name in RULE_SETS:
        for option in ("--normalization", "--normalization-rule-name"):
            assert parse(option, name)[0] == {"normalization": name}
    with pytest.raises(OptionError, match="contradict"):
        parse("--normalization-rule-name", "nfkc", "--normalization", "identity")
    with pytest.raises(OptionError, match="contradict"):
        parse("--normalization-rule-name", "nfkc", "--normalization-rule-tsv", "r.tsv")


@pytest.mark.parametrize(("given", "near"), [("NFC", "nfc"), ("nfck", "nfkc"), ("nfd-cf", "nfd_cf"), ("none", "")])
def test_a_misspelled_rule_set(given, near):
    for option in ("--normalization", "--normalization-rule-name"):
        with pytest.raises(UsageError) as caught:
            parse(option, given)
        change = RULE_SETS.get(near, "").replace(
            "remove_extra_whitespaces is false", "--no-remove-extra-whitespaces is given"
        )
        hint = f"; did you mean {near}? It {change} (see" if near else "nmt_nfkc_cf (see"
        assert f"{option}: '{given}' is not one of identity, nfc, " in str(caught.value)
        assert hint in str(caught.value)


def test_every_option_has_a_meaning_and_no_percent_trouble():
    parser = CommandParser("train", "", "")
    add_training_options(parser)
    text = parser.format_help()
    assert all(f"{option.name.replace('_', '-')}" in text for option in OPTIONS)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("seed=5: must be int", "--seed 5: must be int"),
        ("decrease character_coverage=0.9995.", "decrease --character-coverage 0.9995."),
        ("shrinking_factor=nan, x", "--shrinking-factor nan, x"),
        ("with hard_vocab_limit=False.)", "with --no-hard-vocab-limit.)"),
        ("byte_fallback=False)", "--no-byte-fallback)"),
        ("lossless='strict' contradicts", "--strict-lossless contradicts"),
        ("lossless=False", "--no-lossless"),
        ("model_type='bpe': no", "--model-type bpe: no"),
        ("unk_piece='a b'; x", "--unk-piece 'a b'; x"),
        ("unk_surface=''", "--unk-surface ''"),
        ("--use_all_vocab=true, my_seed=5, seed, progress=3", "--use_all_vocab=true, my_seed=5, seed, progress=3"),
        ("the text's 'a seed=5', \"it's seed=5\", b'seed=5'", "the text's 'a seed=5', \"it's seed=5\", b'seed=5'"),
        (r"unk_piece='a\'b seed=5' is", r"--unk-piece 'a\'b seed=5' is"),
        ("Increase vocab_size to 5", "Increase --vocab-size to 5"),
        ("see vocab_size.txt or /a/vocab_size", "see vocab_size.txt or /a/vocab_size"),
    ],
)
def test_messages_name_what_is_typed(message, shown):
    assert with_flags(message, module_of("train").make_parser().flags) == shown


SYMBOL_FILE = ["<a>", "b c", "", "\\x0a\\x09", "\\x5cx41", "\\n", "x\u2028y", "日本", "\\xe2\\x80\\xa8"]
SYMBOLS = ["<a>", "b c", "\n\t", "\\x41", "\\n", "x\u2028y", "日本", "\u2028"]


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_symbol_files_from_any_system(tmp_path, bom, end, last):
    path = tmp_path / "symbols"
    path.write_bytes((bom + end.join(SYMBOL_FILE) + (end if last else "")).encode())
    expected = {
        "control_symbols": SYMBOLS,
        "user_defined_symbols": ["<z>", *SYMBOLS],
        "required_chars": "".join(SYMBOLS),
    }
    found = parse(
        "--control-symbols-file", str(path), "--user-defined-symbols", "<z>", "--user-defined-symbols-file", str(path),
        "--required-chars-file", str(path),
    )[0]  # fmt: skip
    assert found == expected


def test_a_symbol_file_that_spells_no_text(tmp_path):
    path = tmp_path / "symbols"
    path.write_bytes(b"a\n\\xff\n")
    with pytest.raises(OptionError, match=r"symbols, line 2: '\\\\xff' spells bytes that are not UTF-8"):
        parse("--control-symbols-file", str(path))
    path.write_bytes(b"a\n\\x5cxff\n")  # the remedy
    assert parse("--control-symbols-file", str(path))[0] == {"control_symbols": ["a", "\\xff"]}


WRONG = [
    {"vocab_size": 100},
    {"vocab_size": 100, "lossless": True, "control_symbols": ["<a>"]},
    {"vocab_size": 263, "model_type": "bpe"},
    {"vocab_size": 263, "required_chars": "xyz"},
    {"vocab_size": 99999, "pad_id": 9999},
    {"vocab_size": 300, "lossless": True, "normalization": "nfkc"},
    {"vocab_size": 300, "lossless": "strict", "denormalization": {"a": "b"}},
    {"vocab_size": 300, "lossless": True, "byte_fallback": False, "denormalization": {"a": "b"}},
    {"vocab_size": "all"},
    {"vocab_size": 300, "character_coverage": "auto"},
    {"vocab_size": 300, "seed_source": "bpe", "model_type": "word"},
    {"vocab_size": 300, "unk_id": -1, "byte_fallback": False},
    {"vocab_size": 300, "user_defined_symbols": ["<unk>"]},
    {"vocab_size": 300, "control_symbols": ["a"], "required_chars": "a"},
    {"vocab_size": 300, "bos_id": 2},
    {"vocab_size": 300, "max_sentence_length": 10},
]


@pytest.mark.parametrize("options", WRONG, ids=str)
def test_errors_speak_of_flags(options):
    parser = CommandParser("train", "", "")
    add_training_options(parser)
    with pytest.raises(spm_lite.SpmLiteError) as caught:
        spm_lite.train(["the mill turns all day"] * 9, **options)
    shown = with_flags(str(caught.value), parser.flags)
    flags = re.findall(r"--[\w-]+", shown)
    assert flags
    assert all(flag in parser._option_string_actions for flag in flags), shown
    assert not re.search("|".join(option.name for option in OPTIONS if "_" in option.name), shown)
    assert not re.search("=(True|False)", shown)


def test_an_option_of_several_names_bears_the_one_that_was_typed():
    parser = CommandParser("train", "", "")
    add_training_options(parser)
    given, _ = parser.parse(["--normalization-rule-tsv", "r.tsv", "--control-symbols-file", "s.txt"])
    message = "lossless=True contradicts normalization (user_defined) and denormalization: no control_symbols"
    assert with_flags(message, parser.flags, typed_names(given)) == (
        "--lossless contradicts --normalization-rule-tsv (user_defined) and --denormalization-rule-tsv: "
        "no --control-symbols-file"
    )
    message = "nothing after normalization: give text"
    assert with_flags(message, parser.flags, typed_names(given)) == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<unk>\t0\n<s>\t0\n\xe2\x96\x81a\t-1.25\r\n", "the first line, '<unk>\\t0', is a text, TAB and number"),
        (b'["<a>", "<b>"]\n', "is JSON, not lines of text: write one text per line"),
        (b'{"<a>": 1,\n "<b>": 2}\n', "is JSON"),
        (b"\x1f\x8b\x08\0", "is gzip data, not text: unpack it first"),
        (b"%PDF-1.7\n", "is a PDF document, not text"),
    ],
)
def test_files_that_are_no_lists(tmp_path, data, message):
    path = tmp_path / "wrong"
    path.write_bytes(data)
    with pytest.raises(SpmLiteError, match=re.escape(message)):
        read_lines(str(path))


@pytest.mark.parametrize("data", [b"<a>\n[]\n", b"{}", b"[1]\n", b"a\tb\n", b"1\n2\n", b'"\n'])
def test_odd_symbols_stay(tmp_path, data):
    path = tmp_path / "right"
    path.write_bytes(data)
    assert read_lines(str(path)) == data.decode().strip("\n").split("\n")
