"""Replay the merges of a checkpoint in the text: each chunk by itself, on several threads."""

from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from spm_lite.training.bpe.pairs cimport PairTable
from spm_lite.training.bpe.symbols cimport Cell, SymbolTable


cdef int merge_again(vector[Cell]& cells, SymbolTable symbols, PairTable merges, uint32_t n_threads) except -1 nogil
