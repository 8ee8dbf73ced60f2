"""Sums over the tokens of texts: counts of ids, unknown text, bytes, and how tokens lie in words."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.evaluation.figures.character_counts cimport N_SCRIPTS
from spm_lite.evaluation.figures.text_shape cimport LetterWord
from spm_lite.texts.text_view cimport TextView


cdef enum TokenKind:
    UNKNOWN_TOKEN = 1
    BYTE_TOKEN = 2
    SPACE_TOKEN = 4     # its piece is only U+2581


cdef enum:
    N_SIZES = 18        # 1 to 16, and 17 or more; there is no token of 0


cdef struct TokenTotals:
    # Sums over texts.
    int64_t tokens
    int64_t unknown_tokens
    int64_t unknown_bytes       # of their normalized text, U+2581 as one space
    int64_t unknown_characters  # of the text, within their spans
    int64_t byte_tokens
    int64_t byte_characters
    int64_t whole               # letter words by what touches them: one token, which is known
    int64_t split               # several known tokens, or none
    int64_t lost                # an unknown token
    int64_t touches             # pairs of a letter word and a token that touches it
    int64_t same                # texts that decoding gives back
    int64_t unknown_scripts[N_SCRIPTS]      # characters
    int64_t byte_scripts[N_SCRIPTS]
    int64_t unknown_byte_sizes[N_SIZES]     # unknown tokens
    int64_t unknown_character_sizes[N_SIZES]


cdef struct TextTokens:
    # The tokens of one text.
    const int32_t* ids          # -1: unknown, where the model has no id for that
    const int32_t* places       # begin and end of each, in characters; NULL: not known
    size_t n
    const int32_t* unknown_sizes    # bytes and characters of each unknown one; NULL: those of its place
    const LetterWord* words     # of the text
    size_t n_words


cdef struct Walker:
    # Reads the characters of a text in order.
    const uint8_t* text
    int32_t size            # bytes
    int32_t pos             # in bytes
    int32_t n               # in characters
    int32_t covered         # the characters up to here were counted


@cython.final
cdef class TokenSums:
    """Adds up the tokens of one text after the other."""

    cdef TokenTotals totals
    cdef vector[int64_t] counts         # of each id; the last one: of -1
    cdef vector[uint8_t] kinds          # of each id; the last one: of -1. Flags of TokenKind
    cdef unordered_map[uint32_t, int64_t] unknown_chars     # how often each occurs within unknown tokens
    cdef Int32Array lengths             # of each text since `take_texts`: tokens
    cdef Int32Array losses              # of each text since `take_texts` with unknown tokens: see LOSS_FIELDS
    cdef vector[int32_t] touched        # by how many tokens each letter word of the text is; -1: by an unknown one

    cdef int add(self, const TextView* text, TextTokens tokens) except -1 nogil
    cdef int count_ids(self, TextTokens* tokens, int64_t* n_unknown, int64_t* n_bytes) except -1 nogil
    cdef int touch_words(self, const TextTokens* tokens) except -1 nogil
    cdef int64_t walk_unknown(self, const TextView* text, const TextTokens* tokens, int64_t* n_bytes) except -1 nogil
    cdef int add_unknown_size(self, int32_t n_bytes, int32_t n_chars) noexcept nogil
    cdef int64_t walk_bytes(self, const TextView* text, const TextTokens* tokens) noexcept nogil
