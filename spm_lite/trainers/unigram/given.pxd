"""Candidates from a given list of pieces: BPE merges as seeds, the pieces of a checkpoint, and tests."""

from libcpp.vector cimport vector

from spm_lite.counts.chunk_table cimport ChunkTable
from spm_lite.trainers.unigram.candidates cimport Candidates


cdef Candidates load_listed(ChunkTable counts, object pieces)
cdef int weigh_listed(Candidates candidates, vector[double]& weights) except -1 nogil
