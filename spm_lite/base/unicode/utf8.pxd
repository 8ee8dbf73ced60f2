"""UTF-8: size, decoding and encoding of a character, validation of a text, and the units of offsets; header only."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.intrinsics cimport first_lowest


cdef enum Unit:
    BYTE_UNIT = 0       # bytes of the UTF-8
    CHAR_UNIT = 1       # code points
    UTF16_UNIT = 2      # UTF-16 code units; a code point above U+FFFF counts as two


cdef inline int32_t lead_size(uint8_t lead) noexcept nogil:
    """Return the bytes that a lead byte promises, by its high nibble: a character for the original library."""
    return 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


cdef inline int32_t char_size(const uint8_t* text, int64_t size) noexcept nogil:
    """Return the bytes of the well-formed character that `text` (at least 1 byte) starts with; 0: ill-formed."""
    cdef uint8_t a = text[0], b
    if a < 0x80:
        return 1
    if a < 0xC2 or a > 0xF4 or size < 2:
        return 0
    b = text[1]
    if b & 0xC0 != 0x80:
        return 0
    if a < 0xE0:
        return 2
    if size < 3 or text[2] & 0xC0 != 0x80:
        return 0
    if a < 0xF0:
        # E0: not below U+0800; ED: no surrogates.
        return 0 if (a == 0xE0 and b < 0xA0) or (a == 0xED and b > 0x9F) else 3
    if size < 4 or text[3] & 0xC0 != 0x80:
        return 0
    # F0: not below U+10000; F4: not above U+10FFFF.
    return 0 if (a == 0xF0 and b < 0x90) or (a == 0xF4 and b > 0x8F) else 4


cdef inline int64_t count_chars(const uint8_t* text, int64_t size) noexcept nogil:
    """Return the number of characters of well-formed UTF-8: of the bytes that begin one."""
    cdef int64_t n_chars = 0, i
    for i in range(size):
        n_chars += text[i] & 0xC0 != 0x80
    return n_chars


cdef inline bint is_ascii(const uint8_t* text, int64_t size) noexcept nogil:
    """Whether all bytes are ASCII; 32 of them are tested together."""
    cdef uint64_t words[4]
    cdef uint64_t high
    cdef int64_t pos = 0
    cdef uint8_t last = 0
    while pos + 32 <= size:
        memcpy(words, text + pos, 32)
        high = words[0] | words[1] | words[2] | words[3]
        if high & <uint64_t> 0x8080808080808080:
            return False
        pos += 32
    while pos < size:
        last |= text[pos]
        pos += 1
    return last < 0x80


cdef inline bint may_become_char(const uint8_t* text, int64_t size) noexcept nogil:
    """Whether `text` (at least 1 byte, not a character) is the beginning of a well-formed character."""
    cdef uint8_t a = text[0], b
    if a < 0xC2 or a > 0xF4 or size >= lead_size(a):
        return False
    if size == 1:
        return True
    b = text[1]
    if b & 0xC0 != 0x80 or (a == 0xE0 and b < 0xA0) or (a == 0xED and b > 0x9F):
        return False
    if (a == 0xF0 and b < 0x90) or (a == 0xF4 and b > 0x8F):
        return False
    return size == 2 or text[2] & 0xC0 == 0x80


cdef inline int32_t read_char(const uint8_t* text, int64_t size, uint32_t* code_point) noexcept nogil:
    """Return `char_size` and set the code point.

    All bytes are tested as one number. Kept apart, they are spilled to the stack as bytes and read back as words, which
    costs half the time of the loop that copies plain text.
    """
    cdef uint32_t word = text[0]
    if word < 0x80:
        code_point[0] = word
        return 1
    if word < 0xC2 or word > 0xF4 or size < 2:
        return 0
    word = word << 8 | text[1]
    if word < 0xE000:
        code_point[0] = (word >> 2 & 0x7C0) | (word & 0x3F)
        return 2 if word & 0xC0 == 0x80 else 0
    if size < 3:
        return 0
    word = word << 8 | text[2]
    if word < 0xF00000:
        code_point[0] = (word >> 4 & 0xF000) | (word >> 2 & 0xFC0) | (word & 0x3F)
        # Not below U+0800, no surrogates.
        return 3 if word & 0xC0C0 == 0x8080 and code_point[0] >= 0x800 and code_point[0] & 0xF800 != 0xD800 else 0
    if size < 4:
        return 0
    word = word << 8 | text[3]
    code_point[0] = (word >> 6 & 0x1C0000) | (word >> 4 & 0x3F000) | (word >> 2 & 0xFC0) | (word & 0x3F)
    return 4 if word & 0xC0C0C0 == 0x808080 and 0x10000 <= code_point[0] <= 0x10FFFF else 0


cdef inline uint32_t decode_char(const uint8_t* text, int32_t size) noexcept nogil:
    """Return the code point of a well-formed character of `size` bytes."""
    if size == 1:
        return text[0]
    if size == 2:
        return (<uint32_t> text[0] & 0x1F) << 6 | (text[1] & 0x3F)
    if size == 3:
        return (<uint32_t> text[0] & 0x0F) << 12 | (<uint32_t> text[1] & 0x3F) << 6 | (text[2] & 0x3F)
    return (
        (<uint32_t> text[0] & 0x07) << 18 | (<uint32_t> text[1] & 0x3F) << 12
        | (<uint32_t> text[2] & 0x3F) << 6 | (text[3] & 0x3F)
    )


cdef inline int32_t encode_char(uint32_t code_point, uint8_t* out) noexcept nogil:
    """Write a code point as UTF-8 into `out` (room for 4 bytes); return its size in bytes."""
    if code_point < 0x80:
        out[0] = <uint8_t> code_point
        return 1
    if code_point < 0x800:
        out[0] = <uint8_t> (0xC0 | code_point >> 6)
        out[1] = <uint8_t> (0x80 | (code_point & 0x3F))
        return 2
    if code_point < 0x10000:
        out[0] = <uint8_t> (0xE0 | code_point >> 12)
        out[1] = <uint8_t> (0x80 | (code_point >> 6 & 0x3F))
        out[2] = <uint8_t> (0x80 | (code_point & 0x3F))
        return 3
    out[0] = <uint8_t> (0xF0 | code_point >> 18)
    out[1] = <uint8_t> (0x80 | (code_point >> 12 & 0x3F))
    out[2] = <uint8_t> (0x80 | (code_point >> 6 & 0x3F))
    out[3] = <uint8_t> (0x80 | (code_point & 0x3F))
    return 4


cdef inline uint8_t fault_at(const uint8_t* place) noexcept nogil:
    """Return nonzero if this byte cannot follow the three before it in well-formed UTF-8."""
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

    The main loop has no branch, so that compilers vectorize it: the sizes of characters in pieces cannot be predicted.
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
    for i in range(1, min(size, 3) + 1):  # no continuation byte is due after the end
        faults |= text[size - i] >= 0x100 - (0x80 >> i)
    return faults == 0


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
