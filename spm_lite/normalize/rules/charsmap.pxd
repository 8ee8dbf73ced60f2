"""Compiled normalization rules (charsmap): find the longest rule that a text starts with, and its replacement."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector


cdef class Charsmap:
    """A checked rule blob (model-format: 4-byte trie size, double array, NUL-terminated replacements)."""

    cdef readonly bytes blob            # as in the model; empty: no rules
    cdef readonly bint is_well_formed   # every replacement is well-formed UTF-8
    cdef vector[uint32_t] units         # empty: no rules
    cdef vector[uint8_t] targets
    cdef vector[uint8_t] char_flags     # FIRES, CONTINUES, FOLLOWS, by `flags_place`; empty: no rules
    cdef int32_t max_source             # bytes of the longest source; MAX_CYCLIC if the array is cyclic
    cdef int32_t max_target             # bytes of the longest replacement

    cdef int32_t longest_match(
        self, const uint8_t* text, int32_t size, const uint8_t** target, int32_t* target_size,
    ) noexcept nogil                    # bytes of the rule's source; 0: no rule starts here
    cdef int32_t shortest_match(
        self, const uint8_t* text, int32_t size, const uint8_t** target, int32_t* target_size,
    ) noexcept nogil                    # the same, of the shortest rule
