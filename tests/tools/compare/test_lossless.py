"""The law of lossless models, on a sample of what `tools/compare/lossless.py` checks."""

import importlib
import random
from itertools import islice
from pathlib import Path

import pytest

import spm_lite

COMPARE = Path(__file__).resolve().parents[3] / "tools" / "compare"

pytest.importorskip("sentencepiece")


@pytest.fixture(scope="module")
def tool():
    if not COMPARE.exists():
        pytest.skip(f"no {COMPARE}: the tests are run without the tools")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(COMPARE))
        return importlib.import_module("lossless")


def test_every_kind_of_model(tool):
    """Some characters of each block, and random texts and bytes, here and in the original library."""
    n_models = 0
    for name, tok in tool.trained_models(seed=3, vocab_size=500):
        law = tool.Law(name, tok)
        law.run(islice(tool.scalars(tool.FORMS, tool.FEW), 0, None, 11))
        law.run(islice(tool.random_strings(tok, random.Random(3)), 2000))
        assert law.n_differences == 0, name
        assert law.counts["strings"] > 5000
        n_models += 1
    assert n_models == 24


@pytest.mark.slow
def test_every_character_of_one_model(tool):
    name, tok = next(tool.trained_models(seed=4, vocab_size=500))
    law = tool.Law(name, tok, with_original=False)
    law.run(tool.scalars())
    assert (law.counts["strings"], law.n_differences) == (0x110000 - 0x800, 0), name


def test_failures_are_found(tool, capsys):
    """A model that loses something does not pass."""
    tok = spm_lite.train(["ab cd"] * 9, vocab_size=300, hard_vocab_limit=False, normalization="nfkc_rules")
    law = tool.Law("lossy", tok)
    law.run(["a b", "ﬁ", " a", b"\xff"] * 3)
    assert law.n_differences >= 9
    assert capsys.readouterr().out.count("lossy: ") == law.shown
