"""Candidates whose pieces are given, instead of found as substrings: merges of BPE, or those of a saved state."""

from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.unigram.candidates cimport Candidates


cdef Candidates load_listed(ChunkTable counts, object pieces, uint32_t n_threads)
cdef int set_pieces(Candidates candidates, object pieces, uint32_t n_threads) except -1
cdef int weigh_listed(Candidates candidates, vector[double]& weights) except -1 nogil
