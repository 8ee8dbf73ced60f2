"""The pieces of a vocabulary by rank, in one block of memory, with a hash table of their bytes."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector


@cython.final
cdef class RankTable:
    cdef vector[uint8_t] texts      # all pieces, one after the other
    cdef vector[int64_t] begins     # n + 1 offsets into texts
    cdef vector[int32_t] ranks      # rising
    cdef vector[int32_t] slots      # open addressing: index of a piece, -1 = free; made by `finish`

    cdef int append(self, const uint8_t* text, int64_t size, int32_t rank) except -1 nogil
    cdef int64_t finish(self) except -2     # makes `slots`; index of the first piece that occurs twice, -1: none
    cdef int64_t find(self, const uint8_t* text, int64_t size) noexcept nogil   # index of a piece; -1: none
    cdef int64_t find_rank(self, int64_t rank) noexcept nogil       # index of a piece; -1: none
    cdef size_t find_slot(self, const uint8_t* text, int64_t size) noexcept nogil    # of a piece, or where it would go
    cdef bytes piece(self, int64_t i)
