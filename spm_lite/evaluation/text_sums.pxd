"""Sums over texts and their ids: bytes, characters, tokens, unknown tokens, byte tokens; one pass without the GIL."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector


@cython.final
cdef class TextSums:
    cdef vector[uint8_t] kinds          # of each id: IS_UNKNOWN, IS_BYTE or 0
    cdef readonly int64_t texts         # that are not empty
    cdef readonly int64_t bytes
    cdef readonly int64_t characters    # ill-formed bytes count each by itself
    cdef readonly int64_t tokens
    cdef readonly int64_t unknown_tokens
    cdef readonly int64_t byte_tokens

    cdef void count_kinds(self, const int32_t* ids, size_t n_ids) noexcept nogil
