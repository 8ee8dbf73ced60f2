"""One bit for each code point, filled at import from the generated ranges. Header: decimal_digits.pxd."""

from libc.stdint cimport uint8_t, uint32_t

from spm_lite.base.unicode.ranges import named_ranges
from spm_lite.base.unicode.ranges.property_ranges import CATEGORIES

cdef enum:
    N_CODE_POINTS = 0x110000
    N_BYTES = 0x22000       # eight code points each

cdef uint8_t bits[N_BYTES]


cdef bint is_decimal(uint32_t code_point) noexcept nogil:
    return code_point < N_CODE_POINTS and bits[code_point >> 3] >> (code_point & 7) & 1


def fill_bits() -> None:
    """Set the bits of the characters of category Nd."""
    cdef uint32_t code_point
    for first, last in dict(named_ranges(CATEGORIES))["Nd"]:
        for code_point in range(first, last + 1):
            bits[code_point >> 3] |= <uint8_t> (1 << (code_point & 7))


fill_bits()
