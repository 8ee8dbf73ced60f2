"""Numbers of a JSON file as the package tokenizers reads them.

Its parser (serde_json) is fast and not exact: the digits become an integer, which is rounded to a double and divided by
a power of ten, rounded once more. So a quarter of all scores differ in their last bit from the number that is written.
The order of two sums that are nearly equal can depend on it.
"""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.math cimport INFINITY
from libc.stdint cimport UINT64_MAX, int64_t, uint64_t

cdef enum:
    LARGEST_POWER = 308     # of ten, that a double holds

cdef double[LARGEST_POWER + 1] POWERS

for _power in range(LARGEST_POWER + 1):
    POWERS[_power] = float(f"1e{_power}")


cdef double scaled(uint64_t digits, int64_t exponent) noexcept nogil:
    """digits * 10 ** exponent, rounded twice."""
    cdef double value = <double> digits
    while exponent < -LARGEST_POWER and value != 0:
        value /= POWERS[LARGEST_POWER]
        exponent += LARGEST_POWER
    if exponent > LARGEST_POWER:
        return value if value == 0 else INFINITY
    if exponent < -LARGEST_POWER:
        return value
    return value * POWERS[exponent] if exponent >= 0 else value / POWERS[-exponent]


def read_float(str text not None):
    """The double of a number that is no whole number, as JSON writes it.

    >>> read_float("-2.5"), read_float("1e3")
    (-2.5, 1000.0)
    """
    cdef Py_ssize_t n = 0
    cdef const char* sign = PyUnicode_AsUTF8AndSize(text, &n)
    cdef const char* end = sign + n
    cdef uint64_t digits = 0, digit
    cdef int64_t exponent = 0, written = 0
    cdef bint is_negative = sign < end and sign[0] == c"-"
    cdef bint is_full = False, has_point = False, is_below = False
    sign += is_negative
    while sign < end and sign[0] != c"e" and sign[0] != c"E":
        if sign[0] == c".":
            has_point = True
        else:
            digit = <uint64_t> (sign[0] - c"0")
            is_full = is_full or digits > (UINT64_MAX - digit) // 10
            if not is_full:
                digits = digits * 10 + digit
                exponent -= has_point
            elif not has_point:
                exponent += 1  # digits beyond the largest integer count only by their number
        sign += 1
    sign += 1
    if sign < end:
        is_below = sign[0] == c"-"
        sign += is_below or sign[0] == c"+"
        while sign < end:
            written = min(written * 10 + <int64_t> (sign[0] - c"0"), <int64_t> 1 << 40)
            sign += 1
        exponent += -written if is_below else written
    return -scaled(digits, exponent) if is_negative else scaled(digits, exponent)
