"""Where a charsmap reads characters together, which tokenizers does in its own way."""

from libc.stdint cimport int32_t, uint8_t

from spm_lite.base.unicode.graphemes cimport CONSONANT, PREPEND, START_OF_TEXT, GraphemeContext, next_char
from spm_lite.base.unicode.utf8 cimport char_size
from spm_lite.normalize.rules.charsmap cimport Charsmap

cdef enum:
    SHORT_CLUSTER = 6   # bytes; tokenizers looks up a shorter grapheme cluster as a whole


def reads_alone(Charsmap charsmap not None, bytes text not None):
    """Whether each rule that can apply in a text is of one character, and is applied by tokenizers too.

    There are two conditions. No rule of several characters matches anywhere. And no grapheme cluster of several
    characters and less than 6 bytes begins with a character that has a rule: tokenizers would lose the rest of it.
    A consonant that a virama joins counts as a beginning, since it is one before Unicode 18 if no consonant precedes
    the virama. A short cluster holds no such two: they have 6 bytes.
    """
    cdef const uint8_t* data = text
    cdef const uint8_t* target = NULL
    cdef GraphemeContext context = GraphemeContext(START_OF_TEXT, 0)
    cdef int32_t size = <int32_t> len(text), pos = 0, step, target_size = 0, matched
    cdef int32_t cluster = 0        # where the present cluster begins
    cdef bint has_rule = False      # its first character has one
    cdef bint begins = False, is_long = False, after_prepend
    while pos < size:
        after_prepend = context.last == PREPEND
        step = next_char(data + pos, size - pos, &context, &begins)
        begins = begins or (context.last == CONSONANT and not after_prepend)
        matched = charsmap.longest_match(data + pos, size - pos, &target, &target_size)
        if matched > max(char_size(data + pos, size - pos), 1):
            return False
        if begins:
            if is_long and has_rule and pos - cluster < SHORT_CLUSTER:
                return False
            cluster, has_rule, is_long = pos, matched > 0, False
        else:
            is_long = True
        pos += step
    return not (is_long and has_rule and size - cluster < SHORT_CLUSTER)
