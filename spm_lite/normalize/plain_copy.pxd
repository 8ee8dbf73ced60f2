"""Fast copy of plain text: the text that normalization leaves unchanged."""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from spm_lite.base.unicode.space_mark cimport MARK_POINT
from spm_lite.base.unicode.utf8 cimport read_char
from spm_lite.normalize.rules.char_flags cimport may_fire
from spm_lite.normalize.text_writer cimport Writer


cdef enum:
    ASCII = 0           # copied unchanged, whatever precedes it
    LEAD = 1            # starts a longer character, which must be tested
    STEP = 2            # the copy stops here, for a step of the normalizer


cdef enum:
    BLOCK = 32                  # bytes that are tested and copied at once


cdef struct ByteRange:
    # Bounds of a range, each BLOCK times: from one byte compilers would make the wide constant anew each time.
    uint8_t first[BLOCK]
    uint8_t n_more[BLOCK]       # last minus first


cdef struct Filter:
    # What the copy needs of the rules; its pointers lead into the normalizer that owns it.
    uint8_t kinds[256]          # ASCII, LEAD or STEP, by the first byte of a character
    uint8_t safe_leads[256]     # 1: any three bytes from this one on are plain if they are a character
    ByteRange plain             # bytes of kind ASCII, except for the holes
    ByteRange holes[3]
    bint has_holes
    uint8_t dropped[BLOCK]      # the space, if `drops_spaces`; else a byte that is not ASCII
    const uint8_t* char_flags   # FIRES, CONTINUES, FOLLOWS by `flags_place`; NULL: no rules
    bint drops_spaces           # of several spaces only one is kept
    bint stops_at_mark          # U+2581 is not plain
    bint keeps_sound            # all other non-ASCII characters of well-formed text are plain


cdef int copy_plain(
    const Filter* filter, Writer* writer, const uint8_t* text, int32_t size, int32_t stop, int32_t* pos,
    bint* after_space,
) except -1 nogil               # from `pos` up to the first character that may have to be changed, at most to `stop`


cdef inline bint stops_at(
    const uint8_t* char_flags, uint32_t mark, uint32_t code_point, int32_t n_bytes, const uint8_t* text, int32_t size,
) noexcept nogil:
    """Whether the copy stops at the first character of a text, which `read_char` has read."""
    if n_bytes == 0 or code_point == mark:
        return True
    return char_flags != NULL and may_fire(char_flags, code_point, text + n_bytes, size - n_bytes)


cdef inline uint32_t mark_of(const Filter* filter) noexcept nogil:
    """Return the code point of U+2581 if the copy stops there; else a number that is no code point."""
    return <uint32_t> MARK_POINT if filter.stops_at_mark else 0xFFFFFFFF


cdef inline bint stops_copy(const Filter* filter, const uint8_t* text, int32_t size) noexcept nogil:
    """Whether the copy would surely stop at the start of the text (1 byte or more); False: it must be tried."""
    cdef uint32_t code_point = 0
    cdef int32_t n_bytes
    if filter.kinds[text[0]] == STEP:
        return True
    if text[0] < 0x80 and (size == 1 or text[1] < 0x80):
        return False
    n_bytes = read_char(text, size, &code_point)
    return stops_at(filter.char_flags, mark_of(filter), code_point, n_bytes, text, size)


# Complete a filter from `kinds` and its other fields; both calls are needed.
cdef void fill_range(Filter* filter) noexcept nogil
cdef void fill_leads(Filter* filter) noexcept nogil
