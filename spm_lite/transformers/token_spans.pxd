"""Where the tokens of a text stand in it, as the package tokenizers gives it."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.split_text cimport SplitSegmenter


@cython.final
cdef class TokenSpans:
    cdef list surfaces, continues
    cdef dict added, expansions
    cdef SplitSegmenter cuts
    cdef object normalize
    cdef int prefix, words
    cdef bint marks_space, drops_space

    cdef bytes expansion(self, str sign)
    cdef Py_ssize_t after_dropped(self, str text, Py_ssize_t at) except -1
    cdef Py_ssize_t total(self, list ids, Py_ssize_t begin, Py_ssize_t end) except -2
    cdef Py_ssize_t lay_out(
        self, str text, Py_ssize_t at, Py_ssize_t total, vector[uint8_t]& normal, vector[int32_t]& places,
    ) except -2
    cdef bint needs_prefix(self, Py_ssize_t at, bint is_space)
    cdef int32_t place(
        self, list ids, Py_ssize_t begin, Py_ssize_t end, vector[uint8_t]& normal, vector[int32_t]& places,
        int32_t word, list offsets, list words,
    ) except -2
    cpdef find(self, str text, list ids)
    cpdef list trim(self, list ids, list offsets, bint has_prefix)
