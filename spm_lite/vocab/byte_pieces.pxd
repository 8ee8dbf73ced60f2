"""Whether the text of a piece is the name of a byte; inline, header only."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcmp


cdef inline int32_t hex_digit(uint8_t byte) noexcept nogil:
    """The value of an upper-case hexadecimal digit; -1: another byte."""
    if c"0" <= byte <= c"9":
        return byte - c"0"
    if c"A" <= byte <= c"F":
        return byte - c"A" + 10
    return -1


cdef inline int32_t byte_of_piece(const uint8_t* text, int64_t size) noexcept nogil:
    """The byte that a text of the form <0xHH> names; -1: another form."""
    cdef int32_t high, low
    if size != 6 or memcmp(text, b"<0x", 3) != 0 or text[5] != c">":
        return -1
    high = hex_digit(text[3])
    low = hex_digit(text[4])
    return -1 if high < 0 or low < 0 else high << 4 | low
