"""A double array in the unit layout of the model format's charsmap (Darts-clone).

One unit is 32 bits. Internal: bits 0-7 the label, bit 8 "a key ends here", bit 9 the offset's scale,
bits 10-30 the offset; value unit: bit 31 set, bits 0-30 the value. The child of a node on byte `b` is the
unit `base ^ b`, where `base = node ^ offset(unit)`; the value of a node is the unit `base`.
A NUL byte never continues a key.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector


cdef enum:
    ENDS_KEY = 0x100                            # of an internal unit: a key ends here
    IS_VALUE = <uint32_t> 0x80000000            # the unit holds a value
    VALUE_MASK = 0x7FFFFFFF                     # the bits of the value


cdef struct TrieCursor:
    # The node that a walk through the array has reached.
    uint32_t base       # children of this node: base ^ byte
    int32_t value       # value of the key that ends here; -1: none


cdef struct TrieKey:
    # One key of an array to be built; the bytes belong to the caller.
    const uint8_t* data
    int32_t size        # bytes, at least 1, none of them NUL
    int32_t value       # 0..2^31 - 1


cdef inline uint32_t unit_offset(uint32_t unit) noexcept nogil:
    return (unit >> 10) << ((unit & 0x200) >> 6)


cdef inline void trie_root(const uint32_t* units, TrieCursor* cursor) noexcept nogil:
    cursor.base = unit_offset(units[0])
    cursor.value = -1


cdef inline bint trie_advance(const uint32_t* units, TrieCursor* cursor, uint8_t byte) noexcept nogil:
    """One step down; False: no key continues with `byte`, and the cursor stays."""
    cdef uint32_t node = cursor.base ^ byte
    cdef uint32_t unit = units[node]
    if unit & <uint32_t> 0x800000FF != byte:
        return False
    cursor.base = node ^ unit_offset(unit)
    cursor.value = <int32_t> (units[cursor.base] & <uint32_t> VALUE_MASK) if unit & ENDS_KEY else -1
    return True


cdef int build_double_array(const TrieKey* keys, size_t n_keys, vector[uint32_t]& units) except -1 nogil


cdef class Builder:
    """An array under construction, for callers that place the nodes in their own order."""

    cdef vector[uint32_t] units
    cdef vector[uint8_t] state          # FREE, USED, IS_BASE bits per unit
    cdef vector[uint32_t] next_free     # ring of free units of the open blocks
    cdef vector[uint32_t] prev_free
    cdef uint32_t head                  # a free unit; 2^32 - 1: none
    cdef uint32_t closed                # units below are in closed blocks

    cdef int start(self) except -1 nogil
    cdef int place(self, uint32_t node, const uint8_t* labels, int32_t n_labels, uint32_t* base) except -1 nogil
    cdef bint can_point(self, uint32_t node, uint32_t base) noexcept nogil
    cdef void point(self, uint32_t node, uint32_t base) noexcept nogil
    cdef void finish(self) noexcept nogil
    cdef int add_block(self) except -1 nogil
    cdef void link(self, uint32_t i) noexcept nogil
    cdef void take(self, uint32_t i) noexcept nogil
    cdef void close_block(self, uint32_t begin) noexcept nogil
    cdef bint fits(self, uint32_t node, uint32_t base, const uint8_t* labels, int32_t n_labels) noexcept nogil
    cdef int find_base(
        self, uint32_t node, const uint8_t* labels, int32_t n_labels, uint32_t* base,
    ) except -1 nogil
