"""Where BPE may be cut although a piece pairs the two characters: a merge beside the place comes first.

Let wx be a piece that merges earlier than every piece that holds vw or xy, where v stands before it in the text and y
behind it. Then w and x merge before either does with anything else, since that would form a piece that holds vw or xy.
What crosses the place between x and y after that forms a piece that holds wxy. If there is none, nothing crosses it:
what is left of it and what is right of it merge without knowing of each other. Likewise on the side of v.
And where xy is no piece, what crosses the place holds wxy or xyz: if no piece does, nothing crosses it.
Characters of user-defined symbols may not merge at all: a pair with one counts as in a piece that merges before all.
What is behind a cut is a text of its own, in front of which nothing stands.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.bloom_filter cimport BloomFilter, BloomView
from spm_lite.chunks.pair_cuts cimport PairView, Scan
from spm_lite.segment.piece_table cimport TableView
from spm_lite.vocab.vocab cimport Vocab


cdef struct MergeView:
    # What the hot loops know of a MergeCuts.
    const uint64_t* buckets     # of two entries (see Entries), by the upper bits of a mixed pair
    uint32_t bucket_shift       # 32 minus the logarithm of their number
    BloomView triples         # by `triple_hash`: three characters that stand side by side in a piece


@cython.final
cdef class MergeCuts:
    cdef vector[uint64_t] buckets
    cdef BloomFilter triples
    cdef vector[uint64_t] symbol_chars  # bits by code: characters of user-defined symbols
    cdef MergeView view

    # Like `next_other_ends` of pair_cuts: at most BLOCK_BYTES places. The text after the last place may be looked at
    # again, and `pos` may stay if it is a place. begin: the last cut. is_whole: the text ends with `size`. n_plain:
    # about how many of the places the pair test would find.
    cdef int32_t* next_merge_ends(
        self, const PairView* pairs, const uint8_t* text, int32_t size, bint is_whole, int32_t begin, Scan* scan,
        int32_t* ends, int32_t* n_plain,
    ) noexcept nogil
    cdef int take_buckets(self, int64_t n_pairs) except -1
    cdef int mark_symbols(self, const TableView* table, Vocab vocab) except -1
    cdef void enter_piece(self, const uint8_t* piece, int32_t size, uint32_t level) noexcept nogil
    cdef void enter_pair(self, uint32_t left, uint32_t right, uint32_t level, bint is_whole) noexcept nogil
    cdef bint is_symbol_char(self, uint32_t code) noexcept nogil
