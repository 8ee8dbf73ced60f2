"""Char segmentation: every character is a token; user-defined symbols stay whole."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Segmenter, Token


cdef enum:
    PAGE_CHARS = 64         # characters that differ in their last byte only
    TWO_BYTE_PAGES = 32     # one for each first byte of two
    N_PAGES = 32 + 1024     # and one for each first and second byte of three


@cython.final
cdef class CharSegmenter(Segmenter):
    cdef vector[uint32_t] symbol_units  # trie of the user-defined symbols
    cdef bint has_symbols
    cdef vector[uint32_t] units         # trie of the pieces that can be emitted
    # Its pieces of one well-formed character again, for direct access: ASCII by code, two and three bytes by page.
    cdef int32_t ascii_ids[128]         # SYMBOL_START: a user-defined symbol may start with it
    cdef uint16_t page_numbers[N_PAGES]     # by `page_of`; 0: no piece
    cdef vector[int32_t] pages          # PAGE_CHARS ids each; all of page 0 are unknown

    cdef int fill_pages(self) except -1
    cdef int32_t segment_block(
        self, const uint8_t* text, int32_t size, int32_t begin, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t find_other(self, const uint8_t* text, int32_t size, int32_t* piece_id) noexcept nogil
    cdef int32_t place_of(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef int32_t find_char(self, const uint8_t* text, int32_t size) noexcept nogil


cdef inline int32_t page_of(const uint8_t* text, int32_t size) noexcept nogil:
    """The index in `page_numbers` of a character of two or three bytes."""
    if size == 2:
        return text[0] & 0x1F
    return <int32_t> TWO_BYTE_PAGES + ((text[0] & 0x0F) << 6 | (text[1] & 0x3F))
