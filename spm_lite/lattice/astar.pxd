"""A* n-best search as in SentencePiece, limits included: from the end of the text to its start."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList


cdef struct Hypothesis:
    # A path suffix: one edge, and the hypothesis that it extends.
    int32_t edge
    int32_t next        # the hypothesis that it extends, always an earlier one of the pool; -1: none
    float onward        # sum of the scores from the end of the text to this edge, added in that order


cdef struct AgendaEntry:
    double priority     # greater ones first
    int32_t hypothesis


@cython.final
cdef class AStar:
    cdef vector[Hypothesis] pool        # all hypotheses
    cdef vector[AgendaEntry] heap       # hypotheses to be extended
    cdef vector[AgendaEntry] kept       # buffer of `shrink`
    cdef vector[int32_t] new_places     # buffer of `shrink`: new index of each hypothesis, -1: dropped
    cdef int64_t n_made                 # hypotheses made by this search, dropped ones too

    cdef int search(self, Lattice lattice, int64_t n, int64_t timeout_ms, PathList paths) except -1 nogil
    cdef int give_up(self, Lattice lattice, PathList paths) except -1 nogil
    cdef int expand(self, Lattice lattice, int32_t parent) except -1 nogil
    cdef int add(self, float priority, Hypothesis hypothesis) except -1 nogil
    cdef int shrink(self, size_t n_kept) except -1 nogil
    cdef int append_path(self, Lattice lattice, int32_t hypothesis, PathList paths) except -1 nogil


cdef int push_entry(vector[AgendaEntry]& heap, AgendaEntry entry) except -1 nogil
cdef void pop_entry(vector[AgendaEntry]& heap, AgendaEntry* front) noexcept nogil
