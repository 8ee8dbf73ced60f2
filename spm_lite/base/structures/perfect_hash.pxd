"""A perfect hash by hash and displace: each of many hashes has its own place, found without a search.

Hashes with equal upper bits form a group. A group takes the smallest number of steps after which the places of all its
hashes are free. Large groups choose first. Source: Pagh 1999, "Hash and displace".
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    N_STEPS = 256


cdef inline uint64_t place_at(uint64_t hash, uint32_t step, uint64_t n_places) noexcept nogil:
    """Return the place of a hash after `step` steps from its first place."""
    return <uint64_t> (<uint32_t> hash + step * (<uint32_t> (hash >> 24) | 1)) * n_places >> 32


# Fill `steps`, one for each of the 2^(64 - shift) groups; False: none were found for these hashes and places.
cdef bint find_steps(
    const vector[uint64_t]& hashes, uint32_t shift, uint64_t n_places, vector[uint8_t]& steps,
) except -1 nogil
