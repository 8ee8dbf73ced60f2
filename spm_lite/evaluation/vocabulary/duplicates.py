"""Pieces that are the same except for normalization, case or a space."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

if TYPE_CHECKING:
    from spm_lite.evaluation.vocabulary.piece_kinds import VocabularyView


def duplicate_figures(view: VocabularyView, around: str) -> dict[str, Any]:
    """Groups of pieces with the same key. around: a character between which normalization changes only the piece."""
    return {name: groups_of(map(key, view.surfaces)) for name, key in keys_of(view, around).items()}


def keys_of(view: VocabularyView, around: str) -> dict[str, Callable[[str], str]]:
    """What pieces of a group have in common."""
    return {
        "normalizer": lambda surface: view.encoder.normalize(
            (around + surface + around).encode("utf-8", "surrogateescape"), True
        ),
        "nfc": lambda surface: normalize("NFC", surface),
        "nfkc": lambda surface: normalize("NFKC", surface),
        "case": str.casefold,
        "space": without_space,
        "case_space": lambda surface: without_space(surface).casefold(),
    }


def without_space(surface: str) -> str:
    """A surface without one space at its start, unless that is all of it."""
    return surface[1:] if len(surface) > 1 and surface[0] == " " else surface


def groups_of(keys: Iterable[str]) -> dict[str, int]:
    """The groups of two or more, the pieces in them, and how many of these are one too many.

    >>> groups_of(["a", "b", "a", "a"])
    {'groups': 1, 'pieces': 3, 'surplus': 2}
    """
    sizes = [count for count in Counter(keys).values() if count > 1]
    return {"groups": len(sizes), "pieces": sum(sizes), "surplus": sum(sizes) - len(sizes)}
