"""The interface every model answers: normalized text -> tokens."""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport Vocab


cdef struct Token:
    # One piece of a normalized text.
    int32_t piece_id    # -1 or the UNKNOWN piece's id: no piece matches
    int32_t begin       # byte offsets into the normalized text
    int32_t end


cdef class Scratch:
    """Buffers of one call or one thread; each segmenter has its own kind."""


cdef class Segmenter:
    """Best segmentation under one vocabulary. Tokens join to the text; unknowns are not yet merged."""

    cdef readonly Vocab vocab
    cdef readonly bint compact

    cdef Scratch new_scratch(self)
    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil                   # `tokens` is overwritten
