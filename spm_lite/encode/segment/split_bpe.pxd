"""Byte-level BPE of texts that a pattern has cut: a match that is a piece is that piece, any other is merged."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.bpe cimport BpeScratch, BpeSegmenter
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.encode.segment.split_rules cimport SplitRules


@cython.final
cdef class SplitBpeScratch(Scratch):
    cdef BpeScratch merging
    cdef vector[Token] match        # tokens of one match
    cdef int32_t part_end           # of the text between added tokens


@cython.final
cdef class SplitBpeSegmenter(Segmenter):
    cdef SplitRules rules
    cdef BpeSegmenter bpe           # merges a match
    cdef int32_t longest            # bytes of the longest piece

    cdef int32_t whole_piece(self, const uint8_t* match, int32_t size) noexcept nogil   # its id; -1: none
    cdef int32_t append_match(
        self, const uint8_t* text, int32_t size, int32_t begin, SplitBpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil               # the end of the match that begins at `begin`
