"""Finds the class of a character by binary search, and joins it to the cluster before it by the rules GB1 to GB999.

Header: graphemes.pxd.
"""

from libc.stdint cimport uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.ranges import named_ranges
from spm_lite.base.unicode.ranges.grapheme_ranges import RANGES

cdef enum:
    FIRST_SYLLABLE = 0xAC00
    LAST_SYLLABLE = 0xD7A3
    N_TRAILING = 28         # syllables with the same first two parts; the first of them has no third
    FIRST_MARK = 0x300      # U+0020 to here, without U+007F to U+00AE, are no marks: most texts have nothing else

cdef struct ClassRange:
    # Neighbouring code points of one class.
    uint32_t first
    uint32_t last
    uint8_t char_class

cdef vector[ClassRange] ranges      # ascending; what is in none is OTHER, or a Hangul syllable

NUMBERS = {
    "CR": CR, "LF": LF, "Control": CONTROL, "Extend": EXTEND, "Conjunct_Extend": CONJUNCT_EXTEND, "Linker": LINKER,
    "ZWJ": ZWJ, "SpacingMark": SPACING_MARK, "Prepend": PREPEND, "L": HANGUL_L, "V": HANGUL_V, "T": HANGUL_T,
    "Regional_Indicator": FLAG_LETTER, "Pictographic": PICTOGRAPH, "Consonant": CONSONANT,
    "Linking_Sign": LINKING_SIGN,
}


cdef uint8_t grapheme_class(uint32_t code_point) noexcept nogil:
    """Return the GraphemeClass; OTHER for an unassigned code point and for any other number."""
    cdef size_t low = 0, high = ranges.size(), middle
    if 0x20 <= code_point < 0x7F or 0xAE < code_point < FIRST_MARK:
        return OTHER
    if FIRST_SYLLABLE <= code_point <= LAST_SYLLABLE:
        return HANGUL_LVT if (code_point - FIRST_SYLLABLE) % N_TRAILING else HANGUL_LV
    while low < high:
        middle = (low + high) // 2
        if ranges[middle].last < code_point:
            low = middle + 1
        else:
            high = middle
    return ranges[low].char_class if low < ranges.size() and ranges[low].first <= code_point else <uint8_t> OTHER


cdef bint is_joined(const GraphemeContext* context, uint8_t next) noexcept nogil:
    """Whether a character of class `next` belongs to the cluster of the character before it."""
    cdef uint8_t last = context.last
    if last == START_OF_TEXT:
        return False                                                            # GB1
    if last == CR and next == LF:
        return True                                                             # GB3
    if CR <= last <= CONTROL or CR <= next <= CONTROL:
        return False                                                            # GB4, GB5
    if EXTEND <= next <= SPACING_MARK or last == PREPEND:
        return True                                                             # GB9, GB9a, GB9b
    if HANGUL_L <= next <= HANGUL_LVT:
        return is_in_syllable(last, next)
    if next == CONSONANT:
        return context.ending & CONJUNCT != 0                                   # GB9c
    if next == PICTOGRAPH:
        return context.ending & JOINED_EMOJI != 0                               # GB11
    if next == FLAG_LETTER:
        return context.ending & FLAG_HALF != 0                                  # GB12, GB13
    return False                                                                # GB999


cdef inline bint is_in_syllable(uint8_t last, uint8_t next) noexcept nogil:
    """Whether a part of Hangul syllables belongs to the syllable that ends with `last`."""
    if last == HANGUL_L:
        return next != HANGUL_T                                                 # GB6
    if last == HANGUL_LV or last == HANGUL_V:
        return next == HANGUL_V or next == HANGUL_T                             # GB7
    return (last == HANGUL_LVT or last == HANGUL_T) and next == HANGUL_T        # GB8


cdef void add_class(GraphemeContext* context, uint8_t next) noexcept nogil:
    """Add a character of class `next` to the text read so far."""
    cdef uint8_t before = context.ending, after = 0
    if next == FLAG_LETTER and not before & FLAG_HALF:
        after |= FLAG_HALF
    if next == PICTOGRAPH or (before & EMOJI and EXTEND <= next <= LINKER):
        after |= EMOJI
    if before & EMOJI and next == ZWJ:
        after |= JOINED_EMOJI
    if next == LINKER or next == LINKING_SIGN or (before & CONJUNCT and (next == CONJUNCT_EXTEND or next == ZWJ)):
        after |= CONJUNCT
    context.last = next
    context.ending = after


def read_ranges() -> None:
    """Fill `ranges` from the generated table."""
    cdef ClassRange item
    ranges.clear()
    for first, last, number in sorted([
        (first, last, NUMBERS[name]) for name, found in named_ranges(RANGES) for first, last in found
    ]):
        item.first, item.last, item.char_class = first, last, number
        ranges.push_back(item)


read_ranges()
