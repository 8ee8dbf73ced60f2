"""A step that a text goes through before all else: a form of Unicode, or a chain of the steps of tokenizers."""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector


cdef struct Changed:
    # A part of a text that a step changes.
    int32_t begin
    int32_t end


cdef class TextStep:
    """One step. `apply` is owed by each kind."""

    cdef bint is_local      # a part of a text can be told that no later text changes: see `last_begin`

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil       # False: the text stays as it is, and nothing is written
    # out, align, changed: overwritten. align: for each byte of `out`, and for its end, an offset in `text`; never
    # falling. changed: the parts that change, of a step that is local. Both may be NULL.

    # Mark in `flags` (see `char_flags`) the characters that the step may change where spaces are single ones between
    # others; False: it may change such a text otherwise.
    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1
    cdef int32_t last_begin(self, const uint8_t* text, int32_t size) noexcept nogil
