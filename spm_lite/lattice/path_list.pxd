"""A list of paths of one text with their scores; the tokens of all paths share one block of memory."""

cimport cython
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Token


cdef enum:
    MAX_TOKENS = 1 << 27            # of all paths together, 1.6 GB
    TOKENS_BETWEEN_CHECKS = 1 << 18     # between two checks for signals


@cython.final
cdef class PathList:
    cdef vector[Token] tokens       # path i has tokens[ends[i - 1] : ends[i]]
    cdef vector[size_t] ends
    cdef vector[double] scores
    cdef size_t next_check          # number of tokens at which signals are checked next

    cdef void clear(self) noexcept nogil
    cdef int close(self, double score) except -1 nogil      # end a path: the tokens added since the last call
    cdef int check(self) except -1 nogil
    cdef size_t begin(self, size_t i) noexcept nogil        # where path i starts in `tokens`
    cdef int copy(self, size_t i, vector[Token]& tokens) except -1 nogil
    cdef int copy_last(self, vector[Token]& tokens) except -1 nogil
    cdef int repeat(self, size_t i) except -1 nogil         # append path i once more
    cdef int drop_repeated_first(self, Py_ssize_t n_kept) except -1 nogil
    cdef bint is_first(self, size_t begin, size_t end) noexcept nogil
