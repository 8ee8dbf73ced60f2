"""Which characters are kept."""

from typing import Any

import pytest

from spm_lite.errors import OptionError, TrainingError
from spm_lite.specs import TrainerSpec
from spm_lite.training.alphabet import choose_alphabet
from spm_lite.training.counts.chunk_table import ChunkTable


def kept(counts: dict[str | bytes, int], reference_rules: bool = False, **options: Any) -> list[tuple[str, int]]:
    table = ChunkTable.from_items(
        (text if isinstance(text, bytes) else text.encode(), count) for text, count in counts.items()
    )
    return choose_alphabet(table, TrainerSpec(**options), reference_rules).items()


def test_coverage() -> None:
    counts: dict[str | bytes, int] = {"a": 90, "b": 8, "c": 1, "d": 1}
    assert kept(counts, lossless=False, character_coverage=0.98) == [("a", 90), ("b", 8)]
    assert kept(counts, lossless=False, character_coverage=0.99) == [("a", 90), ("b", 8), ("c", 1)]
    assert kept(counts, lossless=False, character_coverage=1.0) == [("a", 90), ("b", 8), ("c", 1), ("d", 1)]


def test_full_coverage_is_exact() -> None:
    """The original loses a character of 1 in 100 million at coverage 1.0."""
    counts: dict[str | bytes, int] = {"a": 10**8, "b": 1}
    assert kept(counts, lossless=False, character_coverage=1.0) == [("a", 10**8), ("b", 1)]
    assert kept(counts, True, lossless=False, character_coverage=1.0) == [("a", 10**8)]


def test_boundaries_count_as_text() -> None:
    counts: dict[str | bytes, int] = {b"\xff": 99, "a": 1}
    assert kept(counts, lossless=False, character_coverage=0.98) == []
    assert kept(counts, lossless=False, character_coverage=1.0) == [("a", 1)]


def test_space_mark_of_lossless_models() -> None:
    assert kept({"a": 10}) == [("a", 10), ("\u2581", 0)]
    assert kept({"a": 10**6, "\u2581": 1}, character_coverage=0.98) == [("a", 10**6), ("\u2581", 1)]


def test_required_characters() -> None:
    counts: dict[str | bytes, int] = {"a": 98, "b": 2}
    options: dict[str, Any] = {"lossless": False, "character_coverage": 0.98}
    assert kept(counts, required_chars="zb", **options) == [("a", 98), ("b", 2), ("z", 0)]
    assert kept(counts, required_chars="\u2581", **options) == [("a", 98), ("\u2581", 0)]
    with pytest.raises(OptionError, match="required_chars"):
        kept(counts, required_chars=" ")
    with pytest.raises(OptionError, match="required_chars"):
        kept(counts, True, required_chars="\u2585")


def test_nul_is_left_out() -> None:
    assert kept({"a\0": 5}, lossless=False) == [("a", 5)]


def test_no_characters() -> None:
    with pytest.raises(TrainingError, match="no characters"):
        kept({"\0": 5}, lossless=False)


def test_other_characters() -> None:
    """What is left out is counted, without the boundaries."""
    table = ChunkTable.from_items([(b"a", 980), (b"b", 12), (b"c", 5), (b"\xff", 3)])
    alphabet = choose_alphabet(table, TrainerSpec(lossless=False, character_coverage=0.99))
    assert alphabet.items() == [("a", 980), ("b", 12)]
    assert alphabet.n_other_characters == 5
