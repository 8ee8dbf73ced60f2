from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_Check, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.errors import ArgumentTypeError, TextError

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    bint PyUnicode_IS_COMPACT_ASCII(object text) noexcept
    uint8_t* PyUnicode_1BYTE_DATA(object text) noexcept
    Py_ssize_t PyUnicode_GET_LENGTH(object text) noexcept


cdef int view_text(object text, TextView* view) except -1:
    """Let `view` show a str or bytes object.

    Raises ArgumentTypeError for other types, TextError for a lone surrogate and for 2^31 bytes or more.
    """
    return view_item(text, NO_PLACE, view)


cdef int view_item(object text, Py_ssize_t index, TextView* view) except -1:
    cdef Py_ssize_t size = 0
    if PyUnicode_Check(text) and PyUnicode_IS_COMPACT_ASCII(text):
        view.data = <const uint8_t*> PyUnicode_1BYTE_DATA(text)
        size = PyUnicode_GET_LENGTH(text)
    elif PyUnicode_Check(text):
        try:
            view.data = <const uint8_t*> PyUnicode_AsUTF8AndSize(text, &size)
        except UnicodeEncodeError as error:
            raise lone_surrogate(index, ord(error.object[error.start]), error.start) from None
    elif PyBytes_Check(text):
        view.data = <const uint8_t*> PyBytes_AS_STRING(text)
        size = PyBytes_GET_SIZE(text)
    else:
        raise ArgumentTypeError(f"{name(index)} is {type(text).__name__}, not str or bytes")
    return view_bytes(view.data, size, index, view)


cdef int view_bytes(const uint8_t* data, int64_t size, Py_ssize_t index, TextView* view) except -1:
    """Let `view` show `size` bytes. Raises TextError for 2^31 or more."""
    if size > 0x7FFFFFFF:
        raise TextError(f"{name(index)} has {size} bytes of UTF-8, more than 2147483647: split it")
    view.data = data
    view.size = <int32_t> size
    return 0


cdef class Texts:
    """The texts of a batch; each subclass shows those of another kind of place."""

    def __len__(self):
        return self.n

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, vector[TextView]& views) except -1:
        raise NotImplementedError(f"{type(self).__name__} shows nothing")


def name(index):
    """How a message calls a text."""
    return "the text" if index < 0 else f"text {index} of the batch"


def lone_surrogate(index, code_point, place):
    """The error of a text that holds one at character `place`."""
    return TextError(
        f"{name(index)} holds the lone surrogate U+{code_point:04X} at character {place}, which UTF-8 cannot spell: "
        "replace it, or pass bytes"
    )
