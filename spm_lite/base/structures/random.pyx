"""Philox4x32-10: `philox` makes a block of four numbers, and `Random` hands out streams by an atomic count.

Header: random.pxd.
"""

cimport cython
from libc.stdint cimport uint32_t, uint64_t

import os

cdef uint64_t FIRST_MULTIPLIER = 0xD2511F53
cdef uint64_t SECOND_MULTIPLIER = 0xCD9E8D57
cdef uint32_t FIRST_INCREMENT = <uint32_t> 0x9E3779B9
cdef uint32_t SECOND_INCREMENT = <uint32_t> 0xBB67AE85


cdef void open_stream(uint64_t seed, uint64_t number, RandomStream* stream) noexcept nogil:
    """Set `stream` to the start of the stream `number`."""
    stream.seed = seed
    stream.number = number
    stream.n_blocks = 0
    stream.n_left = 0


cdef void fill_block(RandomStream* stream) noexcept nogil:
    """Make the next four words."""
    cdef uint32_t a = <uint32_t> stream.n_blocks, b = <uint32_t> (stream.n_blocks >> 32)
    cdef uint32_t c = <uint32_t> stream.number, d = <uint32_t> (stream.number >> 32)
    philox(a, b, c, d, <uint32_t> stream.seed, <uint32_t> (stream.seed >> 32), stream.words)
    stream.n_blocks += 1
    stream.n_left = 4


cdef void philox(
    uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t first_key, uint32_t second_key, uint32_t* words,
) noexcept nogil:
    """Fill `words` by ten rounds over the counter (a, b, c, d)."""
    cdef uint64_t first, second
    for _ in range(10):
        first = FIRST_MULTIPLIER * a
        second = SECOND_MULTIPLIER * c
        a = <uint32_t> (second >> 32) ^ b ^ first_key
        b = <uint32_t> second
        c = <uint32_t> (first >> 32) ^ d ^ second_key
        d = <uint32_t> first
        first_key += FIRST_INCREMENT
        second_key += SECOND_INCREMENT
    words[0] = a
    words[1] = b
    words[2] = c
    words[3] = d


@cython.final
cdef class Random:
    """A seed and the number of its streams in use: each call takes a new stream, in a batch each text its own.

    seed: 0 to 2^64 - 1; None: from the system's entropy. Threads may share it; the order of their calls then decides
    which call gets which stream.
    """

    def __cinit__(self, seed=None):
        self.seed = int.from_bytes(os.urandom(8), "little") if seed is None else seed

    cdef uint64_t take(self, uint64_t n_streams) noexcept nogil:
        return self.n_taken.fetch_add(n_streams)
