"""Pipelines that become steps: each text gets the ids of tokenizers, or the file is refused by the component's name."""

import base64
import json

import pytest

import spm_lite
from spm_lite.errors import ModelError
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.hugging_face.read_steps import check_steps
from spm_lite.formats.proof.conditions import Findings
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import Settings

FIRST = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
ALWAYS = {**FIRST, "prepend_scheme": "always"}
NEVER = {**FIRST, "prepend_scheme": "never"}
WORDS = {"type": "WhitespaceSplit"}
RULES = base64.b64encode(compile_rules({"\u200d": "", "①": "1", "e\u0301": "é"})).decode()
PRECOMPILED = {"type": "Precompiled", "precompiled_charsmap": RULES}
STRIP = {"type": "Strip", "strip_left": True, "strip_right": True}
TEXTS = [
    *("", " ", "a", " a", "▁a", "\x0ba", "\u200da", " \u200da b", "\u0301a b", "  a  b ", "\n", "\na", "a\n", "-a"),
    *("ea <x>b", " ea", "the e", "xea e", "x <x>", "a<x> a", "é\u0e33 a", "e\u0301\u0e33", "e\u0301\u0e4d", "①a"),
    *("\xa0\u0301a", " \u0301\u0323a", "\xa8a"),
]


def replaced(pattern, content, kind="String"):
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def token(content, **flags):
    usual = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"content": content, **usual, **flags}


def written(path, normalizers, cuts, tokens):
    """The file of a model of characters."""
    vocab = {text: i for i, text in enumerate(["<unk>", "▁", *"abehtx1é-", "\u0301"])}
    added = [{"id": 0, **token("<unk>", special=True)}]
    added += [{"id": len(vocab) + i, **one} for i, one in enumerate(tokens)]
    parts = {
        **dict.fromkeys(("truncation", "padding", "post_processor", "decoder")),
        "version": "1.0",
        "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": normalizers} if normalizers else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts},
        "model": {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "vocab": vocab, "merges": []},
    }
    path.write_text(json.dumps(parts))
    return path


READ = {
    "a start that Nmt drops": ([{"type": "Nmt"}], [FIRST], []),
    "a start that goes with its accents": ([{"type": "StripAccents"}, {"type": "NFC"}], [FIRST], []),
    "a start that Strip drops": ([STRIP], [FIRST], []),
    "a start that Strip drops before a mark": ([{"type": "NFKC"}, STRIP], [FIRST], []),
    "spaces that are U+2581 before words are cut": ([replaced(" ", "▁")], [WORDS, ALWAYS], []),
    "a start that a charsmap drops": ([PRECOMPILED], [FIRST], []),
    "a charsmap after a form": ([{"type": "NFKD"}, PRECOMPILED], [ALWAYS], []),
    "a text that becomes empty": ([replaced("\n", "")], [ALWAYS], []),
    "words and a normalized token": (
        [],
        [WORDS, ALWAYS],
        [token("<x>", single_word=True, lstrip=True, normalized=True)],
    ),
    "a normalized token and no prefix": (
        [{"type": "StripAccents"}],
        [NEVER],
        [token("é", lstrip=True, normalized=True)],
    ),
}
REFUSED = {
    "the scheme first beside WhitespaceSplit, .* With prepend_scheme always and split true": ([], [WORDS, FIRST], []),
    "the scheme first beside": ([replaced(r"\s+", "x", "Regex")], [FIRST], []),
    "makes empty": ([STRIP], [ALWAYS], [token("  ", normalized=True)]),
}


@pytest.mark.parametrize("name", READ)
def test_texts_get_the_ids_of_tokenizers(name, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    path = written(tmp_path / "tokenizer.json", *READ[name])
    tok = spm_lite.Tokenizer.load(path, allow=["metaspace"])
    other = tokenizers.Tokenizer.from_file(str(path))
    for text in TEXTS:
        ids = tok.encode(text)
        assert ids == other.encode(text).ids, text
        assert tok.count(text) == len(ids) == len(tok.spans(text))


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_by_the_name_of_a_component(name, tmp_path):
    path = written(tmp_path / "tokenizer.json", *REFUSED[name])
    with pytest.raises(ModelError, match=name):
        spm_lite.Tokenizer.load(path, allow=["metaspace"])


def test_spans_go_on_over_text_that_a_pattern_drops():
    vocab = {sign: i for i, sign in enumerate([*map(chr, range(33, 127)), "Ġ"])}
    cuts = [{"type": "Whitespace"}, {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]
    parts = {"pre_tokenizer": {"type": "Sequence", "pretokenizers": cuts}, "model": {"vocab": vocab, "merges": []}}
    tok = spm_lite.Tokenizer.load(json.dumps(parts).encode(), format="tokenizer.json")
    assert tok.spans("a  b c") == [(0, 3), (3, 5), (5, 6)]


@pytest.mark.parametrize(
    ("normalizer", "special", "text"), [("Lowercase", "<s>", "a <S>"), ("ByteLevel", "ĠsĠ", " s ")]
)
def test_a_special_piece_that_normalizing_makes_is_a_condition(tmp_path, normalizer, special, text):
    """Unigram finds it in the text there: `<S>` becomes `<s>`, if text is lowercased."""
    path = tmp_path / "tokenizer.json"
    vocab = [["<unk>", 0.0], [special, -1.0], ["\u2581", -2.0], *([sign, -3.0] for sign in dict.fromkeys(special))]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    parts = {
        "added_tokens": [
            {"id": i, "content": text, "special": True, **flags} for i, text in enumerate(("<unk>", special))
        ],
        "normalizer": {"type": normalizer},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab},
    }
    path.write_text(json.dumps(parts), encoding="utf-8")
    settings = Settings(findings=Findings(()))
    entry, source = loading.opened(path, "tokenizer.json")
    loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings)
    made = [test for test in settings.findings.conditions if test.name == "made"]
    assert [any(not test.is_met(text) for test in made) for text in (text, "s")] == [True, False]


def test_a_special_piece_that_is_looked_for_in_another_form_is_a_condition():
    """Prepend makes another text of the token itself; a word that spells it is the piece there, and unknown here."""
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": True}
    parts = {
        "added_tokens": [{"id": 1, "content": "<s>", **flags}],
        "normalizer": {"type": "Prepend", "prepend": "\u2581"},
        "pre_tokenizer": {"type": "Split", "pattern": {"String": "\u2581"}, "behavior": "Isolated", "invert": False},
        "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, "<s>": 1, "\u2581": 2, "a": 3}},
    }
    settings = Settings(findings=Findings(()))
    entry, source = loading.opened(json.dumps(parts).encode(), "tokenizer.json")
    loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings)
    found = [test for test in settings.findings.conditions if test.name == "reserved"]
    assert [all(test.is_met(text) for test in found) for text in ("a", "a<s>")] == [True, False]


def test_strip_after_a_match_of_the_empty_text_is_refused():
    steps = [{"type": "Replace", "pattern": {"Regex": "x*"}, "content": " "}, {"type": "Strip"}]
    with pytest.raises(ModelError, match=r"Strip after Replace of 'x\*', which matches the empty text"):
        check_steps(steps)


def test_a_normalized_special_token_is_looked_for_without_the_space_before_a_text(tmp_path):
    """Bytes have a real space there: a letter with an accent within a text becomes the token under NFKD."""
    path = tmp_path / "tokenizer.json"
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
    parts = {
        "added_tokens": [{"id": 256, "content": "e\u0301", "special": True, "normalized": True, **flags}],
        "normalizer": {"type": "NFKD"},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
        "model": {"type": "BPE", "vocab": {sign: i for i, sign in enumerate(BYTES)}, "merges": []},
    }
    path.write_text(json.dumps(parts), encoding="utf-8")
    settings = Settings(findings=Findings(()))
    entry, source = loading.opened(path, "tokenizer.json")
    tok = loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings)
    findings, _ = entry.prove_read(tok, source, settings)
    are_met = [all(test.is_met(text) for test in findings.conditions) for text in ("cafe\u0301", "caf\u00e9", "cafe")]
    assert are_met == [False, False, True]
