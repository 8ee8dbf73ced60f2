"""Where a text may be cut although some piece joins the two characters: what stands around them tells.

It takes longer to find than what pairs of characters tell, and is worth that where these tell of few places.
"""

from libc.stdint cimport int32_t, uint8_t

from spm_lite.chunks.pair_cuts cimport JoinView, Scan


cdef class MoreCuts:
    # As `next_other_ends`; at most BLOCK_BYTES places. What is behind the last of them may be looked at again, and
    # `pos` may stay where it is if that is one. begin: where the text has last been cut. is_whole: it ends with `size`.
    # n_plain: about how many of the places pairs would tell.
    cdef int32_t* next_more_ends(
        self, const JoinView* joins, const uint8_t* text, int32_t size, bint is_whole, int32_t begin, Scan* scan,
        int32_t* ends, int32_t* n_plain,
    ) noexcept nogil
