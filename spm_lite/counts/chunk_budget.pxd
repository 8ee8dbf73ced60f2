"""How many chunks a trainer can take within a memory limit, and which are left out.

Where not all fit: of the chunks that are not long, the most frequent are taken, up to the first that does not fit; then
of the long ones, from the most frequent on, each that fits into the room that is left.
"""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector


cdef class Budget:
    """Memory that training on a table takes, as a function of its size; never changes."""

    cdef readonly double available      # bytes
    cdef readonly double per_chunk
    cdef readonly double per_byte       # of the distinct texts
    cdef readonly double growing        # the same for what stops growing
    cdef readonly double grown          # when it takes so much

    cdef bint fits(self, uint64_t n_chunks, uint64_t n_bytes) noexcept nogil
    cdef bint is_long(self, uint32_t size) noexcept nogil


cdef struct LongChunk:
    uint64_t count
    uint64_t number     # of equal counts, the chunk that comes first in the order of bytes has the lesser one
    uint64_t size


cdef class LongChunks:
    """The long chunks of a table; of very many, the most frequent."""

    cdef vector[LongChunk] chunks

    cdef int add(self, uint64_t count, uint64_t number, uint32_t size) except -1 nogil
    cdef int keep_first(self) except -1 nogil
    cdef int choose(self, Budget budget, uint64_t n_chunks, uint64_t n_bytes, vector[uint64_t]& numbers) except -1 nogil
