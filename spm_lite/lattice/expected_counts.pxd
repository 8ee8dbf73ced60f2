"""Expected counts: how often each piece occurs, on average, in the segmentations of one text (forward-backward)."""

cimport cython
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_scores cimport PathScores


cdef enum:
    NO_EDGE = -1        # no edge seen so far
    SETTLED = -2        # some edge has a finite weight


cdef struct ExpectedCount:
    int32_t piece_id
    double count


@cython.final
cdef class ExpectedCounter:
    # Edges are indexes in Lattice.found.
    cdef vector[double] bests           # per place: greatest sums_to[begin] + alpha * score of an edge to it
    cdef vector[double] totals          # per place: sum of the exponentials of these, relative to the greatest
    cdef vector[double] sums_to         # per place: logarithm of the sum over all paths to it
    cdef vector[int32_t] first_edges    # per place: the first edge to it, if no weight is finite; NO_EDGE, SETTLED
    cdef vector[double] weights         # per edge: share of the paths to its end that take it; a logarithm at first
    cdef vector[int32_t] leaving        # edges that start at place p are found[leaving[p] : leaving[p + 1]]
    cdef vector[PieceLink] links
    cdef vector[uint32_t] edge_links    # per edge: its link
    cdef vector[uint32_t] longest       # per place: the first link of its chain
    cdef vector[double] forward
    cdef vector[double] backward
    cdef vector[int32_t] exponents
    cdef vector[double] expected        # per link
    cdef vector[double] sums            # per id, and last for the unknown piece; all 0 between calls
    cdef vector[int32_t] seen           # indexes of `sums` that are not 0

    cdef int append_counts(
        self, PathScores vocab, Lattice lattice, double alpha, vector[ExpectedCount]& counts,
    ) except -1 nogil
    cdef int weigh_edges(self, PathScores vocab, Lattice lattice, double alpha) except -1 nogil
    cdef int chain_edges(self, Lattice lattice) except -1 nogil
    cdef int chain_place(self, Lattice lattice, int32_t first, int32_t after) except -1 nogil
    cdef int link_edge(self, int32_t edge, uint32_t length, bint begins_chain) except -1 nogil
    cdef int sum_pieces(self, PathScores vocab, Lattice lattice, vector[ExpectedCount]& counts) except -1 nogil
