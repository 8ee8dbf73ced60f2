"""U+2581, the form of an escaped space in text that is not compact, and in every piece; inline, header only."""

from libc.stdint cimport int64_t, uint8_t
from libcpp.vector cimport vector


cdef inline bint is_space_mark(const uint8_t* text, int64_t size) noexcept nogil:
    """Whether `text` starts with U+2581."""
    return size >= 3 and text[0] == 0xE2 and text[1] == 0x96 and text[2] == 0x81


cdef inline int append_space_mark(vector[uint8_t]& out) except -1 nogil:
    out.push_back(0xE2)
    out.push_back(0x96)
    out.push_back(0x81)
    return 0


cdef inline uint8_t* copy_unescaped(const uint8_t* text, int64_t size, uint8_t* out) noexcept nogil:
    """Copy text with U+2581 as a space; where the copy ends is returned. It is never longer than the text."""
    cdef const uint8_t* end = text + size
    while text < end:
        if text[0] == 0xE2 and is_space_mark(text, end - text):
            out[0] = 0x20
            text += 3
        else:
            out[0] = text[0]
            text += 1
        out += 1
    return out
