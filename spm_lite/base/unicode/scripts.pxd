"""The script of a code point, as the rule "a piece has one script" sees it."""

from libc.stdint cimport uint8_t, uint32_t


cdef enum:
    # Every other script has a greater number.
    COMMON = 0
    INHERITED = 1
    HAN = 2             # with Hiragana, Katakana and U+30FC: Japanese mixes them within a word


cdef uint8_t script_of(uint32_t code_point) noexcept nogil
