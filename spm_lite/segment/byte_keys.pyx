from libc.stdint cimport uint64_t


cdef void fill_maker(KeyMaker* maker, uint64_t random) noexcept nogil:
    cdef int size, k
    # The highest byte of the complement is 0x80, and with a size in it never 0 or LONG_KEY.
    maker.seed = random >> 8 | <uint64_t> 0x7F << 56
    for size in range(SHORT_BYTES + 2):
        maker.masks[size] = KeyMask(0, 0, <uint64_t> size << 56 ^ ~maker.seed)
        for k in range(min(size, <int> SHORT_BYTES)):
            if k < 8:
                maker.masks[size].low |= <uint64_t> 0xFF << 8 * k
            else:
                maker.masks[size].high |= <uint64_t> 0xFF << 8 * (k - 8)
