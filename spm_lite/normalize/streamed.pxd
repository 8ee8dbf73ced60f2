"""Streaming normalization of a text that comes in parts."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor
from spm_lite.normalize.normalizer cimport Normalizer


cdef struct RuleScan:
    # How far the rules have read `waiting`.
    TrieCursor cursor
    int32_t n_bytes         # read
    bint found              # a rule ends within them
    bint is_over            # no rule continues


cdef struct StepSize:
    # Bytes of one step.
    int64_t n_read
    int64_t n_written       # spaces that are held back are among them


cdef class StreamedNormalizer:
    cdef Normalizer normalizer
    cdef vector[uint8_t] waiting        # text that a rule or a character may still need
    cdef RuleScan scan                  # of `waiting`
    cdef bint is_leading                # only removed spaces so far
    cdef bint is_new                    # nothing is written yet, not even the dummy space
    cdef bint after_space               # a space that follows is dropped
    cdef int64_t n_spaces               # space symbols that are removed if the text ends here
    cdef int32_t n_symbol_bytes         # bytes after them that may become another one
    cdef bint keeps_steps               # the caller wants `steps`
    cdef vector[StepSize] steps         # those taken since the caller took them away

    cdef void start(self) noexcept nogil
    cdef StreamedNormalizer copy(self)
    cdef int add(self, const uint8_t* text, size_t size, vector[uint8_t]& out) except -1 nogil
    cdef int finish(self, vector[uint8_t]& out) except -1 nogil     # then another text may begin
    cdef int read_waiting(self, bint is_last, vector[uint8_t]& out) except -1 nogil
    cdef bint is_certain(self, const uint8_t* text, size_t size) noexcept nogil
    cdef int64_t n_held(self) noexcept nogil        # bytes of spaces that are held back
    cdef bint can_read_on(self) noexcept nogil
    cdef int add_run(self, const uint8_t* run, int32_t size, vector[uint8_t]& out) except -1 nogil
    cdef int write_space(self, vector[uint8_t]& out) except -1 nogil
    cdef int write(self, uint8_t byte, vector[uint8_t]& out) except -1 nogil
    cdef int write_spaces(self, vector[uint8_t]& out) except -1 nogil
