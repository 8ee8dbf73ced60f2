"""Characters that cannot be seen, by properties of Unicode: blanks, and characters of no width."""

from libc.stdint cimport uint8_t, uint32_t


cdef enum:
    # The kind of a code point.
    VISIBLE = 0
    BLANK_SIGN = 1      # white space within a line: TAB, U+00A0, U+3000 ...; not U+0020, and not what a script owns
    IGNORABLE = 2       # no width: U+00AD, U+200B to U+200F, U+2060, U+FEFF, variation selectors ...


cdef uint8_t invisible_kind(uint32_t code_point) noexcept nogil
