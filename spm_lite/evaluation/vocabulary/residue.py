"""Merge residue of BPE: pieces that are formed on the way to others and are hardly ever tokens themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.vocabulary.merge_trees import MergeTrees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.evaluation.figures.subjects import OwnSubject

LEAST_CONSUMED = 100  # times: of rarer pieces, chance decides
RESIDUE_SHARE = 0.01  # of the times a piece is formed: fewer tokens are residue
SHOWN = 10
MERGING = ("bpe", "byte_bpe")  # types of models


def has_merges(subject: OwnSubject) -> bool:
    """Whether the pieces of a model are made by merges in the order of their scores."""
    return subject.own.model_type in MERGING


def residue_figures(subject: OwnSubject, trees: MergeTrees, counts: NDArray[np.int64]) -> dict[str, Any]:
    """The pieces of two characters or more that merges form and use up. counts: of each id in a text."""
    used = np.array(trees.consumed(counts.tolist()), np.int64)
    merges = np.array(sorted(trees.ids_by_rank()), np.int64)
    formed = merges[used[merges] > 0]
    finals, consumed = counts[formed], used[formed]
    is_residue = (consumed >= LEAST_CONSUMED) & (finals < RESIDUE_SHARE * (finals + consumed))
    wanted = formed[is_residue]
    ordered = wanted[np.lexsort((wanted, -used[wanted]))][:SHOWN].tolist()
    pieces = subject.pieces
    seen = merges[counts[merges] > 0]
    return {
        "multi_character_pieces_formed": len(formed),
        "never_final": int((finals == 0).sum()),
        "residue": int(is_residue.sum()),
        "unreachable_by_merges": sum(trees.parts(i) is None for i in seen.tolist()),
        "top": [{"id": i, "piece": pieces[i], "final": int(counts[i]), "consumed": int(used[i])} for i in ordered],
    }


def tokens_with_merges(trees: MergeTrees, counts: NDArray[np.int64], merges: list[int]) -> dict[int, int]:
    """How many tokens a text would have with only the first so many merges, from its counts with all of them."""
    total = int(counts.sum())
    ids = trees.ids_by_rank()
    formed = counts[ids] + np.array(trees.consumed(counts.tolist()), np.int64)[ids]
    from_rank = np.concatenate((np.cumsum(formed[::-1])[::-1], [0]))
    return {m: total + int(from_rank[min(m, len(ids))]) for m in merges}
