"""A place of its own for each of many hashes, found without searching: hash and displace.

Hashes that begin alike are a group, and each group takes the least number of steps behind the first places of its
hashes at which all are free; large groups come first. Source: Pagh 1999, "Hash and displace".
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    N_STEPS = 256


cdef inline uint64_t place_at(uint64_t hash, uint32_t step, uint64_t n_places) noexcept nogil:
    """The place so many steps behind the first one of a hash."""
    return <uint64_t> (<uint32_t> hash + step * (<uint32_t> (hash >> 24) | 1)) * n_places >> 32


# Steps per group, whose number is 2^(64 - shift); False: with these hashes and places there are none.
cdef bint find_steps(
    const vector[uint64_t]& hashes, uint32_t shift, uint64_t n_places, vector[uint8_t]& steps,
) except -1 nogil
