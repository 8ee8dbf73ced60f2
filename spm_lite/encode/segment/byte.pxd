"""Byte segmentation: every byte is a token; user-defined symbols stay whole."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Segmenter, Token


@cython.final
cdef class ByteSegmenter(Segmenter):
    cdef vector[uint32_t] symbol_units  # trie of the user-defined symbols
    cdef bint has_symbols

    cdef int32_t segment_block(
        self, const uint8_t* text, int32_t size, int32_t begin, vector[Token]& tokens,
    ) except -1 nogil
