"""Golden vectors: stored models give the stored ids and texts, and the same training gives the same model.

A failure means that behaviour has changed: that needs a new format version, and then `tools/generate/golden.py`.
"""

import base64
import hashlib
import json
import zlib
from pathlib import Path

import pytest

import spm_lite

GOLDEN = json.loads(Path(__file__).with_name("golden.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GOLDEN["models"])
def test_stored_models(name):
    stored = GOLDEN["models"][name]
    data = zlib.decompress(base64.b64decode(stored["model"]))
    assert hashlib.sha256(data).hexdigest() == stored["sha256"]
    tok = spm_lite.Tokenizer.load(data)
    assert tok.to_bytes() == data
    assert tok.encode_lists(GOLDEN["texts"]) == stored["ids"]
    assert [tok.decode(ids) for ids in stored["ids"]] == stored["decoded"]
    assert [tok.encode(bytes.fromhex(text)) for text in GOLDEN["bytes"]] == stored["ids of bytes"]


@pytest.mark.parametrize("name", GOLDEN["options"])
def test_the_same_training(name):
    tok = spm_lite.train(GOLDEN["corpus"] * 4, hard_vocab_limit=False, num_threads=2, **GOLDEN["options"][name])
    assert hashlib.sha256(tok.to_bytes()).hexdigest() == GOLDEN["models"][name]["sha256"]
