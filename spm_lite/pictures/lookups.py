"""Models that cut text without a choice: by characters, words or bytes, each of which is looked up.

Damaged vocabularies are drawn so too: where a piece ends within a character, there are no steps between characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from spm_lite.kinds import SPACE
from spm_lite.pictures.diagram import NUMBER, PIECE, UNKNOWN, Box, Diagram, Row

if TYPE_CHECKING:
    from spm_lite.pictures.tokens import Group

MOST_COLUMNS = 24
REASONS = {
    "char": "each character is a piece",
    "word": "each word is a piece",
    "byte": "each byte is a piece",
}
DAMAGED = "pieces (this vocabulary has some that are not UTF-8, so no steps are drawn)"


def diagrams(groups: Sequence[Group], model_type: str) -> Iterator[Diagram]:
    """Yield the groups of a text, some of them in each diagram: what stands there, and its ids."""
    first = 0
    for place, group in enumerate(groups):
        starts_word = model_type == "word" and (not group.is_in_bytes or group.shown.startswith(SPACE))
        if place > first and (starts_word or place - first >= MOST_COLUMNS):
            yield diagram(groups[first:place], model_type)
            first = place
    if groups:
        yield diagram(groups[first:], model_type)


def diagram(groups: Sequence[Group], model_type: str) -> Diagram:
    """A row of pieces and a row of ids; a group of bytes has a column for each."""
    places = [0, *accumulate(len(group.tokens) for group in groups)]
    pieces, ids = [], []
    for group, (begin, end) in zip(groups, pairwise(places), strict=True):
        kind = UNKNOWN if group.is_unknown else PIECE
        pieces.append(Box(begin, end, group.shown, kind))
        for place, token in enumerate(group.tokens, begin):
            label = "-" if token.piece_id < 0 else str(token.piece_id)
            ids.append(
                Box(
                    place,
                    place + 1,
                    f"{label} unk" if group.is_unknown else label,
                    UNKNOWN if group.is_unknown else NUMBER,
                )
            )
    reason = REASONS.get(model_type, DAMAGED)
    if model_type == "word" and any(group.is_in_bytes for group in groups):
        reason = "not a piece: its bytes"
    rows = (Row(tuple(pieces), reason), Row(tuple(ids), "ids"))
    return Diagram("".join(group.shown for group in groups), places[-1], rows)
