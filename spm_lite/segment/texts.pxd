"""Texts of the caller as UTF-8 pointers."""

from libc.stdint cimport int32_t, uint8_t


cdef struct TextView:
    # UTF-8 that belongs to a Python object, which the caller keeps alive.
    const uint8_t* data
    int32_t size        # bytes


cdef int view_text(object text, object index, TextView* view) except -1     # index: place in a batch, or None
