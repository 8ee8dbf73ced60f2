"""What the fuzz expects of a model that was read."""

import json
import sys

import pytest
from oracle.repository import ROOT

import spm_lite

pytest.importorskip("numpy")

TOOLS = ROOT / "tools" / "fuzz"
pytestmark = pytest.mark.skipif(not TOOLS.exists() or sys.platform == "win32", reason="no source tree")


def test_characters_may_vanish_from_a_list_of_merges(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    import targets

    model = {"type": "BPE", "vocab": {"\u2581": 0, "a": 1, "\u2581a": 2}, "merges": ["\u2581 a"]}
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
    data = json.dumps({"version": "1.0", "added_tokens": [], "normalizer": spaces, "model": model}).encode()
    tok = spm_lite.load(data, format="tokenizer.json")
    assert not targets.pieces_join(tok)
    assert targets.check_encoding(tok, b" a b a") == [2, 0, 2]
    assert targets.pieces_join(spm_lite.train(["the cat sat"] * 9, vocab_size=20, byte_fallback=False))
