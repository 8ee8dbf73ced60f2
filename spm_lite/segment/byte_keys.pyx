from libc.stdint cimport uint64_t


cdef void fill_maker(KeyMaker* maker, uint64_t random, uint64_t other) noexcept nogil:
    cdef int size, k
    maker.low_seed = random
    maker.high_seed = other >> 8 | <uint64_t> 0x80 << 56   # with a size in it the highest byte is not 0 or LONG_KEY
    for size in range(SHORT_BYTES + 2):
        maker.masks[size] = KeyMask(0, 0, <uint64_t> size << 56 ^ maker.high_seed)
        for k in range(min(size, <int> SHORT_BYTES)):
            if k < 8:
                maker.masks[size].low |= <uint64_t> 0xFF << 8 * k
            else:
                maker.masks[size].high |= <uint64_t> 0xFF << 8 * (k - 8)
