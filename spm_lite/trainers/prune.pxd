"""Pruning of a Unigram trainer: which candidates the corpus can best do without."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.trainers.candidates cimport Candidates
from spm_lite.trainers.expectation cimport Link, PieceScores


cdef int prune_pieces(
    Candidates candidates, PieceScores scores, uint64_t target, double shrinking_factor, uint32_t n_threads,
) except -1 nogil
cdef int drop_shadowed(Candidates candidates, PieceScores scores, uint32_t n_threads) except -1 nogil
cdef int fill_best_counts(
    Candidates candidates, const vector[Link]& links, uint32_t n_threads, vector[uint64_t]& counts,
) except -1 nogil
