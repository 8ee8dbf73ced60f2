"""The pieces that text can hold, where their characters can be read as those of compact text are."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.char_words cimport read_unit
from spm_lite.base.unicode.space_mark cimport MARK_WORD
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class PieceSource:
    cdef Vocab vocab
    cdef vector[uint8_t] copy
    cdef int64_t direct     # pieces up to here are read where they are

    cdef const uint8_t* piece(self, int32_t piece_id, int32_t* size) noexcept nogil


cdef inline int32_t read_piece_unit(const uint8_t* piece, uint32_t* unit) noexcept nogil:
    """Bytes of the character that `piece` starts with, and the character as it stands in compact text."""
    cdef int32_t size = read_unit(piece, unit)
    if unit[0] == MARK_WORD:
        unit[0] = 0x20
    return size
