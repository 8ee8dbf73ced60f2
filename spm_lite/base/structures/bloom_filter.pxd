"""A set of hashes that takes two bytes for each: patterns of bits in words (Bloom 1970, in blocks).

What is in the set is never missed; of what is not at most 1.6 % seems to be in it where the table has room for all.
"""

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    N_PATTERNS = 1 << 9


cdef struct BloomView:
    # What the hot loops know of a BloomFilter. Of what is in it all bits are 0.
    uint64_t* words             # by the upper bits of a hash
    const uint64_t* patterns    # N_PATTERNS
    uint32_t shift              # 64 minus the logarithm of the number of words


@cython.final
cdef class BloomFilter:
    cdef vector[uint64_t] words
    cdef BloomView view       # of the largest table, until it is folded
    cdef int64_t n_hashes       # those that seemed to be there when they came are not counted

    cdef int take_words(self, uint32_t logarithm) except -1
    cdef int fold(self) except -1       # behind the last hash


cdef inline uint64_t pattern_of(const BloomView* hashes, uint64_t hash) noexcept nogil:
    """The bits of its word that stand for a hash."""
    return hashes.patterns[hash >> 40 & (<int> N_PATTERNS - 1)]  # not among the upper 15, of the largest table


cdef inline bint is_surely_absent(const BloomView* hashes, uint64_t hash) noexcept nogil:
    """Whether a hash is certainly not in the set."""
    return hashes.words[hash >> hashes.shift] & pattern_of(hashes, hash) != 0


cdef inline uint32_t may_hold(const BloomView* hashes, uint64_t hash) noexcept nogil:
    """1: a hash is in the set, as it seems; 0: it is not."""
    return not is_surely_absent(hashes, hash)


cdef inline void add_hash(BloomFilter hashes, uint64_t hash) noexcept nogil:
    """Put a hash into the set, which is not folded yet."""
    cdef uint64_t pattern = pattern_of(&hashes.view, hash)
    cdef uint64_t* word = hashes.view.words + (hash >> hashes.view.shift)
    hashes.n_hashes += word[0] & pattern != 0
    word[0] &= ~pattern
