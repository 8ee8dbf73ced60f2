"""The merges that form the pieces of a BPE model: of which two pieces each is made, and how often each is formed."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport Vocab


cdef struct Merge:
    # What two neighbours become.
    uint32_t rank       # smaller ones come first
    int32_t piece_id    # -1: they do not merge


cdef struct MergeSymbol:
    # A part of the text of a piece.
    int32_t begin       # byte offset
    int32_t piece_id    # -1: no piece
    Merge merge         # with the symbol after it


cdef inline uint64_t pair_of(int32_t left, int32_t right) noexcept nogil:
    """Two ids as one number."""
    return <uint64_t> <uint32_t> left << 32 | <uint32_t> right


@cython.final
cdef class MergeTrees:
    cdef Vocab vocab
    cdef bint is_listed                 # the vocabulary keeps a list of its merges
    cdef unordered_map[uint64_t, Merge] listed      # of that list, by the ids of both parts
    cdef readonly int32_t n_merges      # NORMAL pieces of two characters or more
    cdef vector[int32_t] lefts          # of each id: the two pieces whose merge makes it; -1: no merge does
    cdef vector[int32_t] rights
    cdef vector[int32_t] ranks          # of each id: place among the merges, by falling score; -1: it is none
    cdef vector[int32_t] order          # ids by rank
    cdef vector[int32_t] by_size        # ids that a merge makes, longest first

    cdef int find_ranks(self) except -1
    cdef int fill_listed(self) except -1
    cdef Merge merge_of(self, const uint8_t* text, const MergeSymbol* symbol) noexcept nogil
    cdef int32_t mergeable(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef bint cut(self, int32_t piece_id, vector[MergeSymbol]& symbols) except -1 nogil
