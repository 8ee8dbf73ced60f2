"""Grapheme clusters: what a reader takes for one character, such as a letter and its marks, a syllable, an emoji.

A text is read from its start, character by character. Each one either begins a cluster or belongs to the one before.
Source: Unicode Standard Annex 29 of Unicode 18, extended clusters; rules GB1 to GB999 with GB9c.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from spm_lite.base.unicode.utf8 cimport read_char


cdef enum GraphemeClass:
    # What the rules see of a character.
    OTHER = 0
    CR
    LF
    CONTROL
    EXTEND              # marks that join any character before them ...
    CONJUNCT_EXTEND     # ... and may stand within a conjunct
    LINKER              # ... and join the consonant after them: a virama
    ZWJ
    SPACING_MARK
    PREPEND             # joins the character after it
    HANGUL_L
    HANGUL_V
    HANGUL_T
    HANGUL_LV
    HANGUL_LVT
    FLAG_LETTER         # a regional indicator: two of them are a flag
    PICTOGRAPH
    CONSONANT           # of a script with conjuncts
    LINKING_SIGN        # no mark, but joins the consonant after it
    START_OF_TEXT       # in a context: there is no character yet

cdef enum Ending:
    # What the text read so far ends with: flags.
    FLAG_HALF = 1       # an odd number of flag letters
    EMOJI = 2           # a pictograph and its marks
    JOINED_EMOJI = 4    # these and a ZWJ
    CONJUNCT = 8        # a linker, and marks that may stand within a conjunct

cdef struct GraphemeContext:
    # What is known of the text read so far.
    uint8_t last        # class of its last character
    uint8_t ending      # flags of Ending


cdef uint8_t grapheme_class(uint32_t code_point) noexcept nogil
cdef bint is_joined(const GraphemeContext* context, uint8_t next) noexcept nogil
cdef void add_class(GraphemeContext* context, uint8_t next) noexcept nogil


cdef inline int32_t next_char(
    const uint8_t* text, int64_t size, GraphemeContext* context, bint* begins_grapheme,
) noexcept nogil:
    """Read the first character of `text` (at least 1 byte); return its bytes, set whether a grapheme begins with it.

    The character is added to `context`. An ill-formed byte is a character of class OTHER, as U+FFFD is.
    """
    cdef uint32_t code_point = 0
    cdef int32_t step = read_char(text, size, &code_point)
    cdef uint8_t char_class = grapheme_class(code_point) if step > 0 else <uint8_t> OTHER
    begins_grapheme[0] = not is_joined(context, char_class)
    add_class(context, char_class)
    return max(step, 1)
