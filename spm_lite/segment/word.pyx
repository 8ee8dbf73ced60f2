cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.space_mark cimport is_space_mark
from spm_lite.segment.piece_trie cimport build_piece_trie, find_piece
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token, go_on, unit_size
from spm_lite.vocab.vocab cimport NORMAL, USER_DEFINED, Vocab


cdef inline bint is_word_start(const uint8_t* text, int32_t size, bint compact) noexcept nogil:
    """Whether the character that `text` starts with is an escaped space."""
    return text[0] == 0x20 if compact else is_space_mark(text, size)


@cython.final
cdef class WordSegmenter(Segmenter):
    """One token per word; a word starts at every escaped space, whatever the model's whitespace options."""

    def __init__(self, Vocab vocab not None, bint compact):
        cdef int32_t longest = 0
        super().__init__(vocab, compact)
        build_piece_trie(vocab, compact, 1 << NORMAL | 1 << USER_DEFINED, self.units, &longest)

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef int32_t begin = 0, end, piece_id
        tokens.clear()
        while begin < size:
            end = begin + unit_size(text + begin, size - begin, self.compact)
            while end < size and not is_word_start(text + end, size - end, self.compact):
                end += unit_size(text + end, size - end, self.compact)
            piece_id = find_piece(self.units.data(), text + begin, end - begin)
            if piece_id < 0:
                piece_id = self.vocab.unknown_index
            tokens.push_back(Token(piece_id, begin, end))
            go_on(scratch, end - begin)
            begin = end
        return 0
