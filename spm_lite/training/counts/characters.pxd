"""Counts of characters and boundaries, and totals of the chunks that a memory limit left out of a table."""

from libc.stdint cimport int32_t, uint8_t, uint64_t


cdef class CharacterCounts:
    """The occurrences of each character, and of all boundaries."""

    cdef uint64_t* found                # occurrences per code point
    cdef readonly uint64_t n_boundaries

    cdef void add(self, const uint8_t* text, int32_t size, uint64_t count) noexcept nogil


cdef class LeftOut:
    """Totals of the chunks that a memory limit left out of a table. Their characters still count."""

    cdef readonly CharacterCounts characters
    cdef readonly uint64_t n_chunks
    cdef readonly uint64_t n_occurrences    # the sum of their counts
    cdef readonly uint64_t n_bytes          # of text that they stand for: size times count

    cdef void add(self, const uint8_t* text, int32_t size, uint64_t count) noexcept nogil
