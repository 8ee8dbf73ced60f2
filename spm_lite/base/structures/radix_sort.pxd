"""Radix sort, least significant digit first: comparisons of many keys are mostly mispredicted branches."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.utility cimport pair
from libcpp.vector cimport vector


# A key, and the place of the item that has it.
ctypedef pair[uint64_t, uint32_t] PlacedKey


# Sort keys [begin, end) by key. Equal keys: if fewer than FEW are sorted, by place, else in their old order.
# spare: of any size, overwritten.
cdef int sort_keys(vector[PlacedKey]& keys, size_t begin, size_t end, vector[PlacedKey]& spare) except -1 nogil
