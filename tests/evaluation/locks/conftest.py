"""Small models and their locks, made once."""

from __future__ import annotations

import pytest

import spm_lite

LISTED = "the cat sat on a mat while an old miller counted seventeen sacks of flour and grain in the rain"
WORDS = LISTED.split()
LINES = [" ".join(WORDS[k % 7 : k % 7 + 3 + k % 9]) for k in range(300)]
OPTIONS = {"vocab_size": 420, "hard_vocab_limit": False, "num_threads": 1}
SYMBOLS = {"control_symbols": ["<x>"], "user_defined_symbols": ["<sep>"]}


@pytest.fixture(scope="session")
def toks() -> dict[str, spm_lite.Tokenizer]:
    """A model of each kind."""
    found = {kind: spm_lite.train(LINES, model_type=kind, **OPTIONS) for kind in ("bpe", "unigram")}  # type: ignore[arg-type]
    for kind in ("byte_bpe", "wordpiece", "word", "char"):
        found[kind] = spm_lite.train(LINES, model_type=kind, vocab_size=300, hard_vocab_limit=False)  # type: ignore[arg-type]
    found["symbols"] = spm_lite.train(LINES, model_type="bpe", normalization="nmt_nfkc", **SYMBOLS, **OPTIONS)  # type: ignore[arg-type]
    return found


@pytest.fixture(scope="session")
def locks(toks: dict[str, spm_lite.Tokenizer]) -> dict[str, spm_lite.Lock]:
    return {name: spm_lite.lock(tok, LINES[:9]) for name, tok in toks.items()}


@pytest.fixture(scope="session")
def lines() -> list[str]:
    return LINES
