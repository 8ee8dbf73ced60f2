"""Sums of probabilities as logarithms in single precision, rounded as the original rounds them."""

from libc.math cimport INFINITY, exp, log1p

cdef inline float log_add(float x, float y) noexcept nogil:
    """log(exp(x) + exp(y)); `y` as it is if `x` is minus infinity."""
    cdef float low = min(x, y), high = max(x, y)
    if high > low + <float> 50.0:
        return high
    return <float> (<double> high + log1p(exp(<double> (low - high))))


cdef inline float add_expected(float sum, float count, float log_probability) noexcept nogil:
    """sum + count * exp(log_probability)"""
    return <float> (<double> sum + <double> count * exp(<double> log_probability))
