"""Where the trainings of several vocabulary sizes part: the last state that they share."""

from libc.stdint cimport uint64_t

from spm_lite.trainers.unigram.candidates cimport Candidates
from spm_lite.trainers.unigram.em cimport PieceScores


cdef class Fork:
    """The state of a training before the last pruning that smaller sizes do not share; empty at first.

    A round of EM is the same for all sizes. A pruning is the same for those that are not reached by it.
    """

    cdef Candidates candidates      # None: there is no state yet
    cdef PieceScores scores
    cdef dict figures               # as in UnigramTrainer
    cdef Py_ssize_t n_before        # pieces before the last pruning, and after it
    cdef Py_ssize_t n_left

    cdef int keep(
        self, Candidates candidates, PieceScores scores, dict figures, Py_ssize_t n_before, Py_ssize_t n_left,
    ) except -1
    cdef dict copy_figures(self)
