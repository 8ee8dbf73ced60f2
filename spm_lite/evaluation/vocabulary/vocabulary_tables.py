"""Tables of a vocabulary: pieces by script, and by size."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.figures.character_counts import script_of_piece
from spm_lite.evaluation.figures.corpus_figures import LARGEST, histogram, in_order
from spm_lite.evaluation.figures.subjects import sizes_of, text_or_bytes
from spm_lite.evaluation.vocabulary.piece_kinds import PLAIN
from spm_lite.kinds import TYPE_NAMES

if TYPE_CHECKING:
    from spm_lite.evaluation.vocabulary.piece_kinds import VocabularyView


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
