"""The units in which offsets in a text count; header only."""


cdef enum Unit:
    BYTE_UNIT = 0       # bytes of the UTF-8
    CHAR_UNIT = 1       # code points
    UTF16_UNIT = 2      # UTF-16 code units; a code point above U+FFFF counts as two
