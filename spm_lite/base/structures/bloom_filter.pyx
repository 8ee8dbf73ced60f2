"""The bit patterns of the Bloom filter, and the fold of a full-size table to the size that its hashes need.

Header: bloom_filter.pxd.
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill

cdef enum:
    HASHES_PER_WORD = 4
    BITS_PER_PATTERN = 3
    MIN_LOGARITHM = 9           # of the number of words: 4 KB
    MAX_LOGARITHM = 15          # 256 KB

cdef uint64_t ALL_BITS = <uint64_t> 0xFFFFFFFFFFFFFFFF

cdef uint64_t PATTERNS[N_PATTERNS]  # some may be equal


cdef void fill_patterns() noexcept:
    cdef uint64_t state = 0
    cdef int i
    for i in range(<int> N_PATTERNS):
        for _ in range(BITS_PER_PATTERN):
            state += <uint64_t> 0x9E3779B97F4A7C15
            PATTERNS[i] |= <uint64_t> 1 << ((state ^ state >> 29) * <uint64_t> 0xBF58476D1CE4E5B9 >> 58)


fill_patterns()


@cython.final
cdef class BloomFilter:
    """A set of hashes: filled in a table of the largest size, then folded to the size that its hashes need."""

    def __cinit__(self):
        self.take_words(<int> MAX_LOGARITHM)

    cdef int take_words(self, uint32_t logarithm) except -1:
        """Make an empty table of 2^logarithm words."""
        refill(self.words, <size_t> 1 << logarithm, ALL_BITS)
        self.view = BloomView(self.words.data(), &PATTERNS[0], 64 - logarithm)
        return 0

    cdef int fold(self) except -1:
        """Shrink the table to the size that its hashes need: each new bit is the AND of the bits it replaces."""
        cdef vector[uint64_t] largest
        cdef uint32_t logarithm = MIN_LOGARITHM
        cdef size_t k
        while logarithm < MAX_LOGARITHM and <int64_t> HASHES_PER_WORD << logarithm < self.n_hashes:
            logarithm += 1
        largest.swap(self.words)
        self.take_words(logarithm)
        for k in range(largest.size()):
            self.words[k >> (MAX_LOGARITHM - logarithm)] &= largest[k]
        return 0
