"""Replay the merges of a checkpoint in the text: each chunk by itself, on several threads.

`MergeRanks` has the ranks of byte-level merges by their bytes, and tells whether they spell a piece again.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.training.bpe.pairs cimport PairTable
from spm_lite.training.bpe.symbols cimport Cell, SymbolTable
from spm_lite.training.counts.chunk_table cimport ChunkTable


cdef class MergeRanks:
    cdef ChunkTable pieces              # the bytes of all merges, in order
    cdef vector[uint8_t] text           # of the candidate
    cdef vector[int32_t] begins         # of its parts, and its end
    cdef vector[uint32_t] pair_ranks    # of each part and the next one; NO_RANK: no piece

    cdef bint add_rebuilt(self, const uint32_t* units, int32_t length) except -1 nogil
    cdef int fill_text(self, const uint32_t* units, int32_t length) except -1 nogil
    cdef bint is_rebuilt(self, const uint32_t* units, int32_t length) except -1 nogil
    cdef uint32_t rank_of_pair(self, size_t i) noexcept nogil


cdef int merge_again(vector[Cell]& cells, SymbolTable symbols, PairTable merges, uint32_t n_threads) except -1 nogil
