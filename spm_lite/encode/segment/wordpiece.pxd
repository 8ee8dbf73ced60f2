"""WordPiece segmentation: the longest piece first, from the left, in each word."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.bert_words cimport WordRules
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token


cdef struct MatchNode:
    # A node of the automaton over reversed continuation pieces (Aho-Corasick).
    int32_t first_child     # -1: none
    int32_t sibling         # the next child of the same parent; -1: none
    int32_t fail            # the node of the longest proper suffix that is a node
    int32_t longest         # bytes of the longest piece that ends here; 0: none
    int32_t piece_id        # of that piece
    uint8_t byte


@cython.final
cdef class WordPieceScratch(Scratch):
    cdef vector[uint8_t] word       # without what BERT drops
    cdef vector[int32_t] origins    # per byte of it, and at its end: the offset in the text
    cdef vector[int32_t] sizes      # long words: per offset, the bytes of the longest continuation piece there
    cdef vector[int32_t] ids        # and its id


@cython.final
cdef class WordPieceSegmenter(Segmenter):
    cdef WordRules rules
    cdef bytes prefix               # of continuation pieces
    cdef bint by_char               # what no piece covers is an unknown character, not an unknown word
    cdef int32_t max_length         # characters; a longer word is unknown
    cdef vector[uint32_t] first_units   # trie of the pieces that may begin a word
    cdef vector[uint32_t] later_units   # trie of the pieces that may continue one, without the prefix
    cdef vector[MatchNode] nodes        # made for the first long word
    cdef bint has_nodes

    cdef int fill_tries(self) except -1
    cdef int make_nodes(self) except -1
    cdef void link(self, int32_t above, int32_t node) noexcept
    cdef int32_t child(self, int32_t node, uint8_t byte) noexcept nogil
    cdef int32_t add_child(self, int32_t node, uint8_t byte) except -1
    cdef int32_t append_word(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int match_word(
        self, const uint8_t* word, int32_t size, WordPieceScratch scratch, int32_t begin, vector[Token]& tokens,
    ) except -1 nogil
    # Append the tokens of a word without what BERT drops, or of the rest of one that goes on, while pieces cover it;
    # return where they end. origins: per byte and at the end, the offset in the word as it was; NULL: nothing was
    # dropped. The offsets of tokens count from `begin` there.
    cdef int32_t match_pieces(
        self, const uint8_t* word, int32_t size, bint goes_on, WordPieceScratch scratch, int32_t begin,
        const int32_t* origins, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t known_size(self, const uint8_t* word, int32_t size) noexcept nogil
    # Return the bytes of the characters from the left that each continue a word by themselves, or are dropped.
    # The first one need not. length: raised by their number, until it is above `max_length`.
    cdef int32_t size_by_chars(self, const uint8_t* word, int32_t size, int64_t* length) noexcept nogil
    cdef int match_long(self, const uint8_t* word, int32_t size, WordPieceScratch scratch) except -1 nogil
    cdef bint drop_signs(self, const uint8_t* word, int32_t size, WordPieceScratch scratch) except -1 nogil
