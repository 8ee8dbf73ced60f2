"""Unigram segmentation: the path with the largest sum of scores (Viterbi search)."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.segment.char_trie cimport CharTrie
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token


cdef enum:
    BLOCK_SIZE = 4096   # characters after which a block ends, at the next place that no piece spans


cdef struct TextChar:
    # One character of a text, or one byte if the text is not compact. After the last one there is one with code 0.
    uint32_t code       # of a CharTrie
    int32_t begin       # byte offset


cdef struct Arrival:
    # The best path found so far that ends before one character.
    float score         # sum of its scores, in single precision, added from left to right
    int32_t piece_id    # its last piece
    int32_t begin       # the character that this piece starts with; -1: not reached


cdef struct Rivals:
    # The two best paths that end before one character; a score of -infinity: there is none.
    double best
    double second
    uint64_t last       # last piece of the best path: index of its first character << 32 | its node in the CharTrie


@cython.final
cdef class UnigramScratch(Scratch):
    cdef vector[TextChar] chars         # of one block or chunk
    cdef vector[Arrival] arrivals       # of one block
    cdef vector[Rivals] rivals          # of one chunk
    cdef int32_t n_chars                # characters of that chunk


@cython.final
cdef class UnigramSegmenter(Segmenter):
    cdef CharTrie trie                  # of the pieces that can be emitted
    cdef vector[float] path_scores      # per id: the score that a path gets for it
    cdef float unknown_score            # of a character that no piece covers
    cdef double greatest_score          # largest absolute score of any edge

    cdef int fill_scores(self) except -1
    cdef int fill_trie(self) except -1
    cdef int segment_from(
        self, const uint8_t* text, int32_t size, float* score, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t find_ids(
        self, const uint8_t* text, int32_t size, UnigramScratch scratch, int32_t* ids, float* limit,
    ) except -1 nogil
    cdef int find_tokens(self, UnigramScratch scratch, vector[Token]& tokens) except -1 nogil
    cdef float limit_of(self, double margin, int32_t n_chars) noexcept nogil
    cdef double find_margin(self, const uint8_t* text, int32_t size, UnigramScratch scratch) except? -1.0 nogil
    cdef int32_t find_path(
        self, const uint8_t* text, int32_t size, float* score, UnigramScratch scratch,
    ) except -1 nogil
    cdef int32_t read_chars(
        self, const uint8_t* text, int32_t size, int32_t n_read, int64_t n_wanted, UnigramScratch scratch,
    ) except -1 nogil
