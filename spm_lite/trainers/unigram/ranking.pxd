"""The greatest of many numbers, without sorting them."""

from libc.stdint cimport uint8_t
from libcpp.vector cimport vector


cdef int mark_greatest(
    const vector[double]& values, size_t begin, size_t n_best, vector[uint8_t]& is_best,
) except -1 nogil
