"""The lattice of one normalized text: all its segmentations, as a graph whose nodes are places between characters."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Token
from spm_lite.lattice.path_scores cimport PathScores


cdef enum:
    TEXT_START = -1     # instead of an edge: the path is complete
    TEXT_END = -2       # instead of an edge: the path has no edge yet


cdef struct Edge:
    # One piece in the text. The place where it ends is not stored: edges are grouped by it.
    int32_t begin       # place where the piece starts
    int32_t piece_id    # unknown piece's id, or -1 without one: a character that no one-character piece covers
    float score         # added to the score of a path that takes it
    float best          # score of the best path from the start of the text through it, added from left to right


cdef struct FoundEdge:
    # An edge before sorting. Edges are found by rising begin, for each begin the shorter first.
    int32_t begin
    int32_t end
    int32_t piece_id


@cython.final
cdef class Lattice:
    cdef int32_t n_places               # places are 0 to n_places; a character or lone symbol between two
    cdef vector[int32_t] offsets        # per place: byte offset in the text
    cdef vector[int32_t] firsts         # edges that end at place p are edges[firsts[p] : firsts[p + 1]], begin rising
    cdef vector[Edge] edges
    cdef vector[float] bests            # per place: score of the best path from the start of the text
    cdef vector[int32_t] symbols        # per place: id of the lone symbol there, -1: none; empty: the model has none
    cdef vector[FoundEdge] found        # unsorted edges
    cdef vector[int32_t] nexts          # per place: index in `edges` for the next edge that ends there

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
