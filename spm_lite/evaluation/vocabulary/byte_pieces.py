"""Byte pieces that no character gives, and pieces of bytes that are parts of characters."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.vocabulary.piece_kinds import PLAIN, VocabularyView
from spm_lite.evaluation.vocabulary.reach import batch_of
from spm_lite.kinds import BYTE

if TYPE_CHECKING:
    from numpy.typing import NDArray

IMPOSSIBLE = (0xC0, 0xC1, *range(0xF5, 0x100))  # in well-formed UTF-8
EXAMPLES = 5
AT_ONCE = 1 << 16  # characters encoded together
SURROGATES = range(0xD800, 0xE000)


def byte_figures(view: VocabularyView, num_threads: int) -> dict[str, Any]:
    """Which byte pieces the characters of Unicode give, each encoded by itself."""
    values = {byte_of(view.pieces[i]): i for i, kind in enumerate(view.types) if kind == BYTE}
    if not values:
        figures: dict[str, Any] = {"pieces": 0, "emittable": [], "never": [], "duplicates": []}
        return figures | partial_figures(view) if view.vocab.is_bytes else figures
    counts = counts_of_characters(view, num_threads) if view.vocab.byte_fallback else np.zeros(len(view.types))
    emittable = [value for value, i in values.items() if counts[i]]
    never = sorted(set(values) - set(emittable))
    own = {surface for surface in view.surfaces if len(surface) == 1}
    return {
        "pieces": len(values),
        "emittable": len(emittable),
        "never": never,
        "never_utf8": [value for value in never if value in IMPOSSIBLE],
        "covered_ascii": [value for value in sorted(values) if value < 0x80 and chr(value) in own],
    }


def byte_of(piece: str) -> int:
    """The value of a byte piece, such as `<0x0A>`."""
    return int(piece[3:5], 16)


def counts_of_characters(view: VocabularyView, num_threads: int) -> NDArray[np.int64]:
    """How often each id occurs when every Unicode scalar is encoded by itself."""
    counts = np.zeros(len(view.types), np.int64)
    for begin in range(0, 0x110000, AT_ONCE):
        texts: list[str | bytes] = [chr(c) for c in range(begin, begin + AT_ONCE) if c not in SURROGATES]
        ids = batch_of(view.encoder, texts, num_threads).ids
        counts += np.bincount(ids[ids >= 0], minlength=len(counts))
    return counts


def partial_figures(view: VocabularyView) -> dict[str, Any]:
    """Pieces of several bytes that are not whole characters, by where they are cut; and those of them with other text.

    A share is of all learned pieces. A part of one character alone only spells what has no piece.
    """
    texts = {i: view.vocab.text(i) for i, kind in enumerate(view.types) if kind in PLAIN}
    kinds = {i: partial_kind(data) for i, data in texts.items()}
    counts = Counter(kinds.values())
    n_learned = sum(len(data) > 1 for data in texts.values())
    cut = [i for i, kind in kinds.items() if kind != "whole"]
    joined = [i for i in cut if not is_inside(texts[i])]
    return {
        "partial_utf8": {kind: counts[kind] for kind in ("begins", "ends", "both", "other") if counts[kind]},
        "cut_characters": {
            "count": len(cut),
            "share": len(cut) / n_learned if n_learned else 0.0,
            "joined": len(joined),
            "joined_share": len(joined) / n_learned if n_learned else 0.0,
            "first": [texts[i].decode("utf-8", "backslashreplace") for i in joined[:EXAMPLES]],
        },
    }


def is_inside(data: bytes) -> bool:
    r"""Whether bytes that are no text are a part of one character.

    >>> is_inside(b"\xe3\x81"), is_inside(b"\x81\x82"), is_inside(b"a\xe3"), is_inside(b"\x82\xe3")
    (True, True, False, False)
    """
    if data[0] & 0xC0 == 0x80:
        return len(data) <= 3 and all(byte & 0xC0 == 0x80 for byte in data)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start == 0 and error.reason == "unexpected end of data"
    return False


def partial_kind(data: bytes) -> str:
    r"""Whether bytes begin or end inside a character, or both.

    >>> partial_kind(b"a"), partial_kind(b"\xa9a"), partial_kind(b"a\xc3"), partial_kind(b"\xa9a\xc3")
    ('whole', 'begins', 'ends', 'both')
    """
    if len(data) < 2:
        return "whole"
    begin = 0
    while begin < len(data) and data[begin] & 0xC0 == 0x80:
        begin += 1
    end = len(data)
    while end > begin and not is_text(data[begin:end]) and len(data) - end < 3:
        end -= 1
    if not is_text(data[begin:end]):
        return "other"
    return {(False, False): "whole", (True, False): "begins", (False, True): "ends"}.get(
        (begin > 0, end < len(data)), "both"
    )


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
