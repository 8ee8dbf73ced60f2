"""The memory budget of a trainer: how many chunks it can take, and which are left out.

When not all fit, short chunks are taken first, the most frequent ones, up to the first that does not fit. Then each
long chunk is taken, the most frequent first, if it fits into the remaining memory.
"""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector


cdef class Budget:
    """The memory that training on a table needs, as a function of the table's size. Immutable."""

    cdef readonly double available      # bytes
    cdef readonly double per_chunk      # bytes
    cdef readonly double per_byte       # bytes per byte of the distinct texts
    cdef readonly double growing        # more bytes per byte of text, for buffers that stop growing
    cdef readonly double grown          # the most bytes that these buffers take

    cdef bint fits(self, uint64_t n_chunks, uint64_t n_bytes) noexcept nogil
    cdef bint is_long(self, uint32_t size) noexcept nogil


cdef struct LongChunk:
    uint64_t count
    uint64_t number     # index; among equal counts it follows the order of bytes
    uint64_t size


cdef class LongChunks:
    """The long chunks of a table; at most MOST_LONG, the most frequent."""

    cdef vector[LongChunk] chunks

    cdef int add(self, uint64_t count, uint64_t number, uint32_t size) except -1 nogil
    cdef int keep_first(self) except -1 nogil
    cdef int choose(self, Budget budget, uint64_t n_chunks, uint64_t n_bytes, vector[uint64_t]& numbers) except -1 nogil
