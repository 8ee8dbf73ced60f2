"""The interface of all trainers: counts + alphabet + spec -> pieces."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector


cdef extern from "Python.h":
    str PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t length)


cdef enum:
    FOUR_BYTES = 4  # the kind of str with 4 bytes per code point
    RARE = 5        # a piece with fewer occurrences is rare: the report counts such pieces


cdef class Alphabet:
    """The characters of all pieces, in final order: count descending, code point ascending."""

    cdef vector[uint32_t] code_points
    cdef vector[uint64_t] counts        # of each code point; 0 for a required character that never occurs
    cdef vector[uint64_t] members       # bit set: one bit for each of 0x110000 code points
    cdef readonly object n_other_characters     # weighted occurrences of characters outside the alphabet

    cdef int append(self, uint32_t code_point, uint64_t count) except -1 nogil


cdef inline str str_of(const uint32_t* code_points, Py_ssize_t length):
    """Return the text of a piece from its code points."""
    return PyUnicode_FromKindAndData(FOUR_BYTES, code_points, length)


cdef inline bint has_member(const uint64_t* members, uint32_t code_point) noexcept nogil:
    """Whether `code_point` (any 32-bit number) is in the bit set `members` of an Alphabet."""
    return code_point < 0x110000 and (members[code_point >> 6] >> (code_point & 63)) & 1


cdef class Trainer:
    """Learns pieces from counted chunks. An object trains once; its `figures` then hold numbers for the report."""

    cdef readonly dict figures
    cdef readonly dict rare             # piece -> (occurrences before weights, bit set of sources) if fewer than RARE
    cdef public bint owns_counts        # `learn` may empty the table, since nothing else needs it
    cdef public object checkpoint       # a Checkpoint, which saves states and loads one; or None
    cdef public object log              # a function of one line of the log that the original writes; or None
