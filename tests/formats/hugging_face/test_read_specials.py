"""Added tokens that text becomes only when it is normalized: a condition says so, and nothing else differs."""

import json
import random
import sys

import pytest
from oracle.repository import ROOT

import spm_lite
from spm_lite.formats.proof.conditions import Findings
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.conversions import json_of
from spm_lite.tokenizer.format_table import Settings

tokenizers = pytest.importorskip("tokenizers")
LINES = ["the cat there sat on the mat", "a b cat. a, b!", "CLS the unk"] * 9
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False}


def file_of(folder, model_type, content, **flags):
    """A tokenizer.json with one more added token."""
    options = {"normalization": "nmt_nfkc"} if model_type == "unigram" else {}
    tok = spm_lite.train(texts=LINES, model_type=model_type, vocab_size=340, hard_vocab_limit=False, **options)
    parts = json.loads(json_of(tok))
    size = len(parts["model"]["vocab"])
    parts["added_tokens"].append({"id": size, "content": content, **FLAGS, **flags})
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    return path


def outcome(path, text):
    """Whether ids of a text are the same in tokenizers, and the names of the conditions that it does not meet."""
    settings = Settings(findings=Findings(("unused", "stranded")))
    entry, source = loading.opened(path)
    tok = loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings)
    findings, partner = entry.prove_read(tok, source, settings)
    unmet = [condition.name for condition in findings.conditions if not condition.is_met(text)]
    return tok.encode_lists([text]) == partner.encode([text]), unmet


@pytest.mark.parametrize(
    ("model_type", "content", "flags", "text"),
    [
        ("bpe", "a b", {"normalized": True, "special": True}, "a\u2581b"),
        ("unigram", "cat", {"normalized": True, "special": True}, "the \uff43\uff41\uff54"),
    ],
)
def test_a_token_that_comes_of_normalizing(tmp_path, model_type, content, flags, text):
    path = file_of(tmp_path, model_type, content, **flags)
    same, unmet = outcome(path, text)
    assert "normalized" in unmet
    assert not same or content.startswith("\u2581")  # there the ids may be the same by chance
    assert outcome(path, "sat on") == (True, [])


@pytest.mark.parametrize(
    ("model_type", "content", "flags", "text"),
    [
        ("bpe", "a b", {"normalized": True, "special": False}, "a\u2581b"),
        ("unigram", "\u2581th", {"normalized": False, "special": False}, " there"),
        ("unigram", "th", {"normalized": False, "special": False, "lstrip": True}, "a  there th"),
        ("wordpiece", "at", {"normalized": True, "special": False, "single_word": True}, "Cat AT at, \u00c1t"),
    ],
)
def test_a_token_that_is_not_special_is_found_as_there(tmp_path, model_type, content, flags, text):
    assert outcome(file_of(tmp_path, model_type, content, **flags), text) == (True, [])


def test_a_special_piece_that_comes_of_normalizing(tmp_path):
    """A Unigram model looks up all of the normalized text there, and the condition names the special pieces."""
    path = file_of(tmp_path, "unigram", "<x>", normalized=False, special=True)
    same, unmet = outcome(path, "a \uff1cunk\uff1e")
    assert not same and "special" in unmet


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_files_made_at_random(seed, tmp_path):
    """Changed components, options and added tokens: each file is refused, or gives the same ids under conditions."""
    sys.path.insert(0, str(ROOT / "tools" / "fuzz"))
    try:
        import pipelines
    finally:
        del sys.path[0]
    draw = random.Random(f"tokenizer.json {seed}")
    bases = {kind: [json.dumps(make(draw))] for kind, make in pipelines.BASES.items()}
    path, n_read = tmp_path / "tokenizer.json", 0
    for _ in range(60):
        _, data = pipelines.make_file(draw, bases)
        text = json.dumps(data, ensure_ascii=False)
        try:
            tokenizers.Tokenizer.from_str(text)
        except BaseException:  # a panic there is not an Exception
            continue
        path.write_text(text, encoding="utf-8")
        added = [token["content"] for token in data["added_tokens"]]
        try:
            assert pipelines.first_difference(path, pipelines.texts_of(draw, added, 40)) is None, text
            n_read += 1
        except spm_lite.SpmLiteError:
            continue
    assert n_read > 5
