"""The texts of a batch in Arrow arrays of strings or bytes."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.texts.arrow_streams cimport ArrowArray, ArrowSchema, ArrowStream
from spm_lite.texts.text_view cimport Texts, TextView


cdef enum Layout:
    # The buffers of an array, after its validity bits.
    NO_VALUES           # none: all is null
    SHORT_OFFSETS       # n + 1 int32, then bytes
    LONG_OFFSETS        # n + 1 int64, then bytes
    VIEWS               # n StringView, then any number of buffers of bytes, then their sizes as int64

cdef struct StringView:
    # One text of the layout VIEWS.
    int32_t size
    uint8_t start[4]    # a text of up to 12 bytes stands here and in the fields below
    int32_t buffer      # of a longer text: its buffer of bytes, and the offset in it
    int32_t offset


@cython.final
cdef class ArrowChunk:
    """One array, released with this object."""

    cdef ArrowArray array
    cdef Layout layout
    cdef Py_ssize_t begin       # place of its first text in the batch
    cdef Py_ssize_t end
    cdef bint may_hold_nulls    # which are empty texts

    cdef int check(self) except -1
    cdef int refuse_nulls(self, Py_ssize_t first) except -1
    cdef bytes text(self, Py_ssize_t index)
    cdef int view_text(self, Py_ssize_t index, TextView* view) except -1
    cdef bint is_null(self, int64_t i) noexcept nogil
    cdef int find_short(self, int64_t i, const uint8_t** data, int64_t* size) noexcept nogil
    cdef int find_long(self, int64_t i, const uint8_t** data, int64_t* size) noexcept nogil
    cdef int find_view(self, int64_t i, const uint8_t** data, int64_t* size) noexcept nogil


@cython.final
cdef class ArrowTexts(Texts):
    cdef list chunks            # none of them empty
    cdef object column          # the name of the texts in a table, or None
    cdef bint nulls_are_empty
    cdef Py_ssize_t first       # number of the first text, for messages
    # Of the part that is being read:
    cdef int place              # of the texts in a table, or NO_TABLE
    cdef Layout layout
    cdef bint holds_bytes       # not strings

    cdef int take_array(self, object source) except -1
    cdef int take_stream(self, ArrowStream stream, bint is_whole) except -1
    cdef int take_next(self, ArrowStream stream) except -1
    cdef int take_form(self, const ArrowSchema* schema) except -1
    cdef ArrowChunk taken(self, ArrowArray* array)
    cdef int add(self, ArrowChunk chunk) except -1
