"""Candidates that are given, not found: for a vocabulary whose scores are to be learned, and for tests."""

from libcpp.vector cimport vector

from spm_lite.trainers.candidates cimport Candidates
from spm_lite.trainers.counts cimport CountTable


cdef Candidates load_listed(CountTable counts, object pieces)
cdef int weigh_listed(Candidates candidates, vector[double]& weights) except -1 nogil
