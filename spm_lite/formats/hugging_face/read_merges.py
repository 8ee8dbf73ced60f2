"""The merges of a file: whether they are what the scores of a model say, and the rank of each piece.

If they are not, the model keeps them as a list.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.merge_loops import are_all_splits, merged_pieces, ranks_by_index
from spm_lite.formats.ranks.merge_parts import first_unmade
from spm_lite.formats.ranks.rank_table import RankTable

Merges = list[list[str]]
HEADER = "#version"


class NotByScores(ModelError):
    """What the scores of pieces cannot say: such a model keeps a list of its merges."""


def merges_of(given: list[Any]) -> list[Any]:
    """The merges as pairs, which are not looked at yet. Raises ModelError for strings among others.

    given: arrays of two strings, or strings with one space. tokenizers skips each of these that begins as HEADER.
    """
    if not given or type(given[0]) is not str:
        return given
    try:
        if True in map(str.startswith, given, repeat(HEADER)):
            given = [line for line in given if not line.startswith(HEADER)]
        return list(map(str.split, given, repeat(" ")))
    except TypeError:
        raise ModelError("model.merges holds strings and others: all must be strings, or arrays of two") from None


def check_pairs(pairs: list[Any]) -> None:
    """Raise ModelError for a merge that is not a pair of texts."""
    for number, pair in enumerate(pairs):
        if not is_pair(pair):
            raise ModelError(f"model.merges[{number}] is {pair!r:.80}: it must be two pieces")


def checked_ranks(pairs: list[Any], normal: dict[str, bool]) -> list[int]:
    """The rank of each normal piece; -1: no merge makes it. Raises NotByScores for merges that scores cannot express.

    normal: the normal pieces, each with True.
    """
    names = list(normal)
    known = RankTable(list(map(str.encode, names)))
    usual = merged_pieces(pairs, known, False)
    if usual is not None and join_any_two(known, len(pairs), *usual):
        ranks = ranks_by_index(usual[0], len(names))
    elif usual is not None:
        raise NotByScores("some splits of a merged piece, and not all of them")
    else:
        check_pairs(pairs)
        made = ranks_of(pairs, normal)
        check_all_splits(pairs, made, normal)
        ranks = [made.get(name, -1) for name in names]
    check_unmerged([name for name, rank in zip(names, ranks, strict=True) if rank < 0], normal)
    return ranks


def join_any_two(known: RankTable, n_merges: int, order: list[int], lefts: list[int]) -> bool:
    """Whether usual merges do what joining any two pieces does whose join is a merged piece.

    They do if there is one merge of each piece, and the merges before it leave its two parts. They do if all splits are
    merges, too: since no merge occurs twice, that is so if there are as many.
    order, lefts: as `merged_pieces` tells them.
    """
    if len(order) == n_merges and first_unmade(known, order, lefts, True) < 0:
        return True
    return are_all_splits(n_merges, known, order)


def is_pair(pair: Any) -> bool:
    """Whether a merge has two texts."""
    return type(pair) is list and len(pair) == 2 and type(pair[0]) is str and type(pair[1]) is str


def ranks_of(merges: Merges, normal: dict[str, bool]) -> dict[str, int]:
    """The rank of each piece that merges make. Raises NotByScores for merges that scores cannot express.

    normal: the normal pieces. Merges of one piece must stand together.
    """
    ranks: dict[str, int] = {}
    last = ""
    for left, right in merges:
        whole = left + right
        if whole != last:
            if whole in ranks:
                raise NotByScores(f"merges of {whole!r:.60} that do not stand together")
            ranks[whole] = len(ranks)
            last = whole
        if left not in normal or right not in normal or whole not in normal:
            missing = next(text for text in (left, right, whole) if text not in normal)
            raise NotByScores(
                f"model.merges: {left!r:.40} and {right!r:.40} merge to {whole!r:.40}, but {missing!r:.60} is not a "
                "normal piece"
            )
    return ranks


def check_all_splits(merges: Merges, ranks: dict[str, int], normal: dict[str, bool]) -> None:
    """Raise NotByScores unless each split of each merged piece into two pieces is among the merges."""
    listed = set(map(tuple, merges))
    if len(listed) < len(merges):
        raise NotByScores("a merge that occurs twice")
    n_splits = 0
    for whole in ranks:
        for k in range(1, len(whole)):
            if whole[:k] in normal and whole[k:] in normal:
                n_splits += 1
                if n_splits > len(merges) or (whole[:k], whole[k:]) not in listed:
                    raise NotByScores(
                        f"{whole[:k]!r:.40} and {whole[k:]!r:.40}, which are pieces, do not merge to {whole!r:.40}"
                    )


def check_unmerged(unmerged: list[str], normal: dict[str, bool]) -> None:
    """Raise NotByScores for pieces without a merge that scores would make."""
    for text in unmerged:
        if len(text) == 1:
            continue
        for k in range(1, len(text)):
            if text[:k] in normal and text[k:] in normal:
                raise NotByScores(f"no merge of {text[:k]!r:.40} and {text[k:]!r:.40} to {text!r:.40}")
        stranded = [sign for sign in text if sign not in normal]
        if stranded:
            raise NotByScores(f"the piece {text!r:.40} with {stranded[0]!r}, which is not a piece")
