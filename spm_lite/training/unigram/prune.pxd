"""Pruning of a Unigram trainer (Kudo 2018): drop the candidates whose loss is least."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.training.unigram.candidates cimport Candidates
from spm_lite.training.unigram.em cimport PieceScores


cdef struct PruneLimits:
    # The number of pieces that pruning leaves, including characters.
    uint64_t target             # pruning by loss ends here
    double shrinking_factor     # the share of pieces that one round keeps
    uint64_t floor              # useless pieces are dropped only while this many pieces are left


cdef int prune_pieces(
    Candidates candidates, PieceScores scores, const PruneLimits* limits, uint32_t n_threads,
) except -1 nogil
cdef int drop_shadowed(Candidates candidates, PieceScores scores, uint64_t floor, uint32_t n_threads) except -1 nogil
cdef int keep_best(Candidates candidates, PieceScores scores, uint64_t n_pieces, uint32_t n_threads) except -1 nogil
cdef int fill_best_counts(
    Candidates candidates, const vector[PieceLink]& links, uint32_t n_threads, vector[uint64_t]& counts,
) except -1 nogil
cdef int fill_margins(
    Candidates candidates, const vector[PieceLink]& links, const vector[uint8_t]& is_asked, vector[double]& margins,
) except -1 nogil
