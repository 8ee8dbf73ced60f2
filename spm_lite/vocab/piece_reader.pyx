cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from spm_lite.base.unicode.char_words cimport WORD_BYTES
from spm_lite.vocab.vocab cimport Vocab, can_match_compact


@cython.final
cdef class PieceReader:
    """Gives the bytes of one piece at a time: in place, or as a copy with readable bytes after it."""

    def __init__(self, Vocab vocab not None):
        self.vocab = vocab
        self.copy.resize(vocab.longest() + <int64_t> WORD_BYTES)
        # Well-formed pieces end with a complete character, so the bytes after a piece do no harm.
        if vocab.is_well_formed:
            self.direct = <int64_t> vocab.texts.size() - <int64_t> WORD_BYTES

    cdef const uint8_t* piece(self, int32_t piece_id, int32_t* size) noexcept nogil:
        """The bytes of a piece, valid until the next call; NULL: compact text cannot match it.

        WORD_BYTES after the piece are readable; they complete no character of it.
        """
        cdef int64_t begin = self.vocab.begins[piece_id], end = self.vocab.begins[piece_id + 1]
        cdef const uint8_t* text = self.vocab.texts.data() + begin
        if not can_match_compact(self.vocab, piece_id):
            return NULL
        size[0] = <int32_t> (end - begin)
        if end <= self.direct:
            return text
        memcpy(self.copy.data(), text, <size_t> size[0])
        memset(self.copy.data() + size[0], 0, <size_t> WORD_BYTES)
        return self.copy.data()
