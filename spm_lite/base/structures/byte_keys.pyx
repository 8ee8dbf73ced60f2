"""Draws the seeds of the keys from the system's entropy, and fills the masks that cut a string to its size.

Header: byte_keys.pxd.
"""

from libc.stdint cimport uint64_t

from spm_lite.base.system.intrinsics cimport low_bytes

import os


cdef int fill_maker(KeyMaker* maker) except -1:
    cdef int size, n
    maker.low_seed = int.from_bytes(os.urandom(8), "little")
    maker.high_seed = int.from_bytes(os.urandom(7), "little")
    maker.high_seed |= <uint64_t> 0x80 << 56    # XORed with a size, the highest byte is not 0 or LONG_KEY
    for size in range(SHORT_BYTES + 2):
        n = min(size, <int> SHORT_BYTES)
        maker.masks[size] = KeyMask(
            low_bytes(min(n, 8)), low_bytes(max(n, 8) - 8), <uint64_t> size << 56 ^ maker.high_seed,
        )
    return 0
