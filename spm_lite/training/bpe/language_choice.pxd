"""Whose turn it is in a training for parity: the language whose dev text has the most tokens, with some exceptions."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    NO_LANGUAGE = -1


cdef struct Language:
    # One source of a training for parity.
    double goal         # what its length is divided by, before languages are compared; 0: it is not
    double share        # of the text that is learned from, 0 to 1
    double rate         # bytes of its dev text for each byte that is learned from
    uint64_t length     # tokens of its dev text now
    uint64_t merges     # made in its turns
    uint32_t n_recent   # of its turns among those in the window
    bint is_done        # none of its pairs is frequent enough


cdef class LanguageChoice:
    cdef readonly uint64_t window           # turns that are remembered; 0: none
    cdef readonly double alpha
    cdef readonly double floor
    cdef readonly uint64_t n_turns          # of all languages
    cdef readonly uint64_t forced_at        # the first turn in which all others were to wait; 0: there was none
    cdef vector[Language] languages
    cdef uint64_t n_competing               # languages that have dev text
    cdef uint64_t n_competed                # their turns
    cdef vector[uint32_t] turns             # the last ones, in a ring

    cdef int add(self, double goal, double share, double rate, uint64_t length) except -1
    cdef int32_t next_language(self, const double* gains) noexcept nogil
    cdef bint is_due(self, const Language* language) noexcept nogil
    cdef bint must_wait(self, int32_t i, const double* gains, double most) noexcept nogil
    cdef int32_t neediest(self, bint all_may, const double* gains, double most) noexcept nogil
    cdef int32_t least_served(self) noexcept nogil
    cdef void take_turn(self, int32_t i) noexcept nogil
