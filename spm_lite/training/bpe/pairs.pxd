"""Pairs of neighbouring BPE symbols: their counts and positions, and a lazy priority queue of the best pair."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.bpe.symbols cimport SymbolTable


cdef struct Pair:
    # Two symbols side by side. Their positions are PairTable.positions[begin : begin + size], ascending.
    uint32_t left
    uint32_t right
    uint64_t count      # weighted occurrences now, overlapping ones included
    uint64_t begin
    uint32_t size       # positions when the pair was made; later merges make some of them stale


cdef struct HeapEntry:
    # A candidate. `count` may be too high, never too low: the counts of existing pairs only fall.
    uint64_t count
    uint64_t prefix     # the first three characters of its text, 21 bits each; or the places of its symbols (`by_ids`)
    uint32_t pair
    int32_t length      # characters of its text; 0 with `by_ids`


cdef struct Neighbour:
    # The changes that one merge makes to the pairs with one neighbouring symbol.
    uint64_t before     # weight of its occurrences before the merged pair; then see BpeTrainer.make_pair
    uint64_t after      # and after it
    uint32_t n_before   # occurrences
    uint32_t n_after


cdef struct LearnedMerge:
    # A pair that became a symbol.
    uint32_t left
    uint32_t right
    uint64_t count      # weighted occurrences when it was merged


cdef struct PairPlace:
    # An occurrence of a new pair: the neighbour, and the position where the left symbol begins.
    uint32_t symbol
    uint32_t position


cdef class PairTable:
    cdef SymbolTable symbols
    cdef vector[Pair] pairs
    cdef vector[uint64_t] slots         # open addressing: the upper half of the hash, and index + 1; 0 = free
    cdef vector[uint32_t] positions     # of all pairs, one block per pair (a pass finds all positions of a pair)
    cdef vector[HeapEntry] heap         # best first
    cdef uint64_t floor                 # the least count of a candidate; 0: pairs that no longer occur stay candidates
    cdef bint by_ids                    # of equal counts, the pair of the earliest symbols is best
    cdef uint32_t first_ranks[256]      # of the first symbols, where they are bytes: their place among symbols

    cdef int take_order(self, bytes order, bytes alphabet) except -1    # sets `by_ids`
    cdef void clear(self) noexcept nogil                    # of all pairs
    cdef int keep_pairs(self, const vector[uint8_t]& is_kept) except -1 nogil   # before any is a candidate
    cdef void expect(self, uint32_t left, uint32_t right) noexcept nogil        # prefetch: `find` or `insert` follows
    cdef uint32_t find(self, uint32_t left, uint32_t right) noexcept nogil          # 2^32 - 1: not found
    cdef uint32_t insert(self, uint32_t left, uint32_t right) except? 0xFFFFFFFE nogil
    cdef uint32_t place_of(self, uint32_t symbol) noexcept nogil
    cdef int push(self, uint32_t pair) except -1 nogil
    cdef uint32_t find_best(self) noexcept nogil    # 2^32 - 1: no candidate is left
    cdef uint32_t pop_best(self) noexcept nogil     # the same, and it is a candidate no longer
    cdef void drop_first(self) noexcept nogil       # the first entry of the queue
    cdef bint comes_first(self, const HeapEntry* a, const HeapEntry* b) noexcept nogil
    cdef void sift_down(self, HeapEntry entry, uint64_t hole) noexcept nogil
    cdef int grow_slots(self) except -1 nogil
    cdef void fill_slots(self) noexcept nogil
