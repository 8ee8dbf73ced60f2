"""Reader of the pieces that compact text can match: their bytes, safe to read beyond the end, and their characters."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.char_words cimport read_char_word
from spm_lite.base.unicode.space_mark cimport MARK_WORD
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class PieceReader:
    cdef Vocab vocab
    cdef vector[uint8_t] copy   # of one piece, with WORD_BYTES after it
    cdef int64_t direct     # pieces that end at or before this offset are read without a copy

    cdef const uint8_t* piece(self, int32_t piece_id, int32_t* size) noexcept nogil


cdef inline int32_t read_piece_char(const uint8_t* piece, uint32_t* char_word) noexcept nogil:
    """Return the bytes of the character that `piece` starts with. char_word: becomes the one of compact text."""
    cdef int32_t size = read_char_word(piece, char_word)
    if char_word[0] == MARK_WORD:
        char_word[0] = 0x20
    return size
