"""A flat table of one class per code point, filled at the first call of `split_classes`. Header: split_classes.pxd."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

cdef enum:
    N_CODE_POINTS = 0x110000

cdef uint8_t classes[N_CODE_POINTS]     # its pages take memory only once the table is made
cdef bint is_made = False


cdef int fill_classes() except -1:
    """Fill the table from the generated ranges. Two threads at once write the same."""
    from spm_lite.base.unicode.ranges import ranges_of, split_ranges

    for number, ranges in (
        (UPPER, split_ranges.UPPER), (LOWER, split_ranges.LOWER), (CASELESS, split_ranges.CASELESS),
        (MARK, split_ranges.MARK), (NUMBER, split_ranges.NUMBER), (WHITE, split_ranges.WHITE),
    ):
        for first, last in ranges_of(ranges):
            fill(first, last, number)
    return 0


cdef void fill(uint32_t first, uint32_t last, uint8_t number) noexcept:
    memset(classes + first, number, last - first + 1)


cdef const uint8_t* split_classes() except NULL:
    global is_made
    if not is_made:
        fill_classes()
        is_made = True
    return classes


def class_of(str character):
    """Return the class of one character, as a number."""
    return split_classes()[<uint32_t> ord(character)]
