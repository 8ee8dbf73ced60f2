"""Transcoding of the characters of a str or a numpy array to UTF-8, without a copy that the str keeps."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.texts.text_view cimport TextForm, TextView


cdef enum:
    TRANSCODE_SLACK = 16        # bytes after the end that may be overwritten


cdef struct Utf8Result:
    # The result of transcoding a text.
    int64_t size            # bytes; -1: one of them has no UTF-8
    bint has_mark           # one of the characters may be U+2581
    int32_t wrong_place     # place of the first character without UTF-8
    uint32_t wrong          # its code point


# Transcode a text that is not BYTES; there is room for `transcoded_room` bytes and TRANSCODE_SLACK.
cdef int transcode(const TextView* view, uint8_t* out, Utf8Result* result) except -1 nogil

# Transcode bytes or characters that may be a part of a text. shuffling: whether bytes can be shuffled.
cdef Utf8Result transcode_part(
    const uint8_t* source, int32_t n, TextForm form, bint shuffling, uint8_t* out,
) noexcept nogil

# Return bytes that are enough for the UTF-8 of a text: counted for a long str, else an upper bound.
cdef int64_t transcoded_room(const TextView* view) noexcept nogil

# Whether U+2581 is one of the characters of a text that is not BYTES or SOUND.
cdef bint holds_mark(const TextView* view) noexcept nogil

# Make `view` show UTF-8: in `out`, unless the text is UTF-8 already. Raises TextError; index: the place in a batch.
cdef int transcode_view(TextView* view, Py_ssize_t index, vector[uint8_t]& out) except -1 nogil
cdef int transcode_views(vector[TextView]& views, Py_ssize_t first, vector[uint8_t]& out) except -1 nogil

# Raise the error of a text that could not be transcoded.
cdef int refuse(const Utf8Result* result, Py_ssize_t index) except -1 nogil
