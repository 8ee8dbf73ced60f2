"""Seed pieces of a Unigram trainer: the weighted substrings of its segments."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.trainers.candidates cimport Candidates
from spm_lite.trainers.validity cimport PieceRules


cdef int add_seeds(
    Candidates candidates, const PieceRules* rules, uint64_t n_seeds, uint32_t n_threads, vector[double]& scores,
) except -1
