"""The merges that form the pieces of a BPE model: of which two pieces each is made, and how often each is formed."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class MergeTrees:
    cdef Vocab vocab
    cdef readonly int32_t n_merges      # NORMAL pieces of two characters or more
    cdef vector[int32_t] lefts          # of each id: the two pieces whose merge makes it; -1: no merge does
    cdef vector[int32_t] rights
    cdef vector[int32_t] ranks          # of each id: place among the merges, by falling score; -1: it is none
    cdef vector[int32_t] order          # ids by rank
    cdef vector[int32_t] by_size        # ids that a merge makes, longest first

    cdef int find_ranks(self) except -1
    cdef int split(self, int32_t piece_id, vector[int32_t]& begins) except -1
