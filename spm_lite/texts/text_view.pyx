"""Shows a str or bytes object as it is stored (`view_text`) or as UTF-8 (`view_utf8`), and makes the errors of texts.

Header: text_view.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_Check, PyBytes_GET_SIZE
from cpython.ref cimport Py_DECREF, PyObject
from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.errors import ArgumentTypeError, TextError

cdef enum:
    MAX_SIZE = 0x7FFFFFFF

cdef extern from "Python.h":
    """
    #if PY_VERSION_HEX < 0x030C0000
    #define SPM_LITE_READY(text) PyUnicode_READY(text)
    #else
    #define SPM_LITE_READY(text) 0
    #endif
    """
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    int make_ready "SPM_LITE_READY"(object text) except -1
    bint PyUnicode_IS_ASCII(object text) noexcept
    int PyUnicode_KIND(object text) noexcept
    void* PyUnicode_DATA(object text) noexcept
    Py_ssize_t PyUnicode_GET_LENGTH(object text) noexcept


cdef int view_text(object text, Py_ssize_t index, TextView* view) except -1:
    """Make `view` show a str or bytes object as it is stored. index: its place in a batch, or NO_PLACE.

    Raises ArgumentTypeError for other types, TextError for 2^31 bytes or more. Lone surrogates of a str are found
    later, when it is transcoded.
    """
    cdef Py_ssize_t size
    if PyUnicode_Check(text):
        make_ready(text)
        size = PyUnicode_GET_LENGTH(text)
        if size > MAX_SIZE:
            raise too_long(index, size, "characters")
        view.data = <const uint8_t*> PyUnicode_DATA(text)
        view.size = <int32_t> size
        if PyUnicode_IS_ASCII(text):
            view.form = ASCII
        else:
            view.form = LATIN if PyUnicode_KIND(text) == 1 else TWO_BYTES if PyUnicode_KIND(text) == 2 else FOUR_BYTES
        return 0
    if PyBytes_Check(text):
        return view_bytes(<const uint8_t*> PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text), index, view)
    remedy = ": pass one text, or all of them to encode_batch or encode_lists" if index == NO_PLACE else ""
    raise ArgumentTypeError(f"{name(index)} is {type(text).__name__}, not str or bytes{remedy}")


cdef int view_utf8(object text, TextView* view) except -1:
    """Make `view` show a str or bytes object as UTF-8. Raises as `view_text`, and TextError for a lone surrogate."""
    cdef Py_ssize_t size = 0
    view_text(text, NO_PLACE, view)
    if view.form <= SOUND:
        return 0
    try:
        view.data = <const uint8_t*> PyUnicode_AsUTF8AndSize(text, &size)
    except UnicodeEncodeError as error:
        raise lone_surrogate(NO_PLACE, ord(error.object[error.start]), error.start) from None
    view_bytes(view.data, size, NO_PLACE, view)
    view.form = SOUND
    return 0


cdef int view_bytes(const uint8_t* data, int64_t size, Py_ssize_t index, TextView* view) except -1:
    """Make `view` show `size` bytes. Raises TextError for 2^31 or more."""
    if size > MAX_SIZE:
        raise too_long(index, size)
    view[0] = TextView(data, <int32_t> size, BYTES)
    return 0


@cython.final
@cython.no_gc
cdef class TextBlock:
    """Views of some texts of a batch; the items of a list are kept alive as long as they are shown."""

    def __dealloc__(self):
        self.clear()

    cdef int clear(self) except -1:
        cdef vector[PyObject*] held
        cdef size_t i
        self.views.clear()
        held.swap(self.held)
        for i in range(held.size()):
            Py_DECREF(<object> held[i])
        return 0


cdef class Texts:
    """The texts of a batch; one small subclass for each kind of place that holds them."""

    def __len__(self):
        return self.n

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, TextBlock block) except -1:
        raise NotImplementedError(f"{type(self).__name__} shows nothing")


def name(index):
    """Return the name of a text for a message."""
    return "the text" if index < 0 else f"text {index} of the batch"


def too_long(index, size, unit="bytes of UTF-8"):
    """Return the error of a text with too many bytes or characters."""
    return TextError(f"{name(index)} has {size} {unit}, more than {MAX_SIZE}: split it")


def lone_surrogate(index, code_point, place):
    """Return the error of a text with a lone surrogate at character `place`."""
    return TextError(
        f"{name(index)} holds the lone surrogate U+{code_point:04X} at character {place}, which UTF-8 cannot spell: "
        "replace it, or pass bytes"
    )
