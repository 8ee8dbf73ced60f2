"""Dev texts: lines that go together, and what their costs are measured by."""

from fractions import Fraction

import pytest
from oracle.small_models import HARD

import spm_lite
from spm_lite.files.corpus import open_source
from spm_lite.training.balance.dev_texts import read_dev_texts, sizes_of, wanted_tokens
from spm_lite.training.balance.fairness_options import Fairness, ParityOptions


def fairness(texts, targets=None, unit="bytes_per_token"):
    sources = {name: open_source(lines) for name, lines in texts.items()}
    return Fairness("tokens", sources, targets or {}, unit, 0.02, ParityOptions())


def test_lines_that_are_blank_in_one_language(tmp_path):
    (tmp_path / "b.txt").write_text("1\n \n3\n4\n", encoding="utf-8")
    found = read_dev_texts(fairness({"a": iter(["x", "y", "z", ""]), "b": tmp_path / "b.txt"}))
    assert found.lines == {"a": [b"x", b"z"], "b": [b"1", b"3"]}
    assert found.n_left_out == 4


def test_lines_need_not_go_together_where_there_are_targets():
    found = read_dev_texts(fairness({"a": ["x", "y"], "b": ["1", "", "3"]}, {"a": 1.0}))
    assert found.lines == {"a": [b"x", b"y"], "b": [b"1", b"3"]}


def test_tokens_and_sizes():
    lines = [text for text in HARD if text.strip()]
    tok = spm_lite.train(HARD * 3, vocab_size=300, hard_vocab_limit=False)
    found = read_dev_texts(fairness({"a": lines, "b": [*reversed(lines)]}))
    n = sum(len(tok.encode(line)) for line in lines)
    assert found.tokens(tok, 2) == {"a": n, "b": n}
    size = {"bytes": sum(len(line.encode()) for line in lines), "characters": sum(map(len, lines)), "texts": len(lines)}
    assert found.sizes["a"] == size == sizes_of([line.encode() for line in lines])


@pytest.mark.parametrize(
    ("unit", "tokens"), [("bytes_per_token", 12 / 3), ("characters_per_token", 6 / 3), ("tokens_per_line", 3 * 5)]
)
def test_the_tokens_that_a_target_allows(unit, tokens):
    sizes = {"a": {"bytes": 12, "characters": 6, "texts": 5}, "b": {}}
    assert wanted_tokens(fairness({"a": ["x"]}, {"a": 3.0}, unit), sizes) == {"a": Fraction(tokens)}


def test_lines_of_which_normalization_leaves_nothing():
    tok = spm_lite.train(["a b c"] * 9, vocab_size=300, hard_vocab_limit=False, normalization="nmt_nfkc")
    found = read_dev_texts(fairness({"a": ["a b", "c"], "b": ["\x01", "\x02"]}))
    with pytest.raises(spm_lite.TrainingError, match="the parallel text of 'b': nothing is left of its 2 lines"):
        found.tokens(tok, 1)


def test_another_encoding_is_logged(tmp_path, caplog):
    (tmp_path / "a.txt").write_bytes(("grün und blau\n" * 40).encode("latin-1"))
    read_dev_texts(fairness({"a": tmp_path / "a.txt", "b": ["green and blue"] * 40}))
    assert "a.txt" in caplog.text and "UTF-8" in caplog.text
