"""Texts that patterns cut: each part goes to the segmenter of the model type as a text of its own."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.base.unicode.split_classes cimport SplitRules
from spm_lite.base.patterns.text_cuts cimport CutScratch, TextCuts
from spm_lite.encode.segment.word cimport WordSegmenter
from spm_lite.encode.segment.wordpiece cimport WordPieceSegmenter


cdef int set_rules(SplitRules* rules, str pattern) except -1    # of a pattern, a key of RULES


@cython.final
cdef class SplitScratch(Scratch):
    cdef Scratch inner              # of the segmenter of a part
    cdef vector[Token] match        # tokens of one match
    cdef int32_t part_end           # of the text between added tokens
    cdef CutScratch cuts            # None: `rules` cut


@cython.final
cdef class SplitSegmenter(Segmenter):
    cdef SplitRules rules           # of a known pattern, if there are no `cuts`
    cdef readonly TextCuts cuts     # of compiled patterns; None: `rules` cut
    cdef readonly Segmenter inner   # of a part
    cdef BpeSegmenter bpe           # the same, if it merges; else None
    cdef WordPieceSegmenter pieces  # the same, if a part is a word that pieces make; else None
    cdef WordSegmenter words        # the same, if a part is a word that is looked up; else None
    cdef bint fuses                 # unknown characters side by side are one token, within a part
    cdef int32_t longest            # bytes of the longest piece

    cdef int take_inner(self, Segmenter inner) except -1
    cdef int32_t whole_piece(self, const uint8_t* match, int32_t size) noexcept nogil   # id of a match; -1: none
    cdef int segment_part(
        self, const uint8_t* part, int32_t size, Scratch inner, vector[Token]& tokens,
    ) except -1 nogil               # `tokens` is overwritten with the tokens of a part. inner: the scratch of `inner`
    cdef int append_whole(
        self, const uint8_t* text, int32_t begin, int32_t end, SplitScratch scratch, vector[Token]& tokens,
    ) except -1 nogil               # the tokens of one match
    cdef int32_t append_match(
        self, const uint8_t* text, int32_t size, int32_t begin, SplitScratch scratch, vector[Token]& tokens,
    ) except -1 nogil               # the end of the match that begins at `begin`
