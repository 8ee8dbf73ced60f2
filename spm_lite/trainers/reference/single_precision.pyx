from libc.math cimport exp, exp2, log1p
from libc.stdint cimport uint64_t


cdef PrecisionTables tables


cdef const PrecisionTables* precision_tables() noexcept nogil:
    """The tables of all functions here; they never change."""
    return &tables


cdef int fill_tables() except -1:
    """Taylor polynomials around the middle of each step, from the derivatives of log(1 + exp(x))."""
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
    """A whole number in single precision, rounded once."""
    return <float> number


def worst_errors(int n_points):
    """The largest errors met at `n_points` numbers: of log(1 + exp(x)), and of exp(x) in proportion; for tests."""
    cdef double x, worst_sum = 0, worst_exp = 0
    cdef int i
    for i in range(n_points):
        x = -26.0 * i / n_points
        worst_sum = max(worst_sum, abs(near_softplus(&tables, x) - log1p(exp(x))))
        x *= 26.9
        worst_exp = max(worst_exp, abs(near_exp(&tables, x) / exp(x) - 1))
    return worst_sum, worst_exp


def log_sum(float x, float y):
    """(the approximation's answer, the original's); for tests."""
    cdef float low = min(x, y), high = max(x, y)
    return log_add(&tables, x, y), high if high > low + <float> 50.0 else exact_log_add(low, high)


def expected_sum(float sum, float count, float log_probability):
    """The same for expected counts."""
    cdef float exact = <float> (<double> sum + <double> count * exp(<double> log_probability))
    return add_expected(&tables, sum, count, log_probability), exact
