"""Classes of characters in split patterns: letters with and without case, marks, numbers, white space."""

from libc.stdint cimport uint8_t, uint32_t


cdef enum:
    # The class of a code point. Letters are 1 to 3.
    NO_CLASS = 0
    UPPER = 1       # Lu, Lt
    LOWER = 2       # Ll
    CASELESS = 3    # Lm, Lo
    MARK = 4        # M
    NUMBER = 5      # N
    WHITE = 6       # white space


cdef const uint8_t* split_classes() except NULL     # by code point, 0x110000 of them; made by the first call
