"""The interface every model answers: normalized text -> tokens."""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.utf8 cimport char_size, lead_size
from spm_lite.vocab.vocab cimport Vocab


cdef struct Token:
    # One piece of a normalized text.
    int32_t piece_id    # -1 or the UNKNOWN piece's id: no piece matches
    int32_t begin       # byte offsets into the normalized text
    int32_t end


cdef inline int32_t unit_size(const uint8_t* text, int32_t size, bint compact) noexcept nogil:
    """Bytes of the character that `text` (at least 1 byte) starts with, as a segmenter sees characters.

    Compact text is well-formed but for the single ill-formed bytes that a lossless model lets through; other
    text is cut by the lead byte alone.
    """
    cdef int32_t n
    if compact:
        n = char_size(text, size)
        return n if n else 1
    n = lead_size(text[0])
    return n if n < size else size


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
