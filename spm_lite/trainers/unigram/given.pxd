"""Candidates that are given, not found: for a vocabulary whose scores are to be learned, and for tests."""

from libcpp.vector cimport vector

from spm_lite.counts.chunk_table cimport ChunkTable
from spm_lite.trainers.unigram.candidates cimport Candidates


cdef Candidates load_listed(ChunkTable counts, object pieces)
cdef int weigh_listed(Candidates candidates, vector[double]& weights) except -1 nogil
