"""A two-stage table, filled at import: the page of a code point, then its kind. Equal pages are stored once.

Header: invisibles.pxd.
"""

from libc.stdint cimport uint8_t, uint32_t

from spm_lite.base.unicode.ranges import invisible_ranges, ranges_of

cdef enum:
    PAGE = 256
    N_PAGES = 0x1100    # pages of 256 code points up to U+10FFFF
    MAX_STORED = 64     # pages that hold an invisible character, equal ones once; page 0 holds none

cdef uint8_t page_of[N_PAGES]               # code point >> 8 -> its page in `kinds`
cdef uint8_t kinds[MAX_STORED * PAGE]       # a kind per code point of a page


cdef uint8_t invisible_kind(uint32_t code_point) noexcept nogil:
    """Return the kind of a code point; VISIBLE for any other number."""
    if code_point > 0x10FFFF:
        return VISIBLE
    return kinds[<uint32_t> page_of[code_point >> 8] << 8 | (code_point & 0xFF)]


def read_kinds() -> dict[int, bytearray]:
    """The pages that hold an invisible character, from the generated ranges: a kind for each code point."""
    pages = {}
    for kind, ranges in ((BLANK_SIGN, invisible_ranges.BLANK), (IGNORABLE, invisible_ranges.IGNORABLE)):
        for first, last in ranges_of(ranges):
            for code_point in range(first, last + 1):
                page = pages.setdefault(code_point // PAGE, bytearray(PAGE))
                page[code_point % PAGE] = kind
    return pages


def fill_pages() -> None:
    """Keep each distinct page once."""
    places = {bytes(PAGE): 0}
    for page, content in read_kinds().items():
        place = places.setdefault(bytes(content), len(places))
        if place >= MAX_STORED:
            raise OverflowError(f"more than {MAX_STORED} pages hold invisible characters")
        for i, kind in enumerate(content):
            kinds[place * PAGE + i] = kind
        page_of[page] = place


fill_pages()
