"""Makes a str by counting its characters first and then filling the memory of the object.

The hot loops are `fill_narrow` and `fill_wide`. Header: strings.pxd.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from spm_lite.decode.utf16_pieces cimport LATIN, PAIRED, WIDE

cdef extern from "Python.h":
    object PyUnicode_New(Py_ssize_t length, Py_UCS4 greatest)
    object PyUnicode_FromOrdinal(int code_point)
    uint8_t* PyUnicode_1BYTE_DATA(object text)
    uint16_t* PyUnicode_2BYTE_DATA(object text)
    uint32_t* PyUnicode_4BYTE_DATA(object text)


cdef object string_of(const uint8_t* text, Py_ssize_t size):
    """Return UTF-8 as a str; ill-formed bytes become U+FFFD.

    Well-formed non-ASCII text below U+10000 takes half the time of CPython's decoder, which does not know the length
    and width of the str beforehand.
    """
    cdef Py_ssize_t length = 0, i
    cdef uint8_t greatest = 0
    cdef bint is_done
    for i in range(size):
        length += (text[i] & 0xC0) != 0x80
        greatest = max(greatest, text[i])
    if greatest >= 0x80 and greatest < 0xF0:
        if greatest < 0xC4:
            string = PyUnicode_New(length, 0xFF)
            is_done = fill_narrow(text, size, PyUnicode_1BYTE_DATA(string), length)
        else:
            string = PyUnicode_New(length, 0xFFFF)
            is_done = fill_wide(text, size, PyUnicode_2BYTE_DATA(string), length)
        if is_done:
            return string
    return PyUnicode_DecodeUTF8(<const char*> text, size, "replace")


cdef bint fill_narrow(const uint8_t* text, Py_ssize_t size, uint8_t* out, Py_ssize_t length) noexcept nogil:
    """Write `length` characters of UTF-8 below U+0100; False: the text is ill-formed."""
    cdef const uint8_t* end = text + size
    cdef Py_ssize_t i
    for i in range(length):
        if text[0] < 0x80:
            out[i] = text[0]
            text += 1
        else:
            if end - text < 2 or text[0] < 0xC2 or text[1] & 0xC0 != 0x80:
                return False
            out[i] = <uint8_t> (text[0] << 6 | (text[1] & 0x3F))
            text += 2
    return text == end


cdef bint fill_wide(const uint8_t* text, Py_ssize_t size, uint16_t* out, Py_ssize_t length) noexcept nogil:
    """Write `length` characters of UTF-8 below U+10000; False: the text is ill-formed."""
    cdef const uint8_t* end = text + size
    cdef uint32_t word
    cdef Py_ssize_t i
    for i in range(length):
        if text == end:
            return False
        word = text[0]
        if word < 0x80:
            out[i] = <uint16_t> word
            text += 1
        elif word >= 0xE0:
            if end - text < 3:
                return False
            word = word << 16 | <uint32_t> text[1] << 8 | text[2]
            out[i] = <uint16_t> ((word >> 4 & 0xF000) | (word >> 2 & 0xFC0) | (word & 0x3F))
            if word & 0xC0C0 != 0x8080 or out[i] < 0x800 or out[i] & 0xF800 == 0xD800:
                return False
            text += 3
        else:
            if end - text < 2 or word < 0xC2 or text[1] & 0xC0 != 0x80:
                return False
            out[i] = <uint16_t> ((word & 0x1F) << 6 | (text[1] & 0x3F))
            text += 2
    return text == end


cdef object string_of_ascii(const uint8_t* text, Py_ssize_t size):
    """Return bytes below 0x80 as a str."""
    if size == 1:
        return PyUnicode_FromOrdinal(text[0])  # CPython keeps one str of each
    string = PyUnicode_New(size, 0x7F)
    if size:
        memcpy(PyUnicode_1BYTE_DATA(string), text, size)
    return string


cdef object string_of_units(const uint16_t* units, Py_ssize_t n_units, uint32_t traits):
    """Return well-formed UTF-16 as a str. Its traits decide the width of the str."""
    if traits & PAIRED:
        string = PyUnicode_New(n_units - count_pairs(units, n_units), 0x10FFFF)
        fill_widest(units, n_units, PyUnicode_4BYTE_DATA(string))
    elif traits & WIDE:
        string = PyUnicode_New(n_units, 0xFFFF)
        memcpy(PyUnicode_2BYTE_DATA(string), units, n_units * sizeof(uint16_t))
    elif n_units == 0:
        return ""
    elif n_units == 1:
        return PyUnicode_FromOrdinal(units[0])
    else:
        string = PyUnicode_New(n_units, 0xFF if traits & LATIN else 0x7F)
        narrow(units, n_units, PyUnicode_1BYTE_DATA(string))
    return string


cdef Py_ssize_t count_pairs(const uint16_t* units, Py_ssize_t n_units) noexcept nogil:
    """The number of characters that take two units."""
    cdef Py_ssize_t n_pairs = 0, i
    for i in range(n_units):
        n_pairs += units[i] & 0xFC00 == 0xD800
    return n_pairs


cdef void fill_widest(const uint16_t* units, Py_ssize_t n_units, uint32_t* out) noexcept nogil:
    """Write the code points of UTF-16."""
    cdef const uint16_t* end = units + n_units
    while units < end:
        if units[0] & 0xFC00 == 0xD800:
            out[0] = ((<uint32_t> units[0] - 0xD7C0) << 10) + (units[1] & 0x3FF)
            units += 2
        else:
            out[0] = units[0]
            units += 1
        out += 1


cdef void narrow(const uint16_t* units, Py_ssize_t n_units, uint8_t* out) noexcept nogil:
    """Write units that are all below U+0100."""
    cdef Py_ssize_t i
    for i in range(n_units):
        out[i] = <uint8_t> units[i]
