"""The mark of an added token in normalized text: five bytes that no text in UTF-8 holds; header only.

A mark is the byte FF and the id of the token in four bytes of six bits each.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memchr


cdef enum:
    MARK_LEAD = 0xFF
    MARK_SIZE = 5


cdef inline void write_mark(uint8_t* out, int32_t piece_id) noexcept nogil:
    """Write the mark of a token to MARK_SIZE bytes."""
    cdef int32_t k
    out[0] = MARK_LEAD
    for k in range(1, MARK_SIZE):
        out[k] = <uint8_t> (0x80 | (piece_id >> 6 * (MARK_SIZE - 1 - k) & 0x3F))


cdef inline bint is_mark(const uint8_t* text, int32_t size) noexcept nogil:
    """Whether a mark begins here. text: 1 byte or more."""
    return text[0] == MARK_LEAD and size >= MARK_SIZE


cdef inline int32_t marked_id(const uint8_t* mark) noexcept nogil:
    """Return the id of the token of a mark."""
    cdef int32_t k, piece_id = 0
    for k in range(1, MARK_SIZE):
        piece_id = piece_id << 6 | (mark[k] & 0x3F)
    return piece_id


cdef inline int32_t next_mark(const uint8_t* text, int32_t begin, int32_t size) noexcept nogil:
    """Return the place of the next mark from `begin` on; `size`: there is none."""
    if begin == size:
        return size  # a text of no bytes may have no address, which memchr does not take
    cdef const uint8_t* found = <const uint8_t*> memchr(text + begin, <int> MARK_LEAD, <size_t> (size - begin))
    return size if found == NULL else <int32_t> (found - text)
