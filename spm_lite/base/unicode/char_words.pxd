"""Characters as the bytes that they are spelled with, in one word; header only."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.intrinsics cimport first_lowest


cdef enum Units:
    UNIT_BYTES = 8                      # that are read of a character
    NO_UNIT = <uint32_t> 0xFFFFFFFF     # stands beside no other


cdef inline uint64_t read_word(const uint8_t* text) noexcept nogil:
    """Eight bytes."""
    cdef uint64_t word = 0
    memcpy(&word, text, 8)
    return word


cdef inline int32_t read_unit(const uint8_t* text, uint32_t* unit) noexcept nogil:
    """Bytes of the character that `text` starts with, which are the unit; UNIT_BYTES of it must be readable.

    Of text that is not well-formed any bytes may become a unit: no piece holds them, so it may be cut there or not.
    """
    cdef uint64_t word = first_lowest(read_word(text))
    if word & 0xC0C0F0 == 0x8080E0:
        unit[0] = word & 0xFFFFFF
        return 3
    if word & 0x80 == 0:
        unit[0] = word & 0x7F
        return 1
    if word & 0xC0E0 == 0x80C0:
        unit[0] = word & 0xFFFF
        return 2
    if word & <uint32_t> 0xC0C0C0F8 == <uint32_t> 0x808080F0:
        unit[0] = <uint32_t> word
        return 4
    unit[0] = word & 0xFF
    return 1


cdef inline int32_t unit_size_of(uint32_t unit) noexcept nogil:
    """Bytes of what `read_unit` has read."""
    return 1 + (unit > 0xFF) + (unit > 0xFFFF) + (unit > 0xFFFFFF)
