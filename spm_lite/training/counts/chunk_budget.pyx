"""Tests whether a table fits, and chooses the long chunks that fit beside the others, the most frequent first.

Header: chunk_budget.pxd.
"""

cimport cython
from libc.stdint cimport uint32_t, uint64_t
from libcpp.algorithm cimport nth_element, sort as sort_range
from libcpp.vector cimport vector

cdef enum:
    LEAST_CHUNKS = 256      # a chunk is long if so many of its size do not fit
    MOST_LONG = 1 << 16     # long chunks considered


@cython.final
cdef class Budget:
    """The memory that training on a table needs, as a function of the table's size. Immutable."""

    def __cinit__(self, double available, double per_chunk, double per_byte, double growing=0, double grown=0):
        self.available = available
        self.per_chunk = per_chunk
        self.per_byte = per_byte
        self.growing = growing
        self.grown = grown

    cdef bint fits(self, uint64_t n_chunks, uint64_t n_bytes) noexcept nogil:
        """Whether a table of `n_chunks` chunks, `n_bytes` bytes in all, fits into the available memory."""
        cdef double need = self.per_chunk * <double> n_chunks + self.per_byte * <double> n_bytes
        return need + min(self.growing * <double> n_bytes, self.grown) <= self.available

    cdef bint is_long(self, uint32_t size) noexcept nogil:
        """Whether a chunk of `size` bytes is so long that taking it would keep many others out."""
        return not self.fits(LEAST_CHUNKS, <uint64_t> size * LEAST_CHUNKS)


cdef bint comes_first(const LongChunk& a, const LongChunk& b) noexcept nogil:
    """Whether `a` comes first in canonical order: count descending, then number ascending."""
    return a.count > b.count if a.count != b.count else a.number < b.number


@cython.final
cdef class LongChunks:
    """The long chunks of a table; at most MOST_LONG, the most frequent."""

    def __len__(self):
        return self.chunks.size()

    cdef int add(self, uint64_t count, uint64_t number, uint32_t size) except -1 nogil:
        self.chunks.push_back(LongChunk(count, number, size))
        if self.chunks.size() == 2 * MOST_LONG:
            self.keep_first()
        return 0

    cdef int keep_first(self) except -1 nogil:
        """Drop all but the first MOST_LONG chunks in canonical order."""
        if self.chunks.size() > MOST_LONG:
            nth_element(self.chunks.begin(), self.chunks.begin() + MOST_LONG, self.chunks.end(), &comes_first)
            self.chunks.resize(MOST_LONG)
        return 0

    cdef int choose(
        self, Budget budget, uint64_t n_chunks, uint64_t n_bytes, vector[uint64_t]& numbers,
    ) except -1 nogil:
        """Fill `numbers`, ascending, with the long chunks that fit beside `n_chunks` chunks of `n_bytes` bytes."""
        cdef size_t i
        self.keep_first()
        sort_range(self.chunks.begin(), self.chunks.end(), &comes_first)
        numbers.clear()
        for i in range(self.chunks.size()):
            if budget.fits(n_chunks + 1, n_bytes + self.chunks[i].size):
                n_chunks += 1
                n_bytes += self.chunks[i].size
                numbers.push_back(self.chunks[i].number)
        sort_range(numbers.begin(), numbers.end())
        return 0
