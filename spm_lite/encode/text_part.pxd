"""What one thread encodes at a time of a batch: some texts, or a part of a long one."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.chunks.speculative cimport Stretch
from spm_lite.texts.text_view cimport TextBlock


@cython.final
cdef class TextPart:
    cdef int64_t number             # among the parts of the batch
    cdef bint is_waiting            # it is encoded, but others are due before
    cdef Int32Array ids
    cdef Py_ssize_t begin           # the first text, or the long one
    cdef TextBlock block            # the texts
    cdef bint is_long
    cdef bint is_first              # of the parts of the long text
    cdef bint is_last
    cdef vector[uint8_t] text       # of it, normalized; bytes behind are readable, as of a whole text
    cdef int32_t size
    cdef vector[Stretch] stretches  # of it, Unigram
