"""Near ties of Unigram models: the texts of which rounding decides how they are cut."""

import json

import pytest
from oracle import partners

import spm_lite
from spm_lite.formats.hugging_face.near_ties import NEAR_TIES, cut_at
from spm_lite.formats.proof.conditions import Findings
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import Settings

# "-" + "---" and "---" + "-" have the same score, and rounding says which sum is larger.
VOCAB = [["<unk>", 0.0], ["<s>", 0.0], ["\u2581", -2.3], ["a", -3.1], ["-", -4.7], ["---", -6.1], ["\u2581a", -5.0]]


def read(tmp_path, *allow):
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": i, "content": text, "special": True, **flags} for i, text in enumerate(("<unk>", "<s>"))]
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    model = {"type": "Unigram", "unk_id": 0, "vocab": VOCAB, "byte_fallback": False}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": added, "pre_tokenizer": metaspace, "model": model}))
    settings = Settings(findings=Findings(allow))
    entry, source = loading.opened(path)
    return loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings), settings.findings, path


def test_a_file_names_texts_with_near_ties(tmp_path):
    tok, findings, path = read(tmp_path, NEAR_TIES)
    (test,) = [test for test in findings.conditions if test.name == NEAR_TIES]
    texts = ["-" * n for n in range(40)] + ["a" + "-" * n + " a" for n in range(20)] + ["a a", "", "<s>a<s>", "\u00e9"]
    other = pytest.importorskip("tokenizers").Tokenizer.from_file(str(path))
    for text in texts:
        if test.is_met(text):
            assert tok.encode(text, allow_special="all") == other.encode(text).ids
    assert not test.is_met("----") and test.is_met("a a") and test.is_met("<s>a<s>a")
    assert test.sentence in tok.info.conditions


def test_a_file_that_is_read_exactly_has_none(tmp_path):
    tok, findings, path = read(tmp_path)
    assert NEAR_TIES not in [test.name for test in findings.conditions]
    texts = ["-" * n for n in range(40)] + ["a" + "-" * n + " a" for n in range(20)]
    other = pytest.importorskip("tokenizers").Tokenizer.from_file(str(path))
    assert [tok.encode(text) for text in texts] == [other.encode(text).ids for text in texts]


def test_models_that_are_written_have_it_too(tmp_path):
    tok = partners.trained("unigram")
    conversion = tok.to_hf(tmp_path / "out", allow="metaspace")
    (test,) = [test for test in conversion._tests if test.name == NEAR_TIES]
    assert test.is_met("the cat") and test.is_met("the cat<s>the cat")


def test_texts_are_cut_at_the_longest():
    assert cut_at(["<a>", "<a>b", ""])("x<a>by<a>") == ["x", "y", ""]
    assert cut_at([])("x") == ["x"]
