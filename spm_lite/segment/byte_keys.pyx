import os

from libc.stdint cimport uint64_t


cdef int fill_maker(KeyMaker* maker) except -1:
    cdef int size, k
    maker.low_seed = int.from_bytes(os.urandom(8), "little")
    maker.high_seed = int.from_bytes(os.urandom(7), "little")
    maker.high_seed |= <uint64_t> 0x80 << 56    # with a size in it the highest byte is not 0 or LONG_KEY
    for size in range(SHORT_BYTES + 2):
        maker.masks[size] = KeyMask(0, 0, <uint64_t> size << 56 ^ maker.high_seed)
        for k in range(min(size, <int> SHORT_BYTES)):
            if k < 8:
                maker.masks[size].low |= <uint64_t> 0xFF << 8 * k
            else:
                maker.masks[size].high |= <uint64_t> 0xFF << 8 * (k - 8)
    return 0
