"""Decode a stream: ids to text, one id at a time."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.decode.decoder cimport Decoder
from spm_lite.normalize.streamed cimport StreamedNormalizer


cdef struct Unfinished:
    # The first bytes of a character that is not complete.
    int32_t size
    uint8_t data[4]


cdef class DecodeStream:
    """The state of decoding one text. The denormalizer keeps its own state."""

    cdef Decoder decoder
    cdef StreamedNormalizer denormalizer    # None: the decoded text is the text
    cdef bint raw               # bytes of byte pieces are kept even if ill-formed
    cdef bint keeps_surrogates  # three bytes that encode a lone surrogate are a character
    cdef bint at_start          # no visible text so far: a leading space is dropped
    cdef bint has_text          # some piece has added text
    cdef Unfinished run         # pending bytes at the end of a run of byte pieces
    cdef Unfinished tail        # pending bytes at the end of the text, not yet given as str

    cdef void start(self) noexcept nogil
    cdef int copy_into(self, DecodeStream other) except -1
    cdef object give(self, const uint8_t* data, Py_ssize_t size, bint is_last)      # as str or bytes
    cdef int32_t checked_id(self, object item) except -1
    cdef const uint8_t* plain_text(self, int32_t piece_id, Py_ssize_t* size) noexcept nogil    # NULL: use `add_ids`
    cdef int add_ids(self, const int32_t* ids, int64_t n_ids, vector[uint8_t]& out) except -1 nogil
    cdef int add_piece(self, int32_t piece_id, vector[uint8_t]& out) except -1 nogil
    cdef int add_byte(self, uint8_t byte, vector[uint8_t]& out) except -1 nogil
    cdef int end_run(self, vector[uint8_t]& out) except -1 nogil
    cdef int32_t run_char_size(self) noexcept nogil
    cdef int finish(self, vector[uint8_t]& out) except -1 nogil
    cdef int add_many(self, object ids, vector[uint8_t]& out) except -1


@cython.final
cdef class TextStream(DecodeStream):
    pass


@cython.final
cdef class ByteStream(DecodeStream):
    pass
