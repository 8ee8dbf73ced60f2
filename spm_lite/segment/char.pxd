"""Char: every character is a piece; user-defined symbols stay whole."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.segment.segmenter cimport Segmenter, Token


cdef enum:
    PAGE_CHARS = 64         # characters that differ in their last byte alone
    TWO_BYTE_PAGES = 32     # one for each first byte
    N_PAGES = 32 + 1024     # and for each first byte of three and each second one


@cython.final
cdef class CharSegmenter(Segmenter):
    cdef vector[uint32_t] symbol_units  # trie of the user-defined symbols
    cdef bint has_symbols
    cdef vector[uint32_t] units         # trie of the pieces that can be emitted
    # What of it has one character, well-formed: by ASCII code, and by page and place in it for two and three bytes.
    cdef int32_t ascii_ids[128]         # SYMBOL_START: a symbol may begin so
    cdef uint16_t page_numbers[N_PAGES]
    cdef vector[int32_t] pages          # the first one holds no piece

    cdef int fill_pages(self) except -1
    cdef int32_t segment_block(
        self, const uint8_t* text, int32_t size, int32_t begin, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t find_other(self, const uint8_t* text, int32_t size, int32_t* piece_id) noexcept nogil
    cdef int32_t place_of(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef int32_t find_char(self, const uint8_t* text, int32_t size) noexcept nogil


cdef inline int32_t page_of(const uint8_t* text, int32_t size) noexcept nogil:
    """Which page a character of two or three bytes is on."""
    if size == 2:
        return text[0] & 0x1F
    return <int32_t> TWO_BYTE_PAGES + ((text[0] & 0x0F) << 6 | (text[1] & 0x3F))
