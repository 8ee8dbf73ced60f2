"""BPE segmentation: merge the pair of neighbours that forms the best-scored piece, until no pair forms a piece.

A bit set holds the byte pairs within pieces: no piece spans the place between two bytes that are not such a pair.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport RandomStream
from spm_lite.encode.segment.merge_heap cimport Candidate
from spm_lite.encode.segment.pair_merges cimport PairMerges
from spm_lite.encode.segment.piece_table cimport PieceTable
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token


cdef enum:
    PAIR_BYTES = 1 << 13    # a bit for each pair


cdef inline void add_pairs(uint8_t* pairs, const uint8_t* piece, int32_t size) noexcept nogil:
    """Add the pairs of one piece."""
    cdef int32_t k
    for k in range(1, size):
        pairs[<uint32_t> piece[k - 1] << 5 | piece[k] >> 3] |= 1 << (piece[k] & 7)


cdef inline bint is_joinable(const uint8_t* pairs, uint8_t left, uint8_t right) noexcept nogil:
    """Whether some piece has these bytes side by side."""
    return pairs[<uint32_t> left << 5 | right >> 3] >> (right & 7) & 1


cdef inline int32_t next_word(const uint8_t* text, int32_t size, int32_t pos) noexcept nogil:
    """The next place after `pos` in compact text where a space follows another character; `size`: there is none."""
    pos += 1
    while pos < size and not (text[pos] == 0x20 and text[pos - 1] != 0x20):
        pos += 1
    return min(pos, size)


cdef enum:
    MAX_SPLIT_DEPTH = 100   # UNUSED pieces nested deeper are not split, but emitted as they are
    HEAP_WINDOW = 1 << 11   # symbols of the smallest window that is merged with a heap


cdef struct Symbol:
    # A part of the text: a character, a user-defined symbol, or the result of merges.
    int32_t begin           # byte offset in the text
    int32_t size            # bytes; 0: absorbed by its left neighbour
    int32_t prev            # neighbours that it may merge with, by index; -1: none
    int32_t next
    int32_t piece_id        # -1: not looked up


cdef struct WindowPlace:
    # Where a window ends; byte offsets.
    int32_t end
    int32_t latest          # the next window begins there or before
    bint is_last            # the chunk ends with it


cdef struct Progress:
    # How far a chunk is merged.
    int32_t chunk_begin     # byte offset of the chunk
    int32_t begin           # byte offset of the next window
    int32_t n_symbols       # of a window, at most; above FEW_SYMBOLS: it is merged with a heap
    bint is_open            # the chunk is begun and not ended; else there is none
    bint is_out             # a call of `segment_next` has ended within the chunk


@cython.final
cdef class BpeScratch(Scratch):
    cdef Progress progress
    cdef WindowPlace place              # of the window merged last
    cdef vector[Token] last             # its tokens from the next window's begin on: only these may still change
    cdef vector[Token] window           # the tokens of one window; piece_id -1: not looked up
    cdef vector[Symbol] symbols         # of one window or chunk
    cdef vector[Candidate] heap
    cdef vector[int32_t] split_sizes    # per id of an UNUSED piece: bytes of the left symbol of its last candidate
    cdef vector[int32_t] split_ids      # the ids with an entry in split_sizes
    cdef vector[Candidate] dropped          # candidates that come back after the next merge
    cdef RandomStream* stream                 # random numbers for dropout; NULL: nothing is dropped
    cdef double dropout                 # probability that a candidate is dropped; 1 or more: nothing is merged
    cdef bint is_returning              # dropped candidates come back after the next merge
    cdef bint goes_on                   # with a list of merges: the text begins within a part,
    cdef bint is_open                   # or ends within one

    cdef void clear(self) noexcept nogil
    cdef void open_chunk(self, int32_t begin, int32_t n_symbols) noexcept nogil


@cython.final
cdef class BpeSegmenter(Segmenter):
    cdef vector[uint32_t] symbol_units  # trie of the user-defined symbols
    cdef PieceTable table
    cdef PairMerges listed              # of a vocabulary with a list of merges; None: pieces merge by their scores
    cdef vector[uint8_t] joinable       # pairs of bytes that stand next to each other in some piece
    cdef int32_t heap_window            # HEAP_WINDOW, or less in tests
    cdef bint has_symbols               # there are user-defined symbols
    cdef bint has_unused                # there are UNUSED pieces: chunks of one text depend on each other
    cdef uint32_t first_joining         # the lowest rank of a piece that joins words; NO_NUMBER: words are not used

    cdef int fill_joinable(self) except -1
    cdef void find_first_joining(self) noexcept nogil
    cdef int segment_at_random(
        self, const uint8_t* text, int32_t size, double dropout, bint is_returning, RandomStream* stream,
        Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int merge_whole(
        self, const uint8_t* text, int32_t size, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int merge_listed(
        self, const uint8_t* text, int32_t size, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t add_part(
        self, const uint8_t* text, int32_t size, int32_t begin, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int emit_listed(self, BpeScratch scratch, vector[Token]& tokens) except -1 nogil
    cdef int merge_chunk(
        self, const uint8_t* text, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t append_next(
        self, const uint8_t* text, int32_t size, int32_t begin, size_t n_most, BpeScratch scratch,
        vector[Token]& tokens,
    ) except -1 nogil
    cdef bint append_window(
        self, const uint8_t* text, int32_t size, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int merge_array(self, const uint8_t* text, int32_t size, BpeScratch scratch) except -1 nogil
    cdef int merge_many(self, const uint8_t* text, int32_t size, BpeScratch scratch) except -1 nogil
    cdef bint ends_chunk(self, const uint8_t* text, int32_t size, int32_t pos) noexcept nogil
    cdef int32_t merge_short(self, const uint8_t* text, int32_t size, int32_t* ids, bint* is_late) noexcept nogil
    cdef int32_t merge_words(
        self, const uint8_t* text, int32_t size, const int32_t* words, int32_t n, int32_t* ids,
    ) noexcept nogil
    cdef void join(self, Symbol* symbols, int32_t left, int32_t piece_id) noexcept nogil
    cdef int propose(self, const uint8_t* text, int32_t left, BpeScratch scratch) except -1 nogil
    cdef int merge_all(self, const uint8_t* text, BpeScratch scratch) except -1 nogil
    cdef int emit_symbol(
        self, const uint8_t* text, int32_t begin, int32_t size, int32_t piece_id, BpeScratch scratch,
        vector[Token]& tokens,
    ) except -1 nogil
    cdef int emit_parts(
        self, const uint8_t* text, int32_t begin, int32_t size, BpeScratch scratch,
        vector[Token]& tokens, int32_t depth,
    ) except -1 nogil
