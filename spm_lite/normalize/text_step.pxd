"""A step that a text goes through before all else: a form of Unicode, or a chain of the steps of tokenizers."""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.text_writer cimport refuse_length


cdef struct Changed:
    # A part of a text that a step changes.
    int32_t begin
    int32_t end


cdef class TextStep:
    """One step. `apply` is owed by each kind."""

    cdef bint is_local      # a part of a text can be told that no later text changes: see `last_begin`
    cdef bint by_char       # local, and each character changes by itself, whatever is around it
    cdef bint keeps_start   # what comes of a text begins with what comes of its first character

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil       # False: the text stays as it is, and nothing is written
    # out, align: overwritten. align: for each byte of `out`, and for its end, an offset in `text`; never falling.
    # changed: empty; gets the parts that change, of a step that is local, but not of one that changes each character by
    # itself. Both may be NULL; with `changed` there is `align`.

    # Mark in `flags` (see `char_flags`) the characters that the step may change where spaces are single ones between
    # others; False: it may change such a text otherwise.
    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1
    # Return the bytes at `pos`, where a character begins, that become `target`; -1: that character stays, or the step
    # does not change texts so. end: 0 at first, and kept from call to call, while `pos` rises.
    cdef int32_t change_at(
        self, const uint8_t* text, int32_t size, int32_t pos, int32_t* end, const uint8_t** target,
        int32_t* target_size,
    ) noexcept nogil
    # Return whether a text that begins with this character, of `size` bytes, changes apart from the text before it.
    cdef bint begins_part(self, const uint8_t* char, int32_t size) except -1 nogil
    cdef int32_t last_begin(self, const uint8_t* text, int32_t size) except -1 nogil


cdef inline int add_bytes(
    const uint8_t* text, int32_t size, int32_t pos, vector[uint8_t]& out, vector[int32_t]* align,
) except -1 nogil:
    """Append bytes that come from the place `pos` of a text."""
    out.insert(out.end(), text, text + size)
    if align != NULL:
        align.resize(align.size() + <size_t> size, pos)
    return 0


cdef inline int copy_bytes(
    const uint8_t* text, int32_t begin, int32_t end, vector[uint8_t]& out, vector[int32_t]* align,
) except -1 nogil:
    """Append a part of a text as it is."""
    cdef int32_t k
    out.insert(out.end(), text + begin, text + end)
    if align != NULL:
        for k in range(begin, end):
            align.push_back(k)
    return 0


cdef inline size_t end_of_origin(const vector[int32_t]& moved, int32_t last, size_t pos) noexcept nogil:
    """Return the first place from `pos` on that came from another place of the text than `last` did.

    moved: an `align` of a step, whose last entry is like no other.
    """
    while moved[pos] == moved[last]:
        pos += 1
    return pos


cdef inline void begin_out(vector[uint8_t]& out, vector[int32_t]* align) noexcept nogil:
    out.clear()
    if align != NULL:
        align.clear()


cdef inline int end_out(int32_t size, vector[uint8_t]& out, vector[int32_t]* align) except -1 nogil:
    if out.size() > <size_t> INT32_MAX:
        refuse_length(size, <int64_t> out.size())
    if align != NULL:
        align.push_back(size)
    return 0
