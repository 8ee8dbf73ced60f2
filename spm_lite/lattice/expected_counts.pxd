"""How often each piece is expected among the segmentations of one text."""

cimport cython
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_scores cimport PathScores


cdef enum:
    NO_EDGE = -1        # none seen so far
    SETTLED = -2        # an edge has a finite weight


cdef struct ExpectedCount:
    int32_t piece_id
    double count


@cython.final
cdef class ExpectedCounter:
    # Edges are those of Lattice.found, in that order.
    cdef vector[double] bests           # per place: alpha * score of the best last edge, with all that leads to it
    cdef vector[double] totals          # per place: the last edges together, in relation to that one
    cdef vector[double] sums_to         # per place: logarithm of the sum over all paths to it
    cdef vector[int32_t] first_edges    # per place: the first edge that ends there, if none has a finite weight
    cdef vector[double] weights         # per edge
    cdef vector[int32_t] leaving        # edges that start at place p are numbers leaving[p] to leaving[p + 1]
    cdef vector[PieceLink] links
    cdef vector[uint32_t] edge_links    # per edge: its link
    cdef vector[uint32_t] longest
    cdef vector[double] forward
    cdef vector[double] backward
    cdef vector[int32_t] exponents
    cdef vector[double] expected        # per link
    cdef vector[double] sums            # per id, the unknown piece's last; 0 between calls
    cdef vector[int32_t] seen           # places of `sums` that are not 0

    cdef int append_counts(
        self, PathScores vocab, Lattice lattice, double alpha, vector[ExpectedCount]& counts,
    ) except -1 nogil
    cdef int weigh_edges(self, PathScores vocab, Lattice lattice, double alpha) except -1 nogil
    cdef int chain_edges(self, Lattice lattice) except -1 nogil
    cdef int chain_place(self, Lattice lattice, int32_t first, int32_t after) except -1 nogil
    cdef int link_edge(self, int32_t edge, uint32_t length, bint begins_chain) except -1 nogil
    cdef int sum_pieces(self, PathScores vocab, Lattice lattice, vector[ExpectedCount]& counts) except -1 nogil
