"""Texts of the caller as pointers: one, or those of a batch."""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector


cdef enum TextForm:
    BYTES = 0           # UTF-8 that may be ill-formed
    ASCII = 1
    SOUND = 2           # well-formed UTF-8
    LATIN = 3           # characters up to U+00FF, a byte each
    TWO_BYTES = 4       # characters up to U+FFFF, some of which may be lone surrogates
    FOUR_BYTES = 5      # characters up to U+10FFFF, likewise
    ARRAY_UNITS = 6     # four bytes each, whatever they hold; not always aligned, and they may change meanwhile


cdef struct TextView:
    # A text that belongs to a Python object, which the caller keeps alive.
    const uint8_t* data
    int32_t size        # bytes of UTF-8, or characters
    TextForm form


cdef enum:
    NO_PLACE = -1       # of a text that is not one of a batch


cdef inline int32_t width_of(const TextView* view) noexcept nogil:
    """Bytes of a character, if it has a fixed number; else 1."""
    return 1 << min(max(<int32_t> view.form - <int32_t> LATIN, 0), 2)


cdef inline int64_t memory_of(const TextView* view) noexcept nogil:
    """Bytes that the text takes where it is."""
    return <int64_t> view.size * width_of(view)


cdef int view_text(object text, Py_ssize_t index, TextView* view) except -1     # in any form
cdef int view_utf8(object text, TextView* view) except -1                       # as UTF-8, which stays with a str
cdef int view_bytes(const uint8_t* data, int64_t size, Py_ssize_t index, TextView* view) except -1


@cython.final
@cython.no_gc  # texts lead nowhere
cdef class TextBlock:
    cdef vector[TextView] views
    cdef vector[PyObject*] held         # those of a list that others may change: owned
    cdef vector[uint8_t] transcoded        # UTF-8 of those that had to be spelled out

    cdef int clear(self) except -1


cdef class Texts:
    """The texts of a batch, wherever they are; one small class for each kind of place."""

    cdef readonly Py_ssize_t n

    # Let a block show texts from `begin` on, about `n_bytes` of them but at least one; none behind an object that is no
    # text, which is an error where it would be the first. The end is returned. What the block showed before is gone.
    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, TextBlock block) except -1
