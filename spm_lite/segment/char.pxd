"""Char: every character is a piece; user-defined symbols stay whole."""

cimport cython
from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from spm_lite.segment.segmenter cimport Segmenter


@cython.final
cdef class CharSegmenter(Segmenter):
    cdef vector[uint32_t] symbol_units  # trie of the user-defined symbols
    cdef vector[uint32_t] units         # trie of the pieces that can be emitted
