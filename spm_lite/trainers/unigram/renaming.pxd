"""New numbers for the pieces that are named at the places of a text, on several threads."""

from libc.stdint cimport uint32_t


cdef inline void rename(uint32_t* places, size_t n_places, const uint32_t* new_ids) noexcept nogil:
    """Put the new number in the place of each; 2^32 - 1, no piece, stays."""
    cdef size_t i
    for i in range(n_places):
        if places[i] != <uint32_t> -1:
            places[i] = new_ids[places[i]]


cdef int rename_all(uint32_t* places, size_t n_places, const uint32_t* new_ids, uint32_t n_threads) except -1 nogil
