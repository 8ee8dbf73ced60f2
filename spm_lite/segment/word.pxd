"""Word: every word is a piece."""

cimport cython
from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from spm_lite.segment.segmenter cimport Segmenter


@cython.final
cdef class WordSegmenter(Segmenter):
    cdef vector[uint32_t] units         # trie of the pieces that can be emitted
