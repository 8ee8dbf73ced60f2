"""EncodedText: a text with its pieces, their ids and their offsets."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.alignment cimport CharCounter
from spm_lite.texts.text_view cimport TextView
from spm_lite.vocab.piece_objects cimport PieceObjects


cdef struct Span:
    # One piece of an encoded text.
    int32_t piece_id        # -1: unknown, in a model without an unknown piece
    int32_t byte            # the byte that a byte piece stands for; -1: not a byte piece
    int32_t text_begin      # byte offsets into the normalized text; byte pieces: of the whole unknown text
    int32_t text_end
    int32_t begin           # byte offsets into the input
    int32_t end
    bint has_surface        # input[begin:end] is its surface; False: it has no surface, not even an empty one


@cython.final
cdef class EncodedText:
    cdef readonly object text           # the str or bytes object
    cdef TextView view                  # its UTF-8
    cdef vector[uint8_t] normalized
    cdef bint compact                   # an escaped space is one byte, 0x20, in `normalized`
    cdef PieceObjects objects           # of the vocabulary
    cdef vector[Span] spans

    cdef list list_pieces(self, bint as_str)
    cdef list list_offsets(self, CharCounter* counter)
    cdef bint is_own(self, const Span* span) noexcept
    cdef bytes show(self, const Span* span)


cdef int escape(const uint8_t* text, int32_t size, bint compact, vector[uint8_t]& out) except -1 nogil
