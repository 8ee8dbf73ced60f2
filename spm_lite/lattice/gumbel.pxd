"""Sampling without replacement by Gumbel top-k: paths with the greatest log-probability plus Gumbel noise."""

cimport cython
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport RandomStream
from spm_lite.lattice.astar cimport AgendaEntry
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.lattice.sampling cimport Sampler


cdef struct NoisyEdge:
    # A path suffix, that is, an edge and the edges after it, with the probability of all paths that end so.
    int32_t edge                # first edge of the suffix, or TEXT_START, TEXT_END
    int32_t next                # index in the pool of the suffix after that edge; -1: none
    double log_probability      # of all those paths together
    double noisy                # the greatest log-probability plus noise among those paths


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
