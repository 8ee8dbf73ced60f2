"""Vocabularies of subword-nmt: a piece and its count a line. Pieces that are not in them are split as they were merged.

In a model these are UNUSED pieces: merging makes them, and what remains of them at the end is split into its parts.
"""

from __future__ import annotations

import re

from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.json_file import refuse
from spm_lite.formats.subword_nmt import SPACE, Merges, shown, text_of_file

GOES_ON = "@@"  # after a piece that does not end its word
COUNT = re.compile(r"-?[0-9]{1,18}")
DEEPEST = 100  # parts within parts: BPE does not split further


def read_vocabulary(data: bytes, name: str, threshold: int | None) -> set[str]:
    """The pieces of a file, as it spells them, whose count reaches the threshold; None: all of them.

    name: of the file, in messages. Raises ModelError, naming the wrong line; OptionError if no count is high enough.
    """
    known: set[str] = set()
    highest = 0
    lines = text_of_file(data, name).rstrip("\n").split("\n")
    for number, line in enumerate(lines, 1):
        parts = line.strip("\r ").split(" ")
        if len(parts) != 2 or not parts[0] or not COUNT.fullmatch(parts[1]):
            raise ModelError(f"{name}, line {number}: {line[:60]!r} is not a piece, a space and a count")
        count = int(parts[1])
        highest = max(highest, count)
        if threshold is None or count >= threshold:
            known.add(parts[0])
    if not known:
        raise OptionError(
            f"no piece of {name} has a count of {threshold} or more: the highest is {highest}. Give a lower threshold"
        )
    return known


def split_pieces(merges: Merges, known: set[str], name: str) -> set[str]:
    """The pieces that are split again: those that the vocabulary does not have where they stand in a word.

    known: as from `read_vocabulary`. name: of the file of codes, in messages. Raises ModelError for what no model does:
    codes of version 0.1, and a piece that is split otherwise than it is merged.
    """
    if not merges.is_marked:
        raise refuse(
            name, "codes of version 0.1 with a vocabulary: a piece would be split inside a word and not at its end"
        )
    found = {piece for piece in merges.pieces if spelled(piece) not in known}
    splits = merges.splits()
    depths: dict[str, int] = {}
    for piece in merges.pieces:  # the parts of a piece stand before it
        if piece not in found:
            continue
        left, right = merges.pairs[piece]
        if splits[piece] != (left, right):
            parts = " and ".join(map(shown, splits[piece]))
            raise refuse(f"{name}: a merge", f"{shown(piece)!r:.60} split into {parts:.60}, not as it is merged")
        depths[piece] = 1 + max(depths.get(left, 0), depths.get(right, 0))
        if depths[piece] > DEEPEST:
            raise refuse(f"{name}: a merge", f"{shown(piece)!r:.60} split more than {DEEPEST} times")
    return found


def spelled(piece: str) -> str:
    """A piece as a vocabulary has it."""
    return piece.removesuffix(SPACE) if piece.endswith(SPACE) else piece + GOES_ON
