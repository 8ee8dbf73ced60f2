"""The texts of a batch in blocks of bytes, each text ended by a separator."""

cimport cython
from libc.stdint cimport int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.texts.text_view cimport Texts, TextView


@cython.final
cdef class Documents(Texts):
    cdef readonly int64_t n_bytes       # of all texts together, without separators
    cdef bytes separator                # empty: each block is one text
    cdef int64_t max_size               # bytes of one text
    cdef list memory                    # blocks that hold the texts
    cdef vector[TextView] views         # of all texts

    cdef int append(self, const uint8_t* data, int64_t size) except -1


cdef int64_t find(const uint8_t* data, int64_t begin, int64_t end, bytes separator) noexcept
