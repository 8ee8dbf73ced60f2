"""A blocked Bloom filter (Bloom 1970): a set of hashes in two bytes each, one pattern of bits in one word per hash.

A hash in the set is always found. At most 1.6 % of other hashes seem to be in it, if the table has room for all.
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    N_PATTERNS = 1 << 9


cdef struct BloomView:
    # The part of a BloomFilter that hot loops use. All bits of a hash in the set are 0.
    uint64_t* words             # indexed by the upper bits of a hash
    const uint64_t* patterns    # N_PATTERNS
    uint32_t shift              # 64 minus the binary logarithm of the number of words


@cython.final
cdef class BloomFilter:
    cdef vector[uint64_t] words
    cdef BloomView view       # shows the largest table until `fold`
    cdef int64_t n_hashes       # a hash that seemed to be in the set when it was added is not counted

    cdef int take_words(self, uint32_t logarithm) except -1
    cdef int fold(self) except -1       # after the last hash


cdef inline uint64_t pattern_of(const BloomView* hashes, uint64_t hash) noexcept nogil:
    """Return the bits of a hash in its word."""
    return hashes.patterns[hash >> 40 & (<int> N_PATTERNS - 1)]  # not the upper 15, which index the largest table


cdef inline bint is_surely_absent(const BloomView* hashes, uint64_t hash) noexcept nogil:
    """Whether a hash is certainly not in the set."""
    return hashes.words[hash >> hashes.shift] & pattern_of(hashes, hash) != 0


cdef inline uint32_t may_hold(const BloomView* hashes, uint64_t hash) noexcept nogil:
    """1: a hash seems to be in the set; 0: it is certainly not."""
    return not is_surely_absent(hashes, hash)


cdef inline void add_hash(BloomFilter hashes, uint64_t hash) noexcept nogil:
    """Add a hash to a set that is not folded yet."""
    cdef uint64_t pattern = pattern_of(&hashes.view, hash)
    cdef uint64_t* word = hashes.view.words + (hash >> hashes.view.shift)
    hashes.n_hashes += word[0] & pattern != 0
    word[0] &= ~pattern
