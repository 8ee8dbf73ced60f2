"""Words as symbols, their pairs with counts and scores, and a queue of the best pair; for WordPiece."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.training.counts.chunk_table cimport Origin


cdef enum Objective:
    LIKELIHOOD      # count * log(count * n / (left * right)): frequency times pointwise mutual information
    RATIO           # count / (left * right)
    FREQUENCY       # count


cdef struct Piece:
    # A symbol: a character or the join of two, at the beginning of a word or inside.
    uint64_t begin      # its characters: MergeTable.texts[begin : begin + length]
    int32_t length
    bint continues      # it stands inside words
    uint64_t count      # occurrences now


cdef struct ScoredPair:
    uint32_t left
    uint32_t right
    uint64_t count      # occurrences now, overlapping ones included
    uint32_t last_merge     # that changed it or one of its symbols


cdef struct QueueEntry:
    # A candidate. Its score may be too high, never too low.
    double score
    uint32_t pair


cdef class MergeTable:
    cdef Objective objective
    cdef uint64_t min_count             # rarer pairs are no candidates
    cdef uint64_t least                 # occurrences before weights of a pair that is merged, if words have origins
    cdef int32_t max_length             # characters of a piece
    cdef uint64_t n_symbols             # in all words now
    cdef vector[uint32_t] texts
    cdef vector[Piece] pieces
    cdef unordered_map[string, uint32_t] piece_of   # text and place -> symbol
    cdef vector[uint32_t] cells         # the symbols of all words, one word after the other
    cdef vector[uint8_t] begins         # per cell: whether a grapheme cluster begins; empty: clusters do not matter
    cdef vector[uint64_t] word_begins
    cdef vector[int32_t] word_sizes
    cdef vector[uint64_t] word_counts
    cdef vector[Origin] word_origins    # of each word; empty: the table is of one source
    cdef vector[Origin] piece_origins   # of each piece when it was made; where words have no origins, its count
    cdef vector[ScoredPair] pairs
    cdef unordered_map[uint64_t, uint32_t] pair_of
    cdef vector[vector[uint32_t]] words_of      # per pair: words that have held it, ascending in parts
    cdef vector[vector[uint32_t]] pairs_of      # per symbol
    cdef vector[QueueEntry] queue       # a binary heap
    cdef vector[uint32_t] places        # per pair: of its entry in the queue; 2^32 - 1: it has none
    cdef vector[uint32_t] changed       # pairs whose count has changed in this merge
    cdef vector[uint32_t] word_marks    # per word: the last merge that rewrote it
    cdef uint32_t n_merges

    cdef uint32_t symbol(
        self, const uint32_t* text, int32_t length, bint continues, bint* is_new,
    ) except? 0xFFFFFFFF nogil
    cdef int add_word(
        self, const uint32_t* symbols, int32_t n, uint64_t count, const Origin* origin,
    ) except -1 nogil
    cdef bint is_counted(self, uint32_t word, int32_t begin, uint32_t left, uint32_t right) noexcept nogil
    cdef int start(self) except -1 nogil
    cdef uint32_t pop_best(self) except? 0xFFFFFFFF nogil      # 2^32 - 1: no candidate
    cdef bint is_too_rare(self, uint32_t pair) except -1 nogil
    cdef int fill_origin(self, uint32_t pair, Origin* origin) except -1 nogil
    cdef bint merge(self, uint32_t pair) except -1 nogil        # True: it makes a new piece
    cdef int count_word(self, uint32_t word, bint is_added) except -1 nogil
    cdef uint32_t pair_index(self, uint32_t left, uint32_t right) except? 0xFFFFFFFF nogil
    cdef double score_of(self, const ScoredPair* pair) noexcept nogil
    cdef int push(self, uint32_t pair) except -1 nogil
    cdef void put(self, uint32_t place, QueueEntry entry) noexcept nogil
    cdef void sift_up(self, uint32_t hole, QueueEntry entry) noexcept nogil
    cdef void sift_down(self, uint32_t hole, QueueEntry entry) noexcept nogil
    cdef void drop_first(self) noexcept nogil
    cdef bint comes_first(self, const QueueEntry* a, const QueueEntry* b) noexcept nogil
    cdef uint32_t char_of(self, const ScoredPair* pair, int32_t i) noexcept nogil
