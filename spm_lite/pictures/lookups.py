"""Models that cut text without a choice: by characters, words or bytes, each of which is looked up.

Damaged vocabularies are drawn so too: where a piece ends within a character, there are no steps between characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from spm_lite.kinds import SPACE
from spm_lite.pictures.diagram import NUMBER, PIECE, UNKNOWN, Box, Diagram, Row, runs

if TYPE_CHECKING:
    from spm_lite.pictures.tokens import Group, Token

REASONS = {
    "char": "Each character is a piece.",
    "word": "The word is in the vocabulary.",
    "byte": "Each byte is a piece.",
}
DAMAGED = "Some pieces of this vocabulary are not UTF-8, so no steps are drawn."


def diagrams(groups: Sequence[Group], model_type: str) -> Iterator[Diagram]:
    """Yield the groups of a text, some of them in each diagram: what stands there, and its ids."""
    from rich.cells import cell_len

    cells = (max(cell_len(group.shown), sum(len(id_of(token)) + 1 for token in group.tokens)) + 1 for group in groups)
    starts = (model_type == "word" and (not group.is_in_bytes or group.shown.startswith(SPACE)) for group in groups)
    for first, last in runs(cells, starts):
        yield diagram(groups[first:last], model_type)


def id_of(token: Token) -> str:
    """The id of a token as it is shown."""
    return "-" if token.piece_id < 0 else str(token.piece_id)


def diagram(groups: Sequence[Group], model_type: str) -> Diagram:
    """A row of pieces and a row of ids; a group of bytes has a column for each."""
    places = [0, *accumulate(len(group.tokens) for group in groups)]
    pieces, ids = [], []
    for group, (begin, end) in zip(groups, pairwise(places), strict=True):
        kind = UNKNOWN if group.is_unknown else PIECE
        pieces.append(Box(begin, end, group.shown, kind))
        for place, token in enumerate(group.tokens, begin):
            label = f"{id_of(token)} unk" if group.is_unknown else id_of(token)
            ids.append(Box(place, place + 1, label, UNKNOWN if group.is_unknown else NUMBER))
    reason = REASONS.get(model_type, DAMAGED)
    missing = " ".join(dict.fromkeys(group.shown for group in groups if group.is_unknown))
    if missing:
        reason = f"No piece is {missing}, so it is unknown."
    elif model_type == "word" and any(group.is_in_bytes for group in groups):
        reason = "The word is not in the vocabulary, so it becomes its bytes."
    rows = (Row(tuple(pieces), "pieces"), Row(tuple(ids), "ids"))
    return Diagram("".join(group.shown for group in groups), places[-1], rows, why=reason)
