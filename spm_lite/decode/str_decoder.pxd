"""Decoding of ids straight to str, for models without a denormalizer."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libcpp.vector cimport vector

from spm_lite.base.system.atomics cimport atomic
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.decode.decode_rules cimport LeadingSpace
from spm_lite.decode.short_pieces cimport ShortText
from spm_lite.decode.utf16_pieces cimport Utf16Pieces
from spm_lite.vocab.vocab cimport Vocab


cdef enum:
    AS_BYTES = 1 << 30                  # trait of a text that is ASCII and written as bytes


@cython.final
cdef class StrDecoder:
    cdef Vocab vocab
    cdef LeadingSpace leading           # the rule for spaces at the start of a text
    cdef const uint8_t* texts           # this and the two below belong to the Decoder, which outlives this
    cdef const int64_t* begins
    cdef const ShortText* shorts
    cdef Utf16Pieces units              # UTF-16 table of all pieces, made when first needed
    cdef atomic[bint] has_units
    cdef atomic[int64_t] n_spared       # ids of texts decoded by their bytes so far, to do without the table

    cdef int32_t write(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room, size_t* size,
    ) except? -2 nogil
    cdef bint prefers_bytes(self, const int32_t* ids, int64_t n_ids) noexcept nogil
    cdef int64_t append_ascii(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room, size_t* size,
    ) except -1 nogil
    cdef bint append_long(
        self, int32_t piece_id, int32_t n_dropped, vector[uint16_t]& room, size_t* size,
    ) except -1 nogil
    cdef int64_t append_start(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room, size_t* size,
    ) except -1 nogil
    cdef bint is_marked(self, int32_t piece_id) noexcept nogil
    cdef int make_units(self) except -1
    cdef Utf16Pieces new_units(self)


cdef object string_of_written(const uint16_t* room, size_t size, int32_t traits)


cdef inline bint starts_with_mark(Vocab vocab, int32_t piece_id) noexcept nogil:
    """Whether a piece begins with U+2581 in the vocabulary."""
    cdef int64_t begin = vocab.begins[piece_id]
    return is_space_mark(vocab.texts.data() + begin, vocab.begins[piece_id + 1] - begin)
