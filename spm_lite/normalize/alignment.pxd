"""Conversion of normalized text and its alignment from the internal form to the form that users see."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

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


cdef int show_spaces(
    const vector[uint8_t]& text, const vector[int32_t]& align, vector[uint8_t]& shown, vector[int32_t]& shown_align,
) except -1 nogil       # compact text -> its spaces as U+2581; `align` may be empty

cdef int fill_char_alignment(
    const uint8_t* text, int64_t size, const uint8_t* normalized, int64_t normalized_size,
    const vector[int32_t]& align, vector[int32_t]& char_align,
) except -1 nogil       # byte alignment -> code point alignment
