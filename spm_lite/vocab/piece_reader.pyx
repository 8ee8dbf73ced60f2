cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset

from spm_lite.base.unicode.char_words cimport WORD_BYTES
from spm_lite.vocab.vocab cimport Vocab, can_match_compact


@cython.final
cdef class PieceSource:
    """Shows one piece after the other: where it is, or a copy with room behind it."""

    def __init__(self, Vocab vocab not None):
        self.vocab = vocab
        self.copy.resize(vocab.longest() + <int64_t> WORD_BYTES)
        # What stands behind a well-formed piece cannot complete its last character.
        if vocab.is_well_formed:
            self.direct = <int64_t> vocab.texts.size() - <int64_t> WORD_BYTES

    cdef const uint8_t* piece(self, int32_t piece_id, int32_t* size) noexcept nogil:
        """The bytes of a piece until the next one is asked for; NULL: no text holds it.

        WORD_BYTES behind it are readable, and complete no character of it.
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
