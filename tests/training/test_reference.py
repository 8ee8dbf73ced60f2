"""Pieces, order and scores equal those of the original, bit for bit.

Larger corpora and more options: tools/compare/trainers.py.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.slow import slow_after

pytest.importorskip("sentencepiece")

from oracle.reference import our_pieces, reference_pieces

pytestmark = pytest.mark.thread_unsafe  # several trainings of the original at once end the process

OPTIONS: list[dict[str, Any]] = [
    {},
    {"split_digits": True, "byte_fallback": True},
    {"split_by_unicode_script": False, "user_defined_symbols": ["the", "\u2581a"], "control_symbols": ["ing"]},
    {"split_by_number": False, "treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False, "allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
    {"normalization": "identity", "remove_extra_whitespaces": False, "allow_whitespace_only_pieces": True},
    {"required_chars": "z\u2603", "character_coverage": 0.98, "unk_id": 2, "bos_id": -1, "eos_id": 0, "pad_id": 5},
    {"byte_fallback": True, "auto_character_coverage": True},
    {"vocab_size": 100_000},
    {"vocab_size": 20},
]


def assert_same(ours: Any, theirs: Any) -> None:
    if isinstance(ours, str) and isinstance(theirs, str):
        return  # both refuse
    assert ours == theirs
    assert list(map(repr, ours)) == list(map(repr, theirs))  # -0.0 is not 0.0


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char", "word"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "defaults")
@pytest.mark.parametrize("name", slow_after(1, ["en-botchan.txt", "ko-commonvoice.txt"]))
def test_real_corpora(shared_data: Path, model_type: str, options: dict[str, Any], name: str) -> None:
    lines = (shared_data / "corpora" / name).read_text(encoding="utf-8").split("\n")[:400]
    if model_type != "bpe" and "auto_character_coverage" in options:
        pytest.skip("an option of BPE")
    options = {"vocab_size": 900, "model_type": model_type, **options}
    assert_same(our_pieces(lines, **options), reference_pieces(lines, **options))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    lines=st.lists(st.text("aabbc d7,あア\u0301ж\u2585\x1f\u2581", min_size=1, max_size=20), min_size=1, max_size=6),
    vocab_size=st.integers(8, 60),
    model_type=st.sampled_from(["unigram", "unigram", "bpe", "bpe", "char", "word"]),
    by_whitespace=st.booleans(),
    by_script=st.booleans(),
    suffix=st.booleans(),
    whitespace_only=st.booleans(),
    identity=st.booleans(),
)
def test_tiny_corpora(
    lines: list[str],
    vocab_size: int,
    model_type: str,
    by_whitespace: bool,
    by_script: bool,
    suffix: bool,
    whitespace_only: bool,
    identity: bool,
) -> None:
    options: dict[str, Any] = {
        "vocab_size": vocab_size,
        "model_type": model_type,
        "split_by_whitespace": by_whitespace,
        "split_by_unicode_script": by_script,
        "treat_whitespace_as_suffix": suffix,
        "allow_whitespace_only_pieces": whitespace_only,
        "remove_extra_whitespaces": not identity,
        "normalization": "identity" if identity else "nmt_nfkc",
    }
    assert_same(our_pieces(lines, **options), reference_pieces(lines, **options))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.text("aあい\u2581 ", min_size=1, max_size=9), min_size=1, max_size=6),
    n_others=st.integers(0, 80),
    suffix=st.booleans(),
)
def test_space_outside_the_alphabet(lines: list[str], n_others: int, suffix: bool) -> None:
    """Where spaces are rare, the original's word model takes a text with one for a single unknown word."""
    options: dict[str, Any] = {
        "vocab_size": 30,
        "model_type": "word",
        "character_coverage": 0.98,
        "treat_whitespace_as_suffix": suffix,
        "add_dummy_prefix": suffix,
        "normalization": "identity",
    }
    lines = [*lines, *["あ", "いい"] * n_others]
    assert_same(our_pieces(lines, **options), reference_pieces(lines, **options))
