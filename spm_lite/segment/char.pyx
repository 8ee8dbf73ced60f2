cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.segment.piece_trie cimport build_piece_trie, find_piece, match_symbol
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token, go_on, unit_size
from spm_lite.vocab.vocab cimport NORMAL, USER_DEFINED, Vocab


@cython.final
cdef class CharSegmenter(Segmenter):
    """One token per character or user-defined symbol; UNUSED characters are unknown."""

    def __init__(self, Vocab vocab not None, bint compact):
        cdef int32_t longest = 0
        super().__init__(vocab, compact)
        build_piece_trie(vocab, compact, 1 << USER_DEFINED, self.symbol_units, &longest)
        build_piece_trie(vocab, compact, 1 << NORMAL | 1 << USER_DEFINED, self.units, &longest)

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef const uint32_t* symbol_units = self.symbol_units.data()
        cdef const uint32_t* units = self.units.data()
        cdef int32_t begin = 0, length, piece_id = -1
        tokens.clear()
        while begin < size:
            length = match_symbol(symbol_units, text + begin, size - begin, &piece_id)
            if length == 0:
                length = unit_size(text + begin, size - begin, self.compact)
                piece_id = find_piece(units, text + begin, length)
                if piece_id < 0:
                    piece_id = self.vocab.unknown_index
            tokens.push_back(Token(piece_id, begin, begin + length))
            begin += length
            go_on(scratch, length)
        return 0
