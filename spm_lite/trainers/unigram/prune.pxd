"""Pruning of a Unigram trainer: which candidates the corpus can best do without."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.trainers.unigram.candidates cimport Candidates
from spm_lite.trainers.unigram.em cimport PieceScores


cdef struct PruneLimits:
    # How many pieces pruning leaves, characters included.
    uint64_t target             # stop here
    double shrinking_factor     # share that one round leaves
    uint64_t floor              # useless pieces go only as far as this many others are there


cdef int prune_pieces(
    Candidates candidates, PieceScores scores, const PruneLimits* limits, uint32_t n_threads,
) except -1 nogil
cdef int drop_shadowed(Candidates candidates, PieceScores scores, uint64_t floor, uint32_t n_threads) except -1 nogil
cdef int keep_best(Candidates candidates, PieceScores scores, uint64_t n_pieces, uint32_t n_threads) except -1 nogil
cdef int fill_best_counts(
    Candidates candidates, const vector[PieceLink]& links, uint32_t n_threads, vector[uint64_t]& counts,
) except -1 nogil
