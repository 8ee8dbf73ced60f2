"""The corpus of a Unigram trainer and its candidate pieces, linked into chains instead of a trie.

Every candidate is a character or occurs in the text, so the candidates that begin at one place are prefixes of each
other. They form a chain: `longest[place]` is the longest, and each piece has the next shorter one as `shorter`, down
to the single character. Removing pieces only shortens the chains, so the text is never searched again.

Pieces are in code point order, after the n_characters single characters of the alphabet.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin


cdef inline void rename(uint32_t* places, size_t n_places, const uint32_t* new_ids) noexcept nogil:
    """Replace each piece id by its new id; 2^32 - 1 (no piece) stays."""
    cdef size_t i
    for i in range(n_places):
        if places[i] != <uint32_t> -1:
            places[i] = new_ids[places[i]]


cdef int rename_all(uint32_t* places, size_t n_places, const uint32_t* new_ids, uint32_t n_threads) except -1 nogil


cdef enum:
    CUT = 0             # the symbol between segments, which no piece covers
    NOT_A_PIECE = <uint32_t> 0xFFFFFFFF


cdef struct Segment:
    # A text of two or more characters, all in the alphabet. No piece crosses its ends.
    uint64_t count
    uint32_t begin      # symbols[begin : begin + length]
    uint32_t length     # characters


cdef struct Piece:
    # A candidate piece.
    uint32_t begin      # one of its occurrences: symbols[begin : begin + length]
    uint32_t length     # characters
    uint32_t shorter    # the longest piece that is a proper prefix of it; for a single character, itself


cdef class Candidates:
    cdef vector[uint32_t] alphabet          # code points, ascending
    cdef vector[uint64_t] character_counts  # of each character of the alphabet, in the whole corpus
    cdef vector[uint64_t] lone_counts       # of each as a text of one character, which has only one segmentation
    cdef vector[Segment] segments           # in the order of the table
    cdef vector[Origin] origins             # of each segment; empty: the table is of one source
    cdef uint64_t divisor                   # without origins: occurrences of a text per count
    cdef vector[uint32_t] symbols           # 1 + index in the alphabet, or CUT; after the text the alphabet itself
    cdef bint by_graphemes                  # `load` fills `begins`
    cdef vector[uint8_t] begins             # for each place of the text in symbols: whether a grapheme cluster begins
    cdef vector[uint32_t] longest           # for each place in symbols: the longest piece that begins there
    cdef vector[Piece] pieces
    cdef uint32_t n_characters              # pieces of one character: their ids are indices in the alphabet

    cdef int load(self, ChunkTable counts) except -1 nogil
    cdef int load_chunk(
        self, ChunkTable counts, size_t i, const uint32_t* places, vector[uint8_t]& chunk_begins,
    ) except -1 nogil
    cdef uint32_t close_segment(self, uint32_t begin, ChunkTable counts, size_t i) except? 0xFFFFFFFF nogil
    cdef int add_alphabet(self) except -1 nogil
    cdef int drop_pieces(self) except -1 nogil
    cdef int keep(self, const uint8_t* is_kept, uint32_t n_threads, uint32_t* new_ids) except -1 nogil
    cdef str text(self, uint32_t piece_id)
    cdef Candidates copy(self)


cdef int cut_long_segments(Candidates candidates) except -1 nogil
