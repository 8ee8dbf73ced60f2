from libc.stdint cimport int32_t, uint8_t

from spm_lite.chunks.pair_cuts cimport JoinView, Scan


cdef class MoreCuts:
    """One for BPE, one for Unigram."""

    cdef int32_t* next_more_ends(
        self, const JoinView* joins, const uint8_t* text, int32_t size, bint is_whole, int32_t begin, Scan* scan,
        int32_t* ends, int32_t* n_plain,
    ) noexcept nogil:
        return ends
