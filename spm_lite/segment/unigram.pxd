"""Unigram: the segmentation with the largest sum of scores."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.segment.first_chars cimport FirstCharTable
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token


cdef enum Blocks:
    BLOCK_SIZE = 4096   # bytes after which the path so far is emitted, as soon as no piece spans that place


cdef struct PieceEdge:
    # What a path takes on when it goes over a piece.
    float score         # its log-probability; a user-defined piece has a bonus for its length instead
    int32_t piece_id


cdef struct Arrival:
    # The best path found so far that ends at one byte offset.
    float score         # sum of its scores, in single precision, added from left to right
    int32_t piece_id    # its last piece
    int32_t begin       # byte offset where that piece starts; -1: not reached


cdef struct Rivals:
    # The two best paths that end at one byte offset; a score of -infinity: there is none.
    double best
    double second
    int32_t piece_id    # last piece of the best one
    int32_t begin       # byte offset where it starts


@cython.final
cdef class UnigramScratch(Scratch):
    cdef vector[Arrival] arrivals       # of one block
    cdef vector[Rivals] rivals          # of one chunk


@cython.final
cdef class UnigramSegmenter(Segmenter):
    cdef vector[uint32_t] units         # trie of the pieces that can be emitted; values are places in `edges`
    cdef FirstCharTable firsts          # of the trie
    cdef vector[PieceEdge] edges        # in the order of the pieces' bytes: those that are met together lie together
    cdef vector[float] path_scores      # the scores per id
    cdef float unknown_score            # of a character that no piece covers
    cdef PieceEdge unknown_edge
    cdef double greatest_score          # of all edges, by absolute value
    cdef int32_t longest                # bytes of the longest piece

    cdef int fill_scores(self) except -1
    cdef int fill_edges(self) except -1
    cdef int segment_from(
        self, const uint8_t* text, int32_t size, float* score, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef float segment_alone(
        self, const uint8_t* text, int32_t size, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef double find_margin(
        self, const uint8_t* text, int32_t size, vector[Rivals]& grown, int32_t* n_units,
    ) except? -1.0 nogil
    cdef int32_t find_path(
        self, const uint8_t* text, int32_t size, float* score, vector[Arrival]& grown,
    ) except -1 nogil
