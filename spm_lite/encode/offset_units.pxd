"""Places in UTF-8 as users count them: bytes, characters, or the units of UTF-16."""

from libc.stdint cimport int32_t, uint8_t

from spm_lite.base.unicode.utf8 cimport char_size


cdef enum Unit:
    BYTE_UNIT = 0
    CHAR_UNIT = 1       # code points; an ill-formed byte is one, as in Python's decoding with "surrogateescape"
    UTF16_UNIT = 2      # a code point above U+FFFF is two


cdef struct UnitCounter:
    # Counts up to byte offsets that never fall.
    const uint8_t* text
    int32_t size
    Unit unit
    int32_t pos         # where the next character begins
    int32_t n_units     # of the characters before it


cdef inline int32_t count_units_before(UnitCounter* counter, int32_t offset) noexcept nogil:
    """Units of the characters that begin before byte `offset`, which is at most `size`."""
    cdef int32_t n
    if counter.unit == BYTE_UNIT:
        return offset
    while counter.pos < offset:
        n = char_size(counter.text + counter.pos, counter.size - counter.pos)
        counter.pos += n if n else 1
        counter.n_units += 2 if n == 4 and counter.unit == UTF16_UNIT else 1
    return counter.n_units
