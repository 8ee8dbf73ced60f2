"""Characters as the bytes that they are spelled with, in one word; header only."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.intrinsics cimport first_lowest


cdef enum:
    WORD_BYTES = 8                      # bytes read of a character
    NO_CHAR = <uint32_t> 0xFFFFFFFF     # no character has this word
    BLOCK_BYTES = 64                    # bytes of text that are scanned together: this many after a text are readable


cdef inline uint64_t read_word(const uint8_t* text) noexcept nogil:
    """Eight bytes."""
    cdef uint64_t word = 0
    memcpy(&word, text, 8)
    return word


cdef inline int32_t read_char_word(const uint8_t* text, uint32_t* char_word) noexcept nogil:
    """Bytes of the character that `text` starts with, which are the char_word; WORD_BYTES of it must be readable.

    Of ill-formed text any bytes may become a char_word: no piece holds them, so a cut there changes nothing.
    """
    cdef uint64_t word = first_lowest(read_word(text))
    if word & 0xC0C0F0 == 0x8080E0:
        char_word[0] = word & 0xFFFFFF
        return 3
    if word & 0x80 == 0:
        char_word[0] = word & 0x7F
        return 1
    if word & 0xC0E0 == 0x80C0:
        char_word[0] = word & 0xFFFF
        return 2
    if word & <uint32_t> 0xC0C0C0F8 == <uint32_t> 0x808080F0:
        char_word[0] = <uint32_t> word
        return 4
    char_word[0] = word & 0xFF
    return 1


cdef inline int32_t char_word_size(uint32_t char_word) noexcept nogil:
    """Bytes of what `read_char_word` has read."""
    return 1 + (char_word > 0xFF) + (char_word > 0xFFFF) + (char_word > 0xFFFFFF)
