"""Characters as 32-bit words that hold their UTF-8 bytes; header only."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.intrinsics cimport first_lowest


cdef enum:
    WORD_BYTES = 8                      # bytes that are read for a character
    NO_CHAR = <uint32_t> 0xFFFFFFFF     # no character has this word
    BLOCK_BYTES = 64                    # bytes of text that are scanned together; as many must be readable after it


cdef inline uint64_t read_word(const uint8_t* text) noexcept nogil:
    """Return eight bytes as a word."""
    cdef uint64_t word = 0
    memcpy(&word, text, 8)
    return word


cdef inline int32_t read_char_word(const uint8_t* text, uint32_t* char_word) noexcept nogil:
    """Set `char_word` to the character that `text` starts with; return its size. WORD_BYTES must be readable.

    In ill-formed text any bytes may become a char_word: no piece holds them, so a cut there changes nothing.
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
    """Return the size in bytes of the character in a char_word."""
    return 1 + (char_word > 0xFF) + (char_word > 0xFFFF) + (char_word > 0xFFFFFF)
