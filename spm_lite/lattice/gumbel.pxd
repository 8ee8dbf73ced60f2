"""Samples without replacement: the paths whose log-probabilities, each with Gumbel noise added, are the greatest."""

cimport cython
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport RandomStream
from spm_lite.lattice.astar cimport AgendaEntry
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.lattice.sampling cimport Sampler


cdef struct NoisyEdge:
    # The end of a path, with what the whole of all paths through it is worth.
    int32_t edge                # or an entry of `Ends`
    int32_t next                # towards the end of the text; -1: none
    double log_probability      # of those paths together
    double noisy                # the same, with their greatest Gumbel noise


@cython.final
cdef class GumbelSearch:
    cdef vector[NoisyEdge] pool
    cdef vector[AgendaEntry] heap

    cdef int search(
        self, Lattice lattice, Sampler sampler, Py_ssize_t n, RandomStream* stream, PathList paths,
    ) except -1 nogil
    cdef int expand(self, Lattice lattice, Sampler sampler, int32_t parent, RandomStream* stream) except -1 nogil
    cdef int add(self, NoisyEdge noisy_edge) except -1 nogil
    cdef int append_path(self, Lattice lattice, int32_t last, PathList paths) except -1 nogil
