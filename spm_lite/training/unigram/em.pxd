"""Expectation maximization (EM) of a Unigram trainer: the E-step and the M-step."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.training.unigram.candidates cimport Candidates


cdef struct Lane:
    # Segments [begin, end): a part of the corpus with sums of its own. It does not depend on the number of threads.
    size_t begin
    size_t end


cdef class PieceScores:
    """The current scores of the pieces, one entry per piece of a Candidates."""

    cdef vector[double] scores          # log probabilities
    cdef double unit                    # the count of what stands in the text once (see `count_unit`)
    cdef vector[uint8_t] is_rare        # a single character too rare to be a piece, scored like an unknown one

    cdef int start(self, const vector[double]& weights) except -1 nogil
    cdef void score_rare_ones(self) noexcept nogil
    cdef int fill_links(self, Candidates candidates, bint as_logs, vector[PieceLink]& links) except -1 nogil
    cdef int follow(self, const uint32_t* new_ids) except -1 nogil
    cdef PieceScores copy(self)


cdef double count_unit(double low_mean) noexcept nogil
cdef int split_lanes(Candidates candidates, vector[Lane]& lanes) except -1 nogil
cdef double fill_expected(
    Candidates candidates, PieceScores scores, uint32_t n_threads, vector[double]& expected,
) except? 1.0 nogil
cdef int update_scores(
    Candidates candidates, PieceScores scores, const vector[double]& expected, uint64_t floor, uint32_t n_threads,
) except -1 nogil
