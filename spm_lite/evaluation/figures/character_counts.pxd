"""What the audit asks of a code point: letter, mark, white space, and its script by name."""

from libc.stdint cimport uint8_t, uint32_t


cdef enum CharFlags:
    LETTER = 1          # general category L*
    WORD_PART = 2       # a letter, a mark (M*), U+200C or U+200D: what a letter word consists of
    WHITE = 4           # white space, as `str.split` sees it
    SPACE_FREE = 8      # of a script that is written without spaces between words


cdef enum:
    N_CODE_POINTS = 0x110000
    COMMON_SCRIPT = 0       # also for every code point that no script lists
    N_SCRIPTS = 256         # more than there are


cdef uint8_t flags_of[N_CODE_POINTS]
cdef uint8_t script_numbers[N_CODE_POINTS]
