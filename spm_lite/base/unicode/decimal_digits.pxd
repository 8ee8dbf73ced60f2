"""Decimal digits: characters of the general category Nd, as `\\p{Nd}` of patterns has them (Unicode 16)."""

from libc.stdint cimport uint32_t


cdef bint is_decimal(uint32_t code_point) noexcept nogil    # False for any other number
