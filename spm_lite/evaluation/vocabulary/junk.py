"""Pieces that are rarely wanted: of control characters, long runs, numbers, several scripts; and duplicates.

Duplicates are pieces that are the same except for normalization, case or a space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from unicodedata import category, normalize

from spm_lite.evaluation.figures.character_counts import script_of_piece

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


FIRST = 5  # ids that are named
LONG = 16  # characters; longer pieces are `long`
REPEATED = 4
USUAL_CONTROLS = "\t\n\r"
HOLDING = {"Co": "private_use", "Cn": "unassigned"}  # general category -> kind of a piece that holds one


KINDS = (  # all that `kinds_of` may give
    "whitespace", "crosses_space", "control", "replacement", *HOLDING.values(), "digits_1", "digits_2", "digits_3",
    "digits_4+", "digits_and_letters", "mixed_script", "punctuation_run", "repeat", "long",
)  # fmt: skip


def junk_figures(view: VocabularyView) -> dict[str, Any]:
    """The kinds of junk that occur, with how many pieces each has and the first of them."""
    found: dict[str, list[int]] = {}
    for piece_id, surface in zip(view.ids, view.surfaces, strict=True):
        for kind in kinds_of(surface):
            found.setdefault(kind, []).append(piece_id)
    return {
        kind: {"count": len(ids), "first": ids[:FIRST], "pieces": [view.shown(i) for i in ids[:FIRST]]}
        for kind, ids in sorted(found.items())
    }


def kinds_of(surface: str) -> Iterator[str]:
    """All kinds of junk that a piece is.

    >>> list(kinds_of(" 1999")), list(kinds_of("----")), list(kinds_of("the"))
    (['digits_4+'], ['punctuation_run', 'repeat'], [])
    """
    core = without_space(surface)
    classes = set(map(category, core))
    if surface and surface.isspace():
        yield "whitespace"
    elif " " in core.strip(" "):
        yield "crosses_space"
    if "Cc" in classes and any(category(char) == "Cc" for char in core if char not in USUAL_CONTROLS):
        yield "control"
    if "\ufffd" in core:
        yield "replacement"
    for kind, name in HOLDING.items():
        if kind in classes:
            yield name
    if classes == {"Nd"}:
        yield f"digits_{len(core)}" if len(core) < REPEATED else "digits_4+"
    elif "Nd" in classes and any(kind[0] == "L" for kind in classes):
        yield "digits_and_letters"
    if script_of_piece(surface) == "Mixed":
        yield "mixed_script"
    if len(core) >= 2 and all(kind[0] in "PS" for kind in classes):
        yield "punctuation_run"
    if len(core) >= REPEATED and len(set(core)) == 1 and not core.isspace():
        yield "repeat"
    if len(surface) > LONG:
        yield "long"
