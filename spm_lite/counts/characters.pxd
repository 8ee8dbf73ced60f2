"""Occurrences of characters, and what of a text stands in no table."""

from libc.stdint cimport int32_t, uint8_t, uint64_t


cdef class CharacterCounts:
    """How often each character occurs, and each boundary."""

    cdef uint64_t* found                # per code point
    cdef readonly uint64_t n_boundaries

    cdef void add(self, const uint8_t* text, int32_t size, uint64_t count) noexcept nogil


cdef class LeftOut:
    """The chunks that a memory limit kept out of a table. Their characters still count."""

    cdef readonly CharacterCounts characters
    cdef readonly uint64_t n_chunks
    cdef readonly uint64_t n_occurrences    # of all of them together
    cdef readonly uint64_t n_bytes          # of the text that they stand for

    cdef void add(self, const uint8_t* text, int32_t size, uint64_t count) noexcept nogil
