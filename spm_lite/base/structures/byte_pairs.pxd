"""A bit set of the byte pairs within pieces: no piece spans the place between two bytes that are not such a pair."""

from libc.stdint cimport int32_t, uint8_t, uint32_t


cdef enum:
    PAIR_BYTES = 1 << 13    # a bit for each pair


cdef inline void add_pairs(uint8_t* pairs, const uint8_t* piece, int32_t size) noexcept nogil:
    """Add the pairs of one piece."""
    cdef int32_t k
    for k in range(1, size):
        pairs[<uint32_t> piece[k - 1] << 5 | piece[k] >> 3] |= 1 << (piece[k] & 7)


cdef inline bint is_joinable(const uint8_t* pairs, uint8_t left, uint8_t right) noexcept nogil:
    """Whether some piece has these bytes side by side."""
    return pairs[<uint32_t> left << 5 | right >> 3] >> (right & 7) & 1
