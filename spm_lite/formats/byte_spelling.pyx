"""The byte alphabet of GPT-2, read: a table of the byte of each of its characters, filled at import.

Header: byte_spelling.pxd.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t
from libcpp.vector cimport vector

cdef enum:
    SIGNS = 0x144   # code points of the alphabet are below

cdef short byte_of[SIGNS]   # of each code point; -1: it spells no byte


cdef void fill() noexcept:
    cdef int sign, other = 0x100
    for sign in range(SIGNS):
        byte_of[sign] = -1
    for sign in range(0x100):
        if 0x21 <= sign <= 0x7E or 0xA1 <= sign <= 0xAC or sign >= 0xAE:
            byte_of[sign] = <short> sign
        else:
            byte_of[other] = <short> sign
            other += 1


fill()


def unspell(str text not None):
    """The bytes that a text in the byte alphabet spells; None: another character is in it."""
    cdef bytes found = PyBytes_FromStringAndSize(NULL, len(text))
    cdef char* out = PyBytes_AS_STRING(found)
    cdef Py_ssize_t i = 0
    cdef Py_UCS4 sign
    for sign in text:
        if sign >= SIGNS or byte_of[sign] < 0:
            return None
        out[i] = <char> byte_of[sign]
        i += 1
    return found


cdef bint append_unspelled(str text, vector[uint8_t]& out) except -1:
    """Append the bytes that a text in the byte alphabet spells; whether it holds nothing else."""
    cdef Py_UCS4 sign
    for sign in text:
        if sign >= SIGNS or byte_of[sign] < 0:
            return False
        out.push_back(<uint8_t> byte_of[sign])
    return True
