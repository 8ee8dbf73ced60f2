"""The original's n-best search: A* over a lattice, from the end of the text to its start, within limits."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList


cdef struct Hypothesis:
    # The end of a path: one edge, and the hypothesis it extends.
    int32_t edge
    int32_t next        # towards the end of the text; -1: none. Always an earlier one of the pool
    float onward        # sum of the scores from the end of the text through this edge, added in that order


cdef struct AgendaEntry:
    double priority     # greater ones first
    int32_t hypothesis


@cython.final
cdef class AStar:
    cdef vector[Hypothesis] pool
    cdef vector[AgendaEntry] heap
    cdef vector[AgendaEntry] kept
    cdef vector[int32_t] new_places
    cdef int64_t n_made                 # hypotheses ever made, shrinking or not
    cdef bint has_given_up              # the last search hit a limit

    cdef int search(self, Lattice lattice, int64_t n, int64_t timeout_ms, PathList paths) except -1 nogil
    cdef int give_up(self, Lattice lattice, PathList paths) except -1 nogil
    cdef int expand(self, Lattice lattice, int32_t parent) except -1 nogil
    cdef int add(self, float priority, Hypothesis hypothesis) except -1 nogil
    cdef int shrink(self, size_t n_kept) except -1 nogil
    cdef int append_path(self, Lattice lattice, int32_t hypothesis, PathList paths) except -1 nogil


cdef int push_entry(vector[AgendaEntry]& heap, AgendaEntry entry) except -1 nogil
cdef void pop_entry(vector[AgendaEntry]& heap, AgendaEntry* front) noexcept nogil
