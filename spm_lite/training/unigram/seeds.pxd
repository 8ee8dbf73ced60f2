"""Seed pieces of a Unigram trainer: the best weighted substrings of its segments."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.counts.piece_rules cimport PieceRules
from spm_lite.training.unigram.candidates cimport Candidates


cdef struct Suffix:
    # The text from one place to the end of its segment.
    uint32_t begin
    uint32_t segment    # its index


cdef struct SeedLimits:
    # How many strings become seeds, and how often each must occur in the text.
    uint64_t n_seeds        # at most
    uint64_t n_sure         # so many merges of BPE need only `least` occurrences
    uint64_t least_further  # occurrences of the merges after them
    uint64_t least          # occurrences of a seed
    uint64_t n_needed       # by the vocabulary; with fewer seeds, rarer strings become seeds too
    uint64_t rarest         # occurrences of these


cdef struct Parts:
    # The result of `partition`: symbols before `same` are less than the pivot, from `greater` on greater.
    uint32_t same
    uint32_t greater


cdef Parts partition(
    const uint32_t* symbols, Suffix* suffixes, uint32_t begin, uint32_t end, uint32_t pivot,
) noexcept nogil
cdef uint32_t choose_pivot(
    const uint32_t* symbols, const Suffix* suffixes, uint32_t begin, uint32_t end,
) noexcept nogil
cdef int plan_batches(
    const vector[uint32_t]& sizes, vector[uint32_t]& order, vector[uint32_t]& batch_ends,
) except -1 nogil
cdef int add_seeds(
    Candidates candidates, const PieceRules* rules, const SeedLimits* limits, uint32_t n_threads,
    vector[double]& scores,
) except -1
