"""Decoding of ids to text, by SentencePiece's rules for leading spaces and byte pieces."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libcpp.vector cimport vector

from spm_lite.decode.decode_rules cimport LeadingSpace
from spm_lite.decode.short_pieces cimport ShortText
from spm_lite.decode.str_decoder cimport StrDecoder
from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.vocab.vocab cimport Vocab


cdef struct DecodeState:
    # State of decoding one text.
    size_t begin            # where the text starts in the output
    size_t run_begin        # where the pending run of byte pieces starts in the output
    bint in_run             # the last piece was a byte piece
    bint at_start           # no visible text so far: a leading space is dropped
    bint is_plain           # only the text is wanted, not the offsets of its pieces


@cython.final
cdef class Decoder:
    cdef readonly Vocab vocab
    cdef readonly Normalizer denormalizer       # None: the decoded text is the text
    cdef readonly bint remove_extra_whitespaces
    cdef readonly bytes unk_surface
    cdef bint marks_words               # U+2581 is a space at the start of a piece alone, as in WordPiece
    cdef LeadingSpace leading           # the rule for spaces at the start of a text
    cdef vector[uint8_t] texts          # what each piece adds, one after the other; byte pieces: their byte
    cdef vector[int64_t] begins         # vocab.size + 1 offsets into texts
    cdef vector[ShortText] shorts       # per id: the text once more, if it is short
    cdef StrDecoder strings             # None: the model has a denormalizer, so texts are made as UTF-8 first

    cdef StrDecoder new_strings(self)
    cdef int fill_texts(self) except -1
    cdef int append_text(self, const int32_t* ids, int64_t n_ids, bint raw, vector[uint8_t]& out) except -1 nogil
    cdef int append_byte_pieces(
        self, const int32_t* ids, int64_t n_ids, DecodeState* state, bint raw, vector[uint8_t]& out,
    ) except -1 nogil
    cdef int append_byte_piece(
        self, int32_t piece_id, DecodeState* state, bint raw, vector[uint8_t]& out,
    ) except -1 nogil
    cdef int64_t append_bytes(self, const int32_t* ids, int64_t n_ids, vector[uint8_t]& out) except -1 nogil
    cdef int64_t append_short(self, const int32_t* ids, int64_t n_ids, vector[uint8_t]& out) except -1 nogil
    cdef int append_piece(
        self, const uint8_t* text, int64_t size, int32_t piece_id, DecodeState* state, bint raw, vector[uint8_t]& out,
    ) except -1 nogil
    cdef bint is_own_text(self, const uint8_t* text, int64_t size, int32_t piece_id) noexcept nogil
    cdef int end_run(self, DecodeState* state, bint raw, vector[uint8_t]& out) except -1 nogil
    cdef int denormalize(self, size_t begin, vector[uint8_t]& out) except -1 nogil
    cdef object string_of_ids(self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room)
    cdef object string_of_bytes(self, const int32_t* ids, int64_t n_ids)
