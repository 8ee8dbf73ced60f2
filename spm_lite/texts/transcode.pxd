"""Characters as a str or an array of numpy holds them -> UTF-8, without a copy that stays with the str."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.texts.text_view cimport TextView


cdef enum:
    SPELL_SLACK = 16        # bytes behind the last one that may be written over


cdef struct Utf8Result:
    # What became of the characters of a text.
    int64_t size            # bytes; -1: one of them has no UTF-8
    bint has_mark           # one of them may be U+2581
    int32_t wrong_place     # the first that has no UTF-8
    uint32_t wrong          # that code point


# Write a text that is not BYTES; there is room for `transcoded_room` bytes and SPELL_SLACK.
cdef int transcode(const TextView* view, uint8_t* out, Utf8Result* result) except -1 nogil

# Bytes that are enough for it: of a long str counted, else estimated.
cdef int64_t transcoded_room(const TextView* view) noexcept nogil

# Whether U+2581 is one of the characters of a text that is not BYTES or SOUND.
cdef bint holds_mark(const TextView* view) noexcept nogil

# Let `view` show UTF-8, in `out` unless it does so now. Raises TextError; index: the place in a batch.
cdef int transcode_view(TextView* view, Py_ssize_t index, vector[uint8_t]& out) except -1 nogil
cdef int transcode_views(vector[TextView]& views, Py_ssize_t first, vector[uint8_t]& out) except -1 nogil

# Raise the error of a text that could not be written.
cdef int refuse(const Utf8Result* result, Py_ssize_t index) except -1 nogil
