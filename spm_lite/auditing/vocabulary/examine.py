"""The audit of one vocabulary: all that needs no text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.auditing.vocabulary.byte_pieces import byte_figures
from spm_lite.auditing.vocabulary.duplicates import duplicate_figures
from spm_lite.auditing.vocabulary.junk import junk_figures
from spm_lite.auditing.vocabulary.not_found import not_found_figures
from spm_lite.auditing.vocabulary.pieces import VocabularyView
from spm_lite.auditing.vocabulary.reach import barrier_of, reach_figures
from spm_lite.auditing.vocabulary.tables import vocabulary_tables

if TYPE_CHECKING:
    from spm_lite.auditing.figures.subjects import OwnSubject, Subject


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
