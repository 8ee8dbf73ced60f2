"""Sampling of lattice paths by forward filtering, backward sampling: a path's weight is exp(alpha * score)."""

cimport cython
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport RandomStream
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList


cdef double NEVER   # instead of log(0)


@cython.final
cdef class Sampler:
    cdef double alpha
    cdef vector[double] sums        # per place: log of the sum over all paths to it of exp(alpha * score)
    cdef vector[double] running     # per edge: cumulative weight among edges with its end; the greatest is 1
    cdef vector[double] entropies   # per place: of the paths to it, in nats

    cdef int fill(self, Lattice lattice, double alpha) except -1 nogil
    cdef int draw(self, Lattice lattice, RandomStream* stream, PathList paths) except -1 nogil
    cdef double log_weight(self, Lattice lattice, int end, int i) noexcept nogil
    cdef double entropy(self, Lattice lattice) except? -1.0 nogil


cdef size_t draw_listed(PathList paths, double alpha, RandomStream* stream) noexcept nogil
