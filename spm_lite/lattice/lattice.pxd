"""All segmentations of one normalized text: a graph from place to place, where places are between characters."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.lattice.path_scores cimport PathScores
from spm_lite.segment.segmenter cimport Token


cdef enum:
    TEXT_START = -1     # in place of an edge: the path is complete
    TEXT_END = -2       # likewise: nothing of the path is there yet


cdef struct Edge:
    # One piece in the text. Edges are listed by the place where they end; that place is not held.
    int32_t begin       # place where the piece starts
    int32_t piece_id    # the unknown piece's id, -1 without one: a character that is no piece by itself
    float score         # added to a path that takes it
    float best          # score of the best path from the start of the text through it, added from left to right


cdef struct FoundEdge:
    # An edge in the order of finding: by begin, shorter ones first.
    int32_t begin
    int32_t end
    int32_t piece_id


@cython.final
cdef class Lattice:
    cdef int32_t n_places               # places are 0 to n_places; no two pieces share the characters between
    cdef vector[int32_t] offsets        # per place: byte offset in the text
    cdef vector[int32_t] firsts         # edges that end at place p are edges[firsts[p] : firsts[p + 1]], begin rising
    cdef vector[Edge] edges
    cdef vector[float] bests            # per place: score of the best path from the start of the text
    cdef vector[int32_t] symbols        # per place: the symbol that stands alone there, -1 none; empty: none at all
    cdef vector[FoundEdge] found
    cdef vector[int32_t] nexts          # per place: where its next edge goes

    cdef int fill(self, PathScores vocab, const uint8_t* text, int32_t size) except -1 nogil
    cdef int find(self, PathScores vocab, const uint8_t* text, int32_t size) except -1 nogil
    cdef int cut(self, PathScores vocab, const uint8_t* text, int32_t size) except -1 nogil
    cdef int find_edges(self, PathScores vocab, const uint8_t* text) except -1 nogil
    cdef int32_t find_limit(self, int32_t begin) noexcept nogil
    cdef int sort_edges(self, PathScores vocab) except -1 nogil
    cdef int sort_found(self, const float* scores, int32_t unknown_id, float unknown_score) except -1 nogil
    cdef int list_leaving(self, vector[int32_t]& leaving) except -1 nogil
    cdef int32_t first_best(self, int32_t end, float onward) noexcept nogil
    cdef int32_t place_before(self, int32_t edge) noexcept nogil
    cdef int append_edge(self, int32_t edge, int32_t next_edge, vector[Token]& tokens) except -1 nogil
    cdef int append_best(self, vector[Token]& tokens) except -1 nogil
