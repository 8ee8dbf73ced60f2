"""A two-stage table of scripts, filled at import. Hiragana and Katakana count as Han. Header: scripts.pxd."""

from libc.stdint cimport uint8_t, uint32_t

from spm_lite.base.unicode.ranges import named_ranges
from spm_lite.base.unicode.ranges.script_ranges import RANGES

cdef enum:
    PAGE = 256
    N_PAGES = 0x1100    # pages of 256 code points up to U+10FFFF

cdef uint8_t page_of[N_PAGES]           # code point >> 8 -> its page in `scripts`; equal pages are stored once
cdef uint8_t scripts[256 * PAGE]        # a script number per code point of a page


cdef uint8_t script_of(uint32_t code_point) noexcept nogil:
    """Return the script number in Unicode 9.0.0; COMMON for an unassigned code point and for any other number."""
    if code_point > 0x10FFFF:
        return COMMON
    return scripts[<uint32_t> page_of[code_point >> 8] << 8 | (code_point & 0xFF)]


def read_table() -> bytearray:
    """A script number for each code point, from the generated ranges."""
    table = bytearray(N_PAGES * PAGE)  # Common, until a range says otherwise
    numbers = {"Common": COMMON, "Inherited": INHERITED, "Han": HAN}
    for name, ranges in named_ranges(RANGES):
        if name in ("Hiragana", "Katakana"):
            name = "Han"
        if name not in numbers:
            numbers[name] = len(numbers)
        for first, last in ranges:
            size = last - first + 1
            table[first : first + size] = bytes([numbers[name]]) * size
    table[0x30FC] = <int> HAN  # the prolonged sound mark, Common in Unicode
    return table


def fill_pages() -> None:
    """Cut the table into pages and keep each distinct page once."""
    table = bytes(read_table())
    places = {}
    for page in range(N_PAGES):
        content = table[page * PAGE : (page + 1) * PAGE]
        place = places.setdefault(content, len(places))
        if place == len(places) - 1:
            for i, script in enumerate(content):
                scripts[place * PAGE + i] = script
        page_of[page] = place  # an OverflowError if there are more than 256 distinct pages


fill_pages()
