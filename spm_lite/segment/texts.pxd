"""Texts of the caller as UTF-8 pointers: one, or those of a batch."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector


cdef struct TextView:
    # UTF-8 that belongs to a Python object, which the caller keeps alive.
    const uint8_t* data
    int32_t size        # bytes


cdef enum Places:
    NO_PLACE = -1       # of a text that is not one of a batch


cdef int view_text(object text, TextView* view) except -1
cdef int view_item(object text, Py_ssize_t index, TextView* view) except -1     # index: the place in a batch
cdef int view_bytes(const uint8_t* data, int64_t size, Py_ssize_t index, TextView* view) except -1


cdef class Texts:
    """The texts of a batch, wherever they are; one small class for each kind of place."""

    cdef readonly Py_ssize_t n

    # Let `views` show texts from `begin` on, about `n_bytes` of them but at least one; the end is returned. What they
    # show stays until the next call.
    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, vector[TextView]& views) except -1
