"""The audit of one vocabulary: all that needs no text.

These are tables of pieces by script and by size, and the merge residue of BPE. Of other tokenizers, the tokens that do
not come where they should.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.encode.segment.merge_trees import MergeTrees
from spm_lite.evaluation.figures.character_counts import script_of_piece
from spm_lite.evaluation.figures.corpus_figures import LARGEST, histogram, in_order
from spm_lite.evaluation.figures.subjects import crosses_space, sizes_of, text_or_bytes
from spm_lite.evaluation.vocabulary.byte_pieces import byte_figures
from spm_lite.evaluation.vocabulary.junk import duplicate_figures, junk_figures
from spm_lite.evaluation.vocabulary.piece_kinds import PLAIN, VocabularyView
from spm_lite.evaluation.vocabulary.reach import barrier_of, reach_figures
from spm_lite.kinds import TYPE_NAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.evaluation.figures.subjects import OwnSubject, Subject
    from spm_lite.evaluation.vocabulary.piece_kinds import VocabularyView


BEFORE = ("", "x", "\n")  # contexts; the fourth has an "x" after the text
AFTER = "x"
AT_ONCE = 1 << 14  # tokens


def not_found_figures(subject: Subject) -> dict[str, Any]:
    """Tokens that their own text does not give, alone and after and before others, by what happens instead.

    `partial_utf8`: the token is part of a character; `special`: its text is empty; `one_token`: another token has the
    same text; `several_tokens`: its text is several tokens.
    """
    classes: dict[str, list[int]] = {"partial_utf8": [], "special": [], "one_token": [], "several_tokens": []}
    surfaces = subject.surfaces()
    for first in range(0, subject.size, AT_ONCE):
        ids = range(first, min(first + AT_ONCE, subject.size))
        texts = [text_of(subject, i) for i in ids]
        alone = subject.ids(texts)
        others = [subject.ids([before + text for text in texts]) for before in BEFORE[1:]]
        others.append(subject.ids([text + AFTER for text in texts]))
        for place, token_id in enumerate(ids):
            if token_id in alone[place] or any(token_id in rows[place] for rows in others):
                continue
            text = texts[place]
            if "\ufffd" in text or (surfaces is not None and isinstance(surfaces[token_id], bytes)):
                classes["partial_utf8"].append(token_id)
            elif not text:
                classes["special"].append(token_id)
            else:
                classes["one_token" if len(alone[place]) == 1 else "several_tokens"].append(token_id)
    return {
        "tested": subject.size,
        "not_found": {name: {"count": len(ids), "first": ids[:5]} for name, ids in classes.items()},
    }


def text_of(subject: Subject, token_id: int) -> str:
    """The text of a token; empty for a hole in the vocabulary."""
    try:
        return subject.decode([token_id])
    except Exception:  # each package has errors of its own
        return ""


def vocabulary_tables(view: VocabularyView) -> dict[str, Any]:
    """Pieces by script, other types by type, and histograms of the characters and bytes of pieces."""
    surfaces = [text_or_bytes(surface.encode("utf-8", "surrogateescape")) for surface in view.surfaces]
    scripts: Counter[str] = Counter(
        script_of_piece(surface) if isinstance(surface, str) else "byte" for surface in surfaces
    )
    scripts.update(TYPE_NAMES[kind] for kind in view.types if kind not in PLAIN)
    n_bytes, n_characters = sizes_of(surfaces)
    return {
        "scripts": in_order(scripts),
        "characters": histogram(np.bincount(n_characters, minlength=LARGEST + 1), {}),
        "bytes": histogram(np.bincount(n_bytes, minlength=LARGEST + 1), {}),
    }


def vocabulary_figures(subject: OwnSubject, num_threads: int) -> dict[str, Any]:
    """Unreachable pieces, byte pieces, duplicates, junk, pieces across spaces and tables of a model."""
    view = VocabularyView(subject)
    return {
        "reach": reach_figures(view, num_threads),
        "bytes": byte_figures(view, num_threads),
        "duplicates": duplicate_figures(view, chr(barrier_of(view))),
        "junk": junk_figures(view),
        "superwords": sum(map(crosses_space, view.surfaces)),
        "tables": vocabulary_tables(view),
    }


def foreign_figures(subject: Subject) -> dict[str, Any]:
    """What can be said of a vocabulary that is not ours: tokens that do not come in four contexts."""
    return {"reach": not_found_figures(subject)}


LEAST_CONSUMED = 100  # times: of rarer pieces, chance decides
RESIDUE_SHARE = 0.01  # of the times a piece is formed: fewer tokens are residue
SHOWN = 10
MERGING = ("bpe", "byte_bpe")  # types of models


def has_merges(subject: OwnSubject) -> bool:
    """Whether the pieces of a model are made by merges in the order of their scores."""
    return subject.own.model_type in MERGING and subject.vocab.merge_list is None


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
