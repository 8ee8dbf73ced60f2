"""Replay the merges of a checkpoint in the text: each chunk by itself, on several threads.

`MergeRanks` has the ranks of byte-level merges by their bytes, and tells whether they spell a piece again.
"""

from libc.stdint cimport int32_t, uint32_t
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.training.bpe.pairs cimport PairTable
from spm_lite.training.bpe.symbols cimport Cell, SymbolTable


cdef class MergeRanks:
    cdef unordered_map[string, uint32_t] ranks
    cdef string text                    # of the candidate
    cdef vector[int32_t] begins         # of its parts, and its end
    cdef vector[uint32_t] pair_ranks    # of each part and the next one; NO_RANK: no piece

    cdef int add(self, const uint32_t* units, int32_t length) except -1 nogil
    cdef int fill_text(self, const uint32_t* units, int32_t length) except -1 nogil
    cdef bint is_rebuilt(self, const uint32_t* units, int32_t length) except -1 nogil
    cdef uint32_t rank_of_pair(self, size_t i) except? 0 nogil


cdef int merge_again(vector[Cell]& cells, SymbolTable symbols, PairTable merges, uint32_t n_threads) except -1 nogil
