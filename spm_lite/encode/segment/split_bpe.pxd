"""Byte-level BPE of texts that a pattern has cut: a match that is a piece is that piece, any other is merged."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.bpe cimport BpeScratch, BpeSegmenter
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.encode.segment.split_rules cimport SplitRules
from spm_lite.encode.segment.text_cuts cimport CutScratch, TextCuts


@cython.final
cdef class SplitBpeScratch(Scratch):
    cdef BpeScratch merging
    cdef vector[Token] match        # tokens of one match
    cdef int32_t part_end           # of the text between added tokens
    cdef CutScratch cuts            # None: `rules` cut


@cython.final
cdef class SplitBpeSegmenter(Segmenter):
    cdef SplitRules rules           # of a known pattern, if there are no `cuts`
    cdef readonly TextCuts cuts     # of compiled patterns; None: `rules` cut
    cdef BpeSegmenter bpe           # merges a match
    cdef int32_t longest            # bytes of the longest piece

    cdef int32_t whole_piece(self, const uint8_t* match, int32_t size) noexcept nogil   # its id; -1: none
    cdef int append_whole(
        self, const uint8_t* text, int32_t begin, int32_t end, SplitBpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil               # the tokens of one match
    cdef int32_t append_match(
        self, const uint8_t* text, int32_t size, int32_t begin, SplitBpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil               # the end of the match that begins at `begin`
