"""Fills two tables by code point at import: the number of the script, and flags for letters, words and spaces.

Header: character_counts.pxd.
"""

from unicodedata import category

from spm_lite.base.unicode.ranges import named_ranges
from spm_lite.base.unicode.ranges.script_ranges import RANGES

SPACE_FREE_SCRIPTS = frozenset((
    "Han", "Hiragana", "Katakana", "Bopomofo", "Yi", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Tai_Le",
    "New_Tai_Lue", "Tai_Tham", "Tai_Viet", "Javanese", "Balinese",
))
JOINERS = (0x200C, 0x200D)      # within words of many scripts
ASSIGNED = (range(0x40000), range(0xE0000, 0xE1000))    # elsewhere are no letters, marks and spaces
SCRIPT_NAMES = ["Common"]       # by number
MIXTURES = {        # a word for scripts that are written together -> these
    "Japanese": {"Han", "Hiragana", "Katakana"}, "Hanb": {"Han", "Bopomofo"}, "Korean": {"Han", "Hangul"},
}
cdef uint8_t inherited = 0


def script_name(character) -> str:
    """The script of a character in Unicode 9.0.0.

    >>> script_name("ж"), script_name("!"), script_name("ー")
    ('Cyrillic', 'Common', 'Common')
    """
    return SCRIPT_NAMES[script_numbers[<uint32_t> ord(character)]]


def script_of_piece(str text not None) -> str:
    """The script of a piece: that of its letters and marks, or a word for several of them.

    >>> script_of_piece("the"), script_of_piece(" 12"), script_of_piece("食べ"), script_of_piece("aж")
    ('Latin', 'Common', 'Japanese', 'Mixed')
    """
    cdef uint8_t script, first = COMMON_SCRIPT
    cdef Py_UCS4 code_point
    cdef bint is_mixed = False
    for code_point in text:
        script = script_numbers[<uint32_t> code_point]
        if script == COMMON_SCRIPT or script == inherited or not flags_of[<uint32_t> code_point] & WORD_PART:
            continue
        is_mixed |= first != COMMON_SCRIPT and script != first
        if first == COMMON_SCRIPT:
            first = script
    return mixture(text) if is_mixed else SCRIPT_NAMES[first]


def mixture(str text not None) -> str:
    """The word for the scripts of a piece that has several."""
    cdef Py_UCS4 code_point
    names = {
        SCRIPT_NAMES[script_numbers[<uint32_t> code_point]] for code_point in text
        if flags_of[<uint32_t> code_point] & WORD_PART
    } - {"Common", "Inherited"}
    for word, members in MIXTURES.items():
        if names <= members:
            return word
    return "Mixed"


def fill_scripts() -> None:
    """Number the scripts, and enter the number of each code point."""
    cdef uint32_t code_point, first, last
    cdef uint8_t number
    for name, ranges in named_ranges(RANGES):
        if name not in SCRIPT_NAMES:
            SCRIPT_NAMES.append(name)
        number = SCRIPT_NAMES.index(name)  # an OverflowError if there are more than 256
        for first, last in ranges:
            for code_point in range(first, last + 1):
                script_numbers[code_point] = number


def fill_flags() -> None:
    """Enter the flags of each code point, by the general categories of this Python."""
    cdef uint8_t space_free[N_SCRIPTS]
    cdef uint8_t flags
    cdef uint32_t code_point
    for number in range(N_SCRIPTS):
        space_free[number] = 0
    for number, name in enumerate(SCRIPT_NAMES):
        space_free[number] = SPACE_FREE if name in SPACE_FREE_SCRIPTS else 0
    for part in ASSIGNED:
        for code_point in part:
            character = chr(code_point)
            kind = category(character)[0]
            flags = LETTER | WORD_PART if kind == "L" else WORD_PART if kind == "M" else 0
            if kind in "ZC" and character.isspace():
                flags |= WHITE
            flags_of[code_point] = flags | space_free[script_numbers[code_point]]
    for code_point in JOINERS:
        flags_of[code_point] |= WORD_PART


fill_scripts()
fill_flags()
inherited = SCRIPT_NAMES.index("Inherited")
