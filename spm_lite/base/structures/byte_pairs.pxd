"""The bytes that stand side by side in some piece; where two do not, no piece spans the place between them."""

from libc.stdint cimport int32_t, uint8_t, uint32_t


cdef enum:
    PAIR_BYTES = 1 << 13    # a bit for each pair


cdef inline void add_pairs(uint8_t* pairs, const uint8_t* piece, int32_t size) noexcept nogil:
    """Enter the pairs of one piece."""
    cdef int32_t k
    for k in range(1, size):
        pairs[<uint32_t> piece[k - 1] << 5 | piece[k] >> 3] |= 1 << (piece[k] & 7)


cdef inline bint is_joinable(const uint8_t* pairs, uint8_t left, uint8_t right) noexcept nogil:
    """Whether some piece has these bytes side by side."""
    return pairs[<uint32_t> left << 5 | right >> 3] >> (right & 7) & 1
