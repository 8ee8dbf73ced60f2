"""One token per byte, in blocks; a trie finds user-defined symbols first. The hot loop is that of `segment_block`.

Header: byte.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token, go_on
from spm_lite.vocab.piece_trie cimport build_piece_trie, match_symbol
from spm_lite.vocab.vocab cimport USER_DEFINED, Vocab

cdef enum:
    BLOCK_BYTES = 1 << 12       # of text; a check for signals comes between blocks


@cython.final
cdef class ByteSegmenter(Segmenter):
    """One token per byte or user-defined symbol, as ByT5 reads text. Source: Xue et al. 2022."""

    def __cinit__(self, Vocab vocab not None, bint compact):
        cdef int32_t longest = 0
        build_piece_trie(vocab, compact, 1 << USER_DEFINED, self.symbol_units, &longest)
        self.has_symbols = longest > 0

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef int32_t begin = 0, first
        tokens.clear()
        while begin < size:
            first = begin
            begin = self.segment_block(text, size, begin, tokens)
            go_on(scratch, begin - first)
        return 0

    cdef int32_t segment_next(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        tokens.clear()
        scratch.sure_end = self.segment_block(text, size, begin, tokens)
        go_on(scratch, scratch.sure_end - begin)
        return scratch.sure_end

    cdef int32_t segment_block(
        self, const uint8_t* text, int32_t size, int32_t begin, vector[Token]& tokens,
    ) except -1 nogil:
        """Append the tokens of about BLOCK_BYTES of text, and return where the next one begins."""
        cdef const int32_t* byte_ids = self.vocab.byte_ids
        cdef int32_t stop = begin + min(size - begin, <int32_t> BLOCK_BYTES), length
        cdef size_t n_before = tokens.size()
        cdef Token* token
        tokens.resize(n_before + (stop - begin))
        token = tokens.data() + n_before
        while begin < stop:
            length = 0
            if self.has_symbols:
                length = match_symbol(self.symbol_units.data(), text + begin, size - begin, &token.piece_id)
            if length == 0:
                token.piece_id = byte_ids[text[begin]]
                length = 1
            token.begin = begin
            begin += length
            token.end = begin
            token += 1
        tokens.resize(token - tokens.data())
        return begin
