"""What the text of a piece is: well-formed UTF-8, the name of a byte; inline, header only."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcmp

from spm_lite.normalize.utf8 cimport char_size


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


cdef inline uint8_t fault_at(const uint8_t* place) noexcept nogil:
    """Not 0: this byte cannot follow the three before it in well-formed UTF-8."""
    cdef uint8_t byte = place[0], one = (place - 1)[0], two = (place - 2)[0], three = (place - 3)[0]
    cdef uint8_t continues = byte & 0xC0 == 0x80
    cdef uint8_t is_due = (one >= 0xC0) | (two >= 0xE0) | (three >= 0xF0)
    return (
        continues ^ is_due | (byte == 0xC0) | (byte == 0xC1) | (byte >= 0xF5)
        | (one == 0xE0) & (byte < 0xA0) | (one == 0xED) & (byte > 0x9F)     # below U+0800; surrogates
        | (one == 0xF0) & (byte < 0x90) | (one == 0xF4) & (byte > 0x8F)     # below U+10000; above U+10FFFF
    )


cdef inline bint is_utf8(const uint8_t* text, int64_t size) noexcept nogil:
    """Whether all of `text` is well-formed.

    Without a branch, and so for many bytes at once: in the pieces of a vocabulary sizes cannot be predicted.
    """
    cdef uint8_t faults = 0
    cdef int64_t pos = 0, i
    cdef int32_t step
    while pos < min(size, 3):
        step = char_size(text + pos, size - pos)
        if step == 0:
            return False
        pos += step
    for i in range(pos, size):
        faults |= fault_at(text + i)
    for i in range(1, min(size, 3) + 1):  # nothing is due behind the end
        faults |= text[size - i] >= 0x100 - (0x80 >> i)
    return faults == 0
