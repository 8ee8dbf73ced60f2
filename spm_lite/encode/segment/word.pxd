"""Word segmentation: every word is a token."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.piece_table cimport PieceTable
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token


@cython.final
cdef class WordSegmenter(Segmenter):
    cdef PieceTable table

    cdef int32_t find_word(self, const uint8_t* text, int32_t size, int32_t room) noexcept nogil
    cdef int32_t append_word(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil
