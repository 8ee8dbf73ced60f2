"""The normalized form of a text, whole or part by part."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.normalizer cimport Normalizer, Reading
from spm_lite.texts.text_view cimport TextView
from spm_lite.texts.transcode cimport Utf8Result


cdef enum:
    PART_SIZE = 1 << 15     # bytes or characters of a part: it stays in the processor's cache beside the tables


cdef struct Window:
    # The UTF-8 of a text that the normalizer can read now; whole characters.
    const uint8_t* data
    int32_t size
    bint is_sound           # known to be well-formed
    bint is_last            # the text ends here


@cython.final
cdef class NormalizedText:
    cdef Normalizer normalizer
    cdef vector[uint8_t] bytes      # the text, or its current part; BLOCK_BYTES after it are readable
    cdef vector[uint8_t] transcoded    # UTF-8 of a str that has none, or of a part of it
    cdef vector[uint8_t] formed     # a text in a form of Unicode
    # Of a text that comes in parts:
    cdef TextView view
    cdef Py_ssize_t index           # its place in a batch, or NO_PLACE
    cdef bint is_copied             # it is copied, not normalized
    cdef int32_t place              # the first character that is neither copied nor transcoded
    cdef Window window              # unless `is_copied`: the normalizer reads from it
    cdef Reading reading            # of the window
    cdef int64_t n_transcoded          # bytes of UTF-8 transcoded into windows
    cdef int32_t n_parts
    cdef int32_t n_bytes            # in `bytes`
    cdef int32_t n_spaces           # spaces at their end, which are removed if the text ends there
    cdef int64_t n_dropped          # bytes dropped before them

    cdef int32_t take(self, const TextView* view, Py_ssize_t index) except -1 nogil     # the number of bytes

    cdef int take_form(self, TextView* text) except -1 nogil
    cdef bint start(self, const TextView* view, Py_ssize_t index) except -1 nogil   # False: not in parts
    cdef int32_t add_part(self) except -2 nogil     # the bytes that are certain now; -1: not in parts after all
    cdef int32_t add_normalized(self) except -2 nogil       # returns the same as `add_part`
    cdef int end_at(self, int32_t n_bytes) except -1 nogil
    cdef bint is_whole(self) noexcept nogil
    cdef void drop(self, int32_t n_done) noexcept nogil
    cdef int hand_over(self, vector[uint8_t]& out, int32_t n_done) except -1 nogil

    cdef void forget(self) noexcept nogil
    cdef int open_window(self) except -1 nogil
    cdef int move_window(self) except -1 nogil
    cdef int32_t copy_part(
        self, const TextView* part, Py_ssize_t index, int32_t place, int32_t n_kept, bint is_last,
    ) except -2 nogil
    cdef void next_part(self, TextView* part) noexcept nogil
    cdef int write_chars(
        self, const TextView* part, Py_ssize_t index, int32_t place, uint8_t* out, Utf8Result* result,
    ) except -1 nogil
    cdef int32_t count_spaces(self, int32_t n_new) noexcept nogil
