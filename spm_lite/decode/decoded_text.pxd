"""A decoded text with its pieces and their offsets."""

cimport cython
from libc.stdint cimport int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.decode.decoder cimport Decoder, DecodeState


@cython.final
cdef class DecodedText:
    cdef readonly bytes text            # after the denormalizer
    cdef vector[uint8_t] decoded        # before the denormalizer; the offsets refer to it
    cdef vector[int64_t] ends           # per piece: where it ends in `decoded`, and the next one begins
    cdef list texts                     # per piece: bytes
    cdef list piece_ids

    cdef int64_t begin(self, size_t i) noexcept nogil
    cdef int64_t count_chars(self, int64_t offset, int64_t* pos, int64_t* n_chars) except -1
    cdef int add_piece(self, Decoder decoder, bytes piece, DecodeState* state) except -1
    cdef int end_run(self, Decoder decoder, DecodeState* state) except -1
    cdef int finish(self, Decoder decoder, DecodeState* state) except -1
