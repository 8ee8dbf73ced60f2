"""Sorting numbers digit by digit: what comparisons do for many of them is mostly to guess wrong."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.utility cimport pair
from libcpp.vector cimport vector


# Its place in an order: what is compared, and what stands there.
ctypedef pair[uint64_t, uint32_t] PlacedKey


# Order keys [begin, end) by what is compared, then, if they are few, by the rest. spare: of any size, written over.
cdef int sort_keys(vector[PlacedKey]& keys, size_t begin, size_t end, vector[PlacedKey]& spare) except -1 nogil
