"""Fills the tables of the approximation: Taylor polynomials of log(1 + exp(x)), and roots of 2.

Header: single_precision.pxd.
"""

from libc.math cimport exp, exp2, log1p
from libc.stdint cimport uint64_t

cdef PrecisionTables tables


cdef const PrecisionTables* precision_tables() noexcept nogil:
    """Return the tables, which never change."""
    return &tables


cdef int fill_tables() except -1:
    """Fill the tables: Taylor polynomials of log(1 + exp(x)) around the middle of each step, and the roots of 2."""
    cdef double x, s
    cdef double* terms
    cdef int k
    for k in range(STEPS_PER_UNIT * N_UNITS + 1):
        x = -(k + 0.5) / STEPS_PER_UNIT
        s = 1 / (1 + exp(-x))
        terms = tables.softplus[k]
        terms[0] = log1p(exp(x))
        terms[1] = s
        terms[2] = s * (1 - s) / 2
        terms[3] = s * (1 - s) * (1 - 2 * s) / 6
        terms[4] = s * (1 - s) * (1 - 6 * s * (1 - s)) / 24
    for k in range(N_ROOTS):
        tables.roots[k] = exp2(<double> k / N_ROOTS)
    return 0


fill_tables()


def rounded(uint64_t number):
    """Return a whole number in single precision, rounded once."""
    return <float> number
