"""Classes of characters in split patterns: letters with and without case, marks, numbers, white space.

The rules that a pattern has for them are a struct; its functions are in encode/segment/split_rules.pxd.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from spm_lite.base.unicode.utf8 cimport char_size, decode_char


cdef enum:
    # The class of a code point. Letters are 1 to 3.
    NO_CLASS = 0
    UPPER = 1       # Lu, Lt
    LOWER = 2       # Ll
    CASELESS = 3    # Lm, Lo
    MARK = 4        # M
    NUMBER = 5      # N
    WHITE = 6       # white space


cdef enum:
    # Families of patterns.
    GPT2 = 0        # a space may begin a word; contractions in lower case
    CL100K = 1      # any sign may begin a word; digits by threes; a line end closes a run of signs
    O200K = 2       # as CL100K, and words are cut before a capital; contractions end a word


cdef struct SplitRules:
    const uint8_t* classes  # `split_classes`
    int form                # GPT2, CL100K or O200K
    int32_t max_digits      # of one match; 0: any number. CL100K and O200K
    bint has_contractions   # O200K: "'s" and the like end a word
    bint takes_end          # CL100K: white space at the end of the text is one match, whatever line ends it holds


cdef const uint8_t* split_classes() except NULL     # by code point, 0x110000 of them; made by the first call


cdef inline int32_t white_at(const uint8_t* classes, const uint8_t* text, int32_t size) noexcept nogil:
    """Return the bytes of the white space that `text` (at least 1 byte) starts with; 0: it is another character."""
    cdef int32_t n = char_size(text, size)
    return n if n and classes[decode_char(text, n)] == WHITE else 0


cdef inline int32_t white_before(const uint8_t* classes, const uint8_t* text, int32_t size) noexcept nogil:
    """Return the bytes of the white space that `text` (at least 1 byte) ends with; 0: it is another character."""
    cdef int32_t n = 1
    while n < size and n < 4 and text[size - n] & 0xC0 == 0x80:
        n += 1
    return n if white_at(classes, text + size - n, n) == n else 0
