"""Candidates that are given, not found: for a vocabulary whose scores are to be learned, and for tests."""

from spm_lite.trainers.candidates cimport Candidates
from spm_lite.trainers.counts cimport CountTable


cdef Candidates load_listed(CountTable counts, object pieces)
