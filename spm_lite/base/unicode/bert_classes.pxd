"""Characters that are words of their own for BERT's tokenizers: punctuation and ideographs of Chinese."""

from libc.stdint cimport uint8_t, uint32_t


cdef enum:
    # The kind of a code point.
    PART_OF_WORD = 0
    PUNCTUATION = 1
    IDEOGRAPH = 2


cdef uint8_t bert_kind(uint32_t code_point) noexcept nogil


cdef inline bint is_dropped(uint32_t code_point) noexcept nogil:
    """Whether BERT drops a character that no rule of the normalization can: NUL, U+FFFD, private use."""
    return code_point == 0 or code_point == 0xFFFD or 0xE000 <= code_point <= 0xF8FF or (
        0xF0000 <= code_point <= 0xFFFFD or 0x100000 <= code_point <= 0x10FFFD
    )
