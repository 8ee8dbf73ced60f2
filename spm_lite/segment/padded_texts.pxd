"""The texts of a batch in an array of numpy: entries of one size, padded with NULs at the end."""

cimport cython
from libc.stdint cimport int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.segment.texts cimport Texts, TextView


cdef class PaddedTexts(Texts):
    cdef Py_buffer buffer
    cdef const uint8_t* data
    cdef Py_ssize_t item_size           # bytes


@cython.final
cdef class PaddedBytes(PaddedTexts):
    """UTF-8, dtype S."""


@cython.final
cdef class PaddedStrings(PaddedTexts):
    """Code points of 4 bytes, dtype U."""

    cdef vector[uint8_t] encoded        # the texts of the block as UTF-8

    cdef Py_ssize_t measure_block(self, Py_ssize_t begin, int64_t n_bytes, vector[TextView]& views) except -1
    cdef int encode_block(self, Py_ssize_t begin, vector[TextView]& views) except -1
