"""Views of the caller's texts as pointers: one text, or those of a batch."""

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
    FOUR_BYTES = 5      # characters up to U+10FFFF, some of which may be lone surrogates
    ARRAY_UNITS = 6     # 4 bytes each, of any value; may be unaligned, and may change while they are read


cdef struct TextView:
    # A text that belongs to a Python object, which the caller keeps alive.
    const uint8_t* data
    int32_t size        # bytes of UTF-8, or characters
    TextForm form


cdef enum:
    NO_PLACE = -1       # index of a text that is not in a batch


cdef inline int32_t width_of(const TextView* view) noexcept nogil:
    """Return the bytes of a character in a form of fixed width; else 1."""
    return 1 << min(max(<int32_t> view.form - <int32_t> LATIN, 0), 2)


cdef inline int64_t memory_of(const TextView* view) noexcept nogil:
    """Return the bytes of memory that the text takes."""
    return <int64_t> view.size * width_of(view)


cdef int view_text(object text, Py_ssize_t index, TextView* view) except -1     # in any form
cdef int view_utf8(object text, TextView* view) except -1                       # as UTF-8, which stays with a str
cdef int view_bytes(const uint8_t* data, int64_t size, Py_ssize_t index, TextView* view) except -1


@cython.final
@cython.no_gc  # texts refer to no other objects
cdef class TextBlock:
    cdef vector[TextView] views
    cdef vector[PyObject*] held         # items of a list, which other threads may change: owned
    cdef vector[uint8_t] transcoded        # UTF-8 of the texts that were transcoded

    cdef int clear(self) except -1


cdef class Texts:
    """The texts of a batch; one small subclass for each kind of place that holds them."""

    cdef readonly Py_ssize_t n

    # Make `block` show the texts from `begin` on, about `n_bytes` of memory but at least one text; return the end. An
    # object that is no text ends them, or raises if it is the first. The former content of the block is gone.
    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, TextBlock block) except -1
