"""Finds the kind of a code point: in a table up to U+FFFF, above that in a list of ranges. Filled at import.

Header: bert_words.pxd.
"""

from libc.stdint cimport uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.ranges import bert_ranges, ranges_of

cdef enum:
    N_DIRECT = 0x10000      # code points with a kind of their own; the others are found in the ranges

cdef uint8_t kinds[N_DIRECT]
cdef vector[uint32_t] firsts        # of the ranges above
cdef vector[uint32_t] lasts
cdef vector[uint8_t] range_kinds


cdef uint8_t bert_kind(uint32_t code_point) noexcept nogil:
    """Return the kind of a code point; PART_OF_WORD for any other number."""
    cdef size_t i
    if code_point < N_DIRECT:
        return kinds[code_point]
    for i in range(firsts.size()):
        if firsts[i] <= code_point <= lasts[i]:
            return range_kinds[i]
    return PART_OF_WORD


def fill_kinds():
    """Fill the kinds from the generated ranges."""
    for kind, text in ((PUNCTUATION, bert_ranges.PUNCTUATION), (IDEOGRAPH, bert_ranges.IDEOGRAPHS)):
        for first, last in ranges_of(text):
            for code_point in range(first, min(last + 1, N_DIRECT)):
                kinds[code_point] = kind
            if last >= N_DIRECT:
                firsts.push_back(first)
                lasts.push_back(last)
                range_kinds.push_back(kind)


fill_kinds()
