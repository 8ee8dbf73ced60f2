"""The interface every trainer answers: counts + alphabet + spec -> pieces."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector


cdef class Alphabet:
    """The characters that pieces are made of, in final order: count descending, code point ascending."""

    cdef vector[uint32_t] code_points
    cdef vector[uint64_t] counts        # of each code point; 0 for a required character that never occurs
    cdef vector[uint64_t] members       # one bit per code point, 0x110000 of them
    cdef readonly object n_other_characters     # occurrences in the corpus of characters that were left out

    cdef int append(self, uint32_t code_point, uint64_t count) except -1 nogil


cdef inline bint has_member(const uint64_t* members, uint32_t code_point) noexcept nogil:
    """Whether `code_point` (any 32-bit number) is in the alphabet with these `members`."""
    return code_point < 0x110000 and (members[code_point >> 6] >> (code_point & 63)) & 1


cdef class Trainer:
    """Learns pieces from counted chunks. One object trains once; `figures` then holds numbers for the report."""

    cdef readonly dict figures
    cdef public bint owns_counts        # nobody else needs the table: learn may empty it
    cdef public object checkpoint       # where to leave states and to find one (a Checkpoint), or None
