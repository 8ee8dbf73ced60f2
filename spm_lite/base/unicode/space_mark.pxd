"""U+2581, the escaped space of pieces and of normalized text that is not compact; inline, header only."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport first_lowest, low_bytes


cdef enum:
    MARK_POINT = 0x2581
    MARK_BYTES = 3
    MARK_WORD = 0x8196E2    # the bytes of U+2581, the first one lowest


cdef enum:
    WIDE_BYTES = 16         # bytes that are copied at once
    COPY_SLACK = 17         # bytes of room that a copy needs beyond the text's size: a space, then WIDE_BYTES


cdef inline bint is_space_mark(const uint8_t* text, int64_t size) noexcept nogil:
    """Whether `text` starts with U+2581."""
    return size >= 3 and text[0] == 0xE2 and text[1] == 0x96 and text[2] == 0x81


cdef inline int append_space_mark(vector[uint8_t]& out) except -1 nogil:
    out.push_back(0xE2)
    out.push_back(0x96)
    out.push_back(0x81)
    return 0


cdef inline uint8_t* copy_unescaped(const uint8_t* text, int64_t size, uint8_t* out) noexcept nogil:
    """Copy text with U+2581 as a space; return the end of the copy, which is never longer than the text."""
    cdef const uint8_t* end = text + size
    while text < end:
        if text[0] == 0xE2 and is_space_mark(text, end - text):
            out[0] = 0x20
            text += 3
        else:
            out[0] = text[0]
            text += 1
        out += 1
    return out


cdef inline uint64_t may_be_marks(const uint8_t* text, int64_t size) noexcept nogil:
    """Return nonzero if one of the next `size` bytes (at most 8) may begin U+2581. 8 bytes must be readable."""
    cdef uint64_t word = 0
    memcpy(&word, text, 8)
    word = first_lowest(word) ^ <uint64_t> 0xE2E2E2E2E2E2E2E2 | ~low_bytes(min(size, <int64_t> 8))
    return (word - <uint64_t> 0x0101010101010101) & ~word & <uint64_t> 0x8080808080808080  # nonzero if a byte is 0


cdef inline uint8_t* copy_piece_unescaped(
    const uint8_t* text, int64_t size, int64_t n_readable, uint8_t* out,
) noexcept nogil:
    """Copy a piece as `copy_unescaped` does; for most pieces no branch depends on their bytes.

    n_readable: bytes that may be read from `text` on. `out` has room for COPY_SLACK bytes more than `size`.
    """
    cdef uint64_t word = 0
    cdef int64_t n_before
    if n_readable < <int64_t> WIDE_BYTES + <int64_t> MARK_BYTES:
        return copy_unescaped(text, size, out)
    memcpy(&word, text, 8)
    n_before = <int64_t> (first_lowest(word) & 0xFFFFFF == <uint64_t> MARK_WORD) & <int64_t> (size >= MARK_BYTES)
    out[0] = 0x20
    out += n_before
    text += MARK_BYTES * n_before
    size -= MARK_BYTES * n_before
    if size > WIDE_BYTES or may_be_marks(text, size) or size > 8 and may_be_marks(text + 8, size - 8):
        return copy_unescaped(text, size, out)
    memcpy(out, text, WIDE_BYTES)
    return out + size
