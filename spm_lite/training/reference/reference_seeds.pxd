"""Seed pieces by the original's rules: repeated strings that are not always followed by the same byte."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.reference.reference_text cimport ReferenceText


cdef struct Seed:
    # A string of two or more characters.
    uint64_t count
    uint64_t begin      # SeedList.texts[begin : begin + size]
    uint32_t size       # bytes
    uint32_t length     # characters


cdef class SeedList:
    cdef vector[uint8_t] texts
    cdef vector[Seed] seeds     # in the order of their bytes

    cdef int compare(self, const Seed* a, const Seed* b) noexcept nogil
    cdef int merge(self, SeedList other) except -1 nogil
    cdef int keep_best(self, uint64_t n_best) except -1 nogil
    cdef int rank(self, uint64_t n_best, vector[uint32_t]& order) except -1 nogil


cdef float score_of(const Seed* seed) noexcept nogil
cdef SeedList find_reference_seeds(ReferenceText text, uint64_t n_seeds, uint32_t n_threads)
