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


def worst_errors(int n_points):
    """Return the largest errors at `n_points` numbers: absolute of log(1 + exp(x)), relative of exp(x); for tests."""
    cdef double x, worst_sum = 0, worst_exp = 0
    cdef int i
    for i in range(n_points):
        x = -26.0 * i / n_points
        worst_sum = max(worst_sum, abs(near_softplus(&tables, x) - log1p(exp(x))))
        x *= 26.9
        worst_exp = max(worst_exp, abs(near_exp(&tables, x) / exp(x) - 1))
    return worst_sum, worst_exp


def log_sum(float x, float y):
    """Return (result of log_add, result of the original's arithmetic); for tests."""
    cdef float low = min(x, y), high = max(x, y)
    return log_add(&tables, x, y), high if high > low + <float> 50.0 else exact_log_add(low, high)


def expected_sum(float sum, float count, float log_probability):
    """Return (result of add_expected, result of the original's arithmetic); for tests."""
    cdef float exact = <float> (<double> sum + <double> count * exp(<double> log_probability))
    return add_expected(&tables, sum, count, log_probability), exact
