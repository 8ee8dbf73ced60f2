"""Merge cuts: BPE may be cut between two characters of a piece if a merge beside the cut always comes first.

The text has the characters v w x y in a row. wx is a piece that merges earlier than every piece that holds vw or xy.
Then w and x merge before either merges with anything else, since that would form a piece that holds vw or xy.
A later merge across the place between x and y would form a piece that holds wxy. If no piece holds wxy, no merge
crosses the place: the text before it and the text after it merge independently. The side of v is symmetric.
If xy is no piece, a merge across the place between x and y forms a piece that holds wxy or xyz, where z follows y. If
no piece holds either, no merge crosses the place.
Characters of user-defined symbols may not merge at all: a pair with one counts as in a piece that merges first of all.
The text after a cut counts as a text of its own: nothing stands before it.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.bloom_filter cimport BloomFilter, BloomView
from spm_lite.encode.chunks.pair_cuts cimport PairView, Scan
from spm_lite.encode.segment.piece_table cimport TableView
from spm_lite.vocab.vocab cimport Vocab


cdef struct MergeView:
    # The fields of a MergeCuts that the hot loops need.
    const uint64_t* buckets     # of two entries of 32 bits (see LEVEL_BITS), by the upper bits of a mixed pair
    uint32_t bucket_shift       # 32 minus log2 of the number of buckets
    BloomView triples         # by `triple_hash`: three characters that stand side by side in a piece


@cython.final
cdef class MergeCuts:
    cdef vector[uint64_t] buckets
    cdef BloomFilter triples
    cdef vector[uint64_t] symbol_chars  # a bit for each code point: it is in a user-defined symbol
    cdef MergeView view

    # Like `next_other_ends` of pair_cuts: at most BLOCK_BYTES places. The text after the last place may be scanned
    # again, and `pos` may stay if it is a place. begin: the last cut. is_whole: the text ends with `size`.
    # n_plain: set to about the number of places that the pair test would find.
    cdef int32_t* next_merge_ends(
        self, const PairView* pairs, const uint8_t* text, int32_t size, bint is_whole, int32_t begin, Scan* scan,
        int32_t* ends, int32_t* n_plain,
    ) noexcept nogil
    cdef int take_buckets(self, int64_t n_pairs) except -1
    cdef int mark_symbols(self, const TableView* table, Vocab vocab) except -1
    cdef void enter_piece(self, const uint8_t* piece, int32_t size, uint32_t level) noexcept nogil
    cdef void enter_pair(self, uint32_t left, uint32_t right, uint32_t level, bint is_whole) noexcept nogil
    cdef bint is_symbol_char(self, uint32_t code) noexcept nogil
