"""The texts of a batch in a numpy array: entries of one size, padded with NULs at the end."""

cimport cython
from libc.stdint cimport uint8_t

from spm_lite.texts.text_view cimport Texts


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
