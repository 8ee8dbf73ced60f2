cimport cython

from spm_lite.trainers.unigram.candidates cimport Candidates
from spm_lite.trainers.unigram.em cimport PieceScores


@cython.final
cdef class Fork:
    """The state of a training before the last pruning that smaller sizes do not share; empty at first."""

    cdef int keep(
        self, Candidates candidates, PieceScores scores, dict figures, Py_ssize_t n_before, Py_ssize_t n_left,
    ) except -1:
        """Replace the state by a copy of this one."""
        self.candidates = candidates.copy()
        self.scores = scores.copy()
        self.figures = figures
        self.figures = self.copy_figures()
        self.n_before, self.n_left = n_before, n_left
        return 0

    cdef dict copy_figures(self):
        """Return the figures, so that the caller may append to them."""
        return {name: list(value) if isinstance(value, list) else value for name, value in self.figures.items()}
