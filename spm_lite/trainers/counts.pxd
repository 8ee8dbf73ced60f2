"""Chunks of text with their counts: all that a trainer sees of a corpus."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef enum Marks:
    # A byte that no UTF-8 text holds: a place no piece may touch (a meta piece stood there).
    BOUNDARY_BYTE = 0xFF


cdef struct Chunk:
    # One text, distinct from all others unless it was appended; its bytes are CountTable.texts[begin : begin + size].
    uint64_t begin
    uint32_t size       # bytes, at least 1 (see close_gaps); U+2581 for an escaped space
    uint32_t hash
    uint64_t count


cdef class CountTable:
    cdef vector[uint8_t] texts
    cdef vector[Chunk] chunks
    cdef vector[uint32_t] slots         # open addressing into chunks, 2^32 - 1 = free

    cdef int add(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil
    cdef int add_all(self, CountTable other) except -1 nogil    # `other` is left as it is
    cdef int append(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil
    cdef int append_all(self, CountTable other) except -1 nogil
    cdef void close_gaps(self) noexcept nogil   # empty texts leave, the last ones take their places
    cdef void clear(self) noexcept nogil        # give the memory back
    cdef int sort(self) except -1 nogil         # canonical order: count descending, bytes ascending
    cdef int grow_slots(self) except -1 nogil
    cdef void fill_slots(self) noexcept nogil
