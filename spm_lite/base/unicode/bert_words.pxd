"""Characters that are words of their own for BERT's tokenizers: punctuation and ideographs of Chinese.

The inline functions cut text into words as WordPiece does: at spaces and, as BERT does, around such characters.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from spm_lite.base.unicode.utf8 cimport char_size, decode_char


cdef enum:
    # The kind of a code point.
    PART_OF_WORD = 0
    PUNCTUATION = 1
    IDEOGRAPH = 2


cdef uint8_t bert_kind(uint32_t code_point) noexcept nogil


cdef inline bint is_dropped(uint32_t code_point) noexcept nogil:
    """Whether BERT drops a character that no rule of the normalization can: NUL, U+FFFD, private use."""
    return code_point == 0 or code_point == 0xFFFD or 0xE000 <= code_point <= 0xF8FF or (
        0xF0000 <= code_point <= 0xFFFFD or 0x100000 <= code_point <= 0x10FFFD
    )


cdef enum:
    SPACE = 0x20


cdef struct WordRules:
    bint by_punctuation     # each sign of punctuation is a word
    bint is_bert            # each ideograph of Chinese is a word, and what BERT drops is in no word


cdef inline bint is_ascii_punctuation(uint8_t byte) noexcept nogil:
    return 0x21 <= byte <= 0x2F or 0x3A <= byte <= 0x40 or 0x5B <= byte <= 0x60 or 0x7B <= byte <= 0x7E


cdef inline int32_t lone_size(const WordRules* rules, const uint8_t* text, int32_t size, int32_t* step) noexcept nogil:
    """Return the bytes of the first character if it is a word of its own; else 0. step: set to its bytes."""
    cdef uint8_t kind
    step[0] = 1
    if text[0] < 0x80:
        return 1 if rules.by_punctuation and is_ascii_punctuation(text[0]) else 0
    step[0] = char_size(text, size)
    if step[0] == 0:
        step[0] = 1
        return 0
    kind = bert_kind(decode_char(text, step[0]))
    if (kind == PUNCTUATION and rules.by_punctuation) or (kind == IDEOGRAPH and rules.is_bert):
        return step[0]
    return 0


cdef inline int32_t end_of_word(const WordRules* rules, const uint8_t* text, int32_t size) noexcept nogil:
    """Return the bytes of the word that `text` starts with: no space, at least 1 byte."""
    cdef int32_t step = 0, pos = lone_size(rules, text, size, &step)
    return pos if pos else rest_of_word(rules, text, size, step)


cdef inline int32_t rest_of_word(const WordRules* rules, const uint8_t* text, int32_t size, int32_t pos) noexcept nogil:
    """Return the bytes of the word that `text` starts with and that reaches to `pos`, the place of a character."""
    cdef int32_t step = 0
    while pos < size and text[pos] != SPACE:
        if lone_size(rules, text + pos, size - pos, &step):
            break
        pos += step
    return pos
