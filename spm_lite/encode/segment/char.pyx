"""One token per character, by a table for ASCII and pages for two and three bytes; a trie finds the rest.

The hot loop is that of `segment_block`. Header: char.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, trie_advance, trie_root
from spm_lite.base.unicode.utf8 cimport char_size
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token, go_on, unit_size
from spm_lite.vocab.piece_trie cimport build_piece_trie, find_piece, match_symbol
from spm_lite.vocab.vocab cimport NORMAL, USER_DEFINED, Vocab

cdef enum:
    BLOCK_BYTES = 1 << 12       # of text; a check for signals comes between blocks

cdef enum:
    SYMBOL_START = -2           # in place of an id


@cython.final
cdef class CharSegmenter(Segmenter):
    """One token per character or user-defined symbol; UNUSED characters are unknown."""

    def __cinit__(self, Vocab vocab not None, bint compact):
        cdef TrieCursor cursor
        cdef int32_t longest = 0
        cdef uint8_t byte
        build_piece_trie(vocab, compact, 1 << USER_DEFINED, self.symbol_units, &longest)
        self.has_symbols = longest > 0
        build_piece_trie(vocab, compact, 1 << NORMAL, self.units, &longest)  # symbols are found before
        self.fill_pages()
        for byte in range(128):
            self.ascii_ids[byte] = self.find_char(&byte, 1)
            trie_root(self.symbol_units.data(), &cursor)
            if self.has_symbols and trie_advance(self.symbol_units.data(), &cursor, byte):
                self.ascii_ids[byte] = SYMBOL_START

    cdef int fill_pages(self) except -1:
        """Enter the pieces of one character of two or three bytes into the pages."""
        cdef vector[uint8_t] piece
        cdef int32_t i, size, page
        self.pages.resize(PAGE_CHARS, self.vocab.unknown_index)
        for i in range(self.vocab.size):
            piece.clear()
            size = self.vocab.matchable(i, self.compact, piece)
            if (size != 2 and size != 3) or char_size(piece.data(), size) != size:
                continue
            page = page_of(piece.data(), size)
            if self.page_numbers[page] == 0:
                self.page_numbers[page] = <uint16_t> (self.pages.size() // PAGE_CHARS)
                self.pages.resize(self.pages.size() + PAGE_CHARS, self.vocab.unknown_index)
            self.pages[self.place_of(piece.data(), size)] = self.find_char(piece.data(), size)
        return 0

    cdef inline int32_t place_of(self, const uint8_t* text, int32_t size) noexcept nogil:
        """The index in `pages` of a character of two or three bytes."""
        return self.page_numbers[page_of(text, size)] * PAGE_CHARS + (text[size - 1] & 0x3F)

    cdef int32_t find_char(self, const uint8_t* text, int32_t size) noexcept nogil:
        """The id of any character, by the trie; the unknown id if it is no piece."""
        cdef int32_t piece_id = find_piece(self.units.data(), text, size)
        return piece_id if piece_id >= 0 else self.vocab.unknown_index

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
        cdef int32_t stop = begin + min(size - begin, <int32_t> BLOCK_BYTES)
        cdef size_t n_before = tokens.size()
        cdef Token* token
        tokens.resize(n_before + (stop - begin))  # upper bound: a test for room at each token takes a third more time
        token = tokens.data() + n_before
        while begin < stop:
            token.begin = begin
            if text[begin] < 0x80 and self.ascii_ids[text[begin]] != SYMBOL_START:
                token.piece_id = self.ascii_ids[text[begin]]
                begin += 1
            else:
                begin += self.find_other(text + begin, size - begin, &token.piece_id)
            token.end = begin
            token += 1
        tokens.resize(token - tokens.data())
        return begin

    cdef inline int32_t find_other(self, const uint8_t* text, int32_t size, int32_t* piece_id) noexcept nogil:
        """Find the user-defined symbol or character that `text` starts with; set its id and return its bytes."""
        cdef int32_t length = 0
        if self.has_symbols:
            length = match_symbol(self.symbol_units.data(), text, size, piece_id)
        if length == 0:
            length = unit_size(text, size, self.compact)
            if self.compact and (length == 2 or length == 3):  # well-formed
                piece_id[0] = self.pages[self.place_of(text, length)]
            else:
                piece_id[0] = self.find_char(text, length)
        return length
