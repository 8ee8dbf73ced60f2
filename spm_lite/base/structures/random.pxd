"""Philox4x32-10: random numbers that are a function of (seed, stream, place), equal on every machine.

A stream's numbers come in blocks of four. Block b of stream s under seed k is Philox of the counter words (low b,
high b, low s, high s) and the key words (low k, high k). Source: Salmon, Moraes, Dror, Shaw 2011.
"""

cimport cython
from libc.stdint cimport uint32_t, uint64_t

from spm_lite.base.system.atomics cimport atomic


cdef struct RandomStream:
    # One sequence of numbers; belongs to one thread.
    uint64_t seed
    uint64_t number
    uint64_t n_blocks       # blocks made so far
    uint32_t n_left         # words of the last block that are not used yet
    uint32_t words[4]


cdef void open_stream(uint64_t seed, uint64_t number, RandomStream* stream) noexcept nogil
cdef void fill_block(RandomStream* stream) noexcept nogil


cdef inline uint32_t next_word(RandomStream* stream) noexcept nogil:
    """Return 32 random bits."""
    if stream.n_left == 0:
        fill_block(stream)
    stream.n_left -= 1
    return stream.words[3 - stream.n_left]


cdef inline double next_uniform(RandomStream* stream) noexcept nogil:
    """Return a double of [0, 1): 53 random bits, the upper 27 from the first word."""
    cdef uint64_t high = next_word(stream) >> 5
    cdef uint64_t low = next_word(stream) >> 6
    return <double> (high << 26 | low) * (1.0 / 9007199254740992.0)


@cython.final
cdef class Random:
    cdef readonly uint64_t seed
    cdef atomic[uint64_t] n_taken   # streams in use

    cdef uint64_t take(self, uint64_t n_streams) noexcept nogil     # returns the number of the first one
