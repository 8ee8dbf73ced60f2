"""Cuts before each escaped space, and looks each word up in the perfect hash table. Header: word.pxd."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memchr
from libcpp.vector cimport vector

from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, is_mark, marked_id, next_mark
from spm_lite.encode.segment.piece_table cimport PieceTable, find_id
from spm_lite.encode.segment.segmenter cimport TOKENS_AT_ONCE, Scratch, Segmenter, Token, go_on, unit_size
from spm_lite.vocab.vocab cimport UNUSED, Vocab


cdef inline int32_t word_end(const uint8_t* text, int32_t size, int32_t begin, bint compact) noexcept nogil:
    """The end of the word that starts at `begin`: before the next escaped space."""
    cdef int32_t end = begin + unit_size(text + begin, size - begin, compact)
    cdef const uint8_t* space
    if compact:
        space = <const uint8_t*> memchr(text + end, 0x20, <size_t> (size - end))
        return <int32_t> (space - text) if space != NULL else size
    while end < size and not is_space_mark(text + end, size - end):
        end += unit_size(text + end, size - end, compact)
    return end


@cython.final
cdef class WordSegmenter(Segmenter):
    """One token per word; a word starts at every escaped space, whatever the model's whitespace options."""

    def __cinit__(self, Vocab vocab not None, bint compact):
        self.table = PieceTable(vocab, compact, True)

    cdef int32_t find_word(self, const uint8_t* text, int32_t size, int32_t room) noexcept nogil:
        """The id of a word; UNUSED pieces count as unknown. room: bytes up to the end of the text."""
        cdef int32_t piece_id = find_id(&self.table.view, text, size, room)
        return self.vocab.unknown_index if piece_id < 0 or self.vocab.types[piece_id] == UNUSED else piece_id

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef int32_t begin = 0
        tokens.clear()
        while begin < size:
            begin = self.append_word(text, size, begin, scratch, tokens)
        return 0

    cdef int32_t segment_next(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        tokens.clear()
        while begin < size and tokens.size() < <size_t> TOKENS_AT_ONCE:
            begin = self.append_word(text, size, begin, scratch, tokens)
        scratch.sure_end = begin
        return begin

    cdef inline int32_t append_word(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Append the token of the word that starts at `begin`, and return where it ends."""
        cdef int32_t end
        if self.vocab.n_added and is_mark(text + begin, size - begin):
            tokens.push_back(Token(marked_id(text + begin), begin, begin + <int32_t> MARK_SIZE))
            return begin + <int32_t> MARK_SIZE
        end = word_end(text, size, begin, self.compact)
        if self.vocab.n_added:
            end = next_mark(text, begin, end)
        tokens.push_back(Token(self.find_word(text + begin, end - begin, size - begin), begin, end))
        go_on(scratch, end - begin)
        return end
