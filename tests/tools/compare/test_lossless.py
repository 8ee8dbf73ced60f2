"""The law of lossless models, on a sample of what `tools/compare/lossless.py` checks."""

import importlib.util
import random
from itertools import islice
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[3] / "tools" / "compare" / "lossless.py"


@pytest.fixture(scope="module")
def tool():
    if not TOOL.exists():
        pytest.skip(f"no {TOOL}: the tests are run without the tools")
    spec = importlib.util.spec_from_file_location("lossless", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_kind_of_model(tool):
    """Some characters of each block, and random texts and bytes, here and in the original library."""
    n_models = 0
    for name, tok in tool.trained_models(seed=3, vocab_size=500):
        law = tool.Law(tok)
        law.check(islice(tool.scalars(few=True), 0, None, 11))
        law.check(islice(tool.random_strings(tok, random.Random(3)), 2000))
        assert law.n_failures == 0, (name, law.failures)
        assert law.n_strings > 5000
        n_models += 1
    assert n_models == 24


@pytest.mark.slow
def test_every_character_of_one_model(tool):
    name, tok = next(tool.trained_models(seed=4, vocab_size=500))
    law = tool.Law(tok, with_original=False)
    law.check(chr(i) for i in range(0x110000) if not 0xD800 <= i <= 0xDFFF)
    assert (law.n_strings, law.n_failures) == (tool.N_SCALARS, 0), (name, law.failures)


def test_failures_are_found(tool):
    """A model that loses something does not pass."""
    tok = tool.spm_lite.train(["ab cd"] * 9, vocab_size=300, hard_vocab_limit=False, normalization="nfkc")
    law = tool.Law(tok)
    law.check(["a b", "ﬁ", " a", b"\xff"])
    assert law.n_failures >= 3 and len(law.failures) <= 5
