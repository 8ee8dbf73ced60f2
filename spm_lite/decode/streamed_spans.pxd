"""Which part of a streamed text each id stands for: ends of ids are carried through the steps of decoding."""

cimport cython
from libc.stdint cimport int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.streamed cimport StepSize


@cython.final
cdef class EndCarrier:
    cdef vector[int64_t] ends       # of ids, in what the steps read; those that are not carried yet
    cdef vector[StepSize] steps     # those that some end may lie in or before
    cdef int64_t n_read             # bytes that the steps before `steps` read
    cdef int64_t n_written          # bytes that they wrote

    cdef int add_step(self, int64_t n_read, int64_t n_written) except -1 nogil
    cdef int carry(self, bint is_last, vector[int64_t]& out) except -1 nogil
    cdef EndCarrier copy(self)


@cython.final
cdef class StreamedSpans:
    cdef EndCarrier pieces          # ids to bytes: a character of several byte pieces is one step
    cdef EndCarrier rules           # the denormalizer; None: there is none
    cdef EndCarrier chars           # bytes to the characters of a str; None: bytes are wanted
    cdef vector[int64_t] ends       # of ids, in the text
    cdef int64_t n_input            # bytes of all ids, before anything became of them
    cdef int64_t begin              # where the first id begins that has not been returned
    cdef vector[uint8_t] text       # text from there on, as far as it is certain

    cdef int add_id(self, int64_t size) except -1 nogil
    cdef int carry(self, bint is_last) except -1 nogil
    cdef list take(self, bint is_over, const char* errors)
    cdef StreamedSpans copy(self)
