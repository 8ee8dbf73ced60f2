"""The pieces that text can hold, where their characters can be read as those of compact text are."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.char_words cimport read_char_word
from spm_lite.base.unicode.space_mark cimport MARK_WORD
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class PieceSource:
    cdef Vocab vocab
    cdef vector[uint8_t] copy
    cdef int64_t direct     # pieces up to here are read where they are

    cdef const uint8_t* piece(self, int32_t piece_id, int32_t* size) noexcept nogil


cdef inline int32_t read_piece_char(const uint8_t* piece, uint32_t* char_word) noexcept nogil:
    """Bytes of the character that `piece` starts with, and the character as it stands in compact text."""
    cdef int32_t size = read_char_word(piece, char_word)
    if char_word[0] == MARK_WORD:
        char_word[0] = 0x20
    return size
