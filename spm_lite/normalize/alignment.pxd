"""Conversion of normalized text and its alignment from the internal form to the form that users see; header only."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.space_mark cimport append_space_mark
from spm_lite.base.unicode.utf8 cimport lead_size


cdef struct CharCounter:
    # Counts characters, each as long as its first byte says, up to offsets that never fall.
    const uint8_t* text
    int64_t size
    int64_t pos         # where the next character begins
    int32_t n_chars     # characters that begin before `pos`


cdef inline int32_t count_chars_before(CharCounter* counter, int64_t offset) noexcept nogil:
    """Count the characters that begin before byte `offset`."""
    while counter.pos < offset and counter.pos < counter.size:
        counter.pos += lead_size(counter.text[counter.pos])
        counter.n_chars += 1
    return counter.n_chars


cdef inline int show_spaces(
    const vector[uint8_t]& text, const vector[int32_t]& align, vector[uint8_t]& shown, vector[int32_t]& shown_align,
) except -1 nogil:
    """Write U+2581 for each 0x20 of a compact text; its alignment entry is repeated three times."""
    cdef size_t n_spaces = 0
    cdef size_t k
    for k in range(text.size()):
        n_spaces += text[k] == 0x20
    shown.clear()
    shown.reserve(text.size() + 2 * n_spaces)
    shown_align.clear()
    if not align.empty():
        shown_align.reserve(align.size() + 2 * n_spaces)
    for k in range(text.size()):
        if text[k] == 0x20:
            append_space_mark(shown)
        else:
            shown.push_back(text[k])
        if not align.empty():
            shown_align.resize(shown.size(), align[k])
    if not align.empty():
        shown_align.push_back(align[text.size()])
    return 0


cdef inline int fill_char_alignment(
    const uint8_t* text, int64_t size, const uint8_t* normalized, int64_t normalized_size,
    const vector[int32_t]& align, vector[int32_t]& char_align,
) except -1 nogil:
    """Fill, for each character of `normalized` and for its end, the number of characters of `text` before it.

    align: normalized_size + 1 byte offsets, never falling; or none. Characters are as long as their first byte says.
    """
    cdef CharCounter counter = CharCounter(text, size, 0, 0)
    cdef int64_t begin = 0
    char_align.clear()
    if align.empty():
        char_align.push_back(0)
        return 0
    while True:
        char_align.push_back(count_chars_before(&counter, align[begin]))
        if begin == normalized_size:
            return 0
        begin = min(begin + lead_size(normalized[begin]), normalized_size)
