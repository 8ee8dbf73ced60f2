"""The audit of one vocabulary: all that needs no text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.vocabulary.byte_pieces import byte_figures
from spm_lite.evaluation.vocabulary.duplicates import duplicate_figures
from spm_lite.evaluation.vocabulary.junk import junk_figures
from spm_lite.evaluation.vocabulary.not_found import not_found_figures
from spm_lite.evaluation.vocabulary.piece_kinds import VocabularyView
from spm_lite.evaluation.vocabulary.reach import barrier_of, reach_figures
from spm_lite.evaluation.vocabulary.vocabulary_tables import vocabulary_tables

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import OwnSubject, Subject


def vocabulary_figures(subject: OwnSubject, num_threads: int) -> dict[str, Any]:
    """Unreachable pieces, byte pieces, duplicates, junk and tables of a model."""
    view = VocabularyView(subject)
    return {
        "reach": reach_figures(view, num_threads),
        "bytes": byte_figures(view, num_threads),
        "duplicates": duplicate_figures(view, chr(barrier_of(view))),
        "junk": junk_figures(view),
        "tables": vocabulary_tables(view),
    }


def foreign_figures(subject: Subject) -> dict[str, Any]:
    """What can be said of a vocabulary that is not ours: tokens that do not come in four contexts."""
    return {"reach": not_found_figures(subject)}
