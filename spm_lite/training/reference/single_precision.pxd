"""Sums of probabilities in single precision, rounded as the original rounds them.

The original computes in double precision and rounds the result to single precision. Here an approximation with a known
error comes first. If all numbers within the error round to the same float, that is the result. The rest, one in
thousands, is computed as the original does.
"""

from libc.math cimport exp, log1p
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy


cdef enum:
    STEPS_PER_UNIT = 16         # steps of the table of log(1 + exp(x)) per unit of x
    N_UNITS = 24                # the table covers -24 < x <= 0; below, the value is less than its error
    N_TERMS = 5                 # coefficients of each polynomial
    N_ROOTS = 64                # powers 2^(k / 64)


cdef struct PrecisionTables:
    double softplus[STEPS_PER_UNIT * N_UNITS + 1][N_TERMS]      # per step, around its middle; lowest term first
    double roots[N_ROOTS]


cdef const PrecisionTables* precision_tables() noexcept nogil

cdef extern from *:
    """
    static const double SPM_LITE_SOFTPLUS_ERROR = 2e-10;        // absolute
    static const double SPM_LITE_EXP_ERROR = 1e-11;             // relative
    """
    const double SOFTPLUS_ERROR "SPM_LITE_SOFTPLUS_ERROR"
    const double EXP_ERROR "SPM_LITE_EXP_ERROR"


cdef inline float exact_log_add(float low, float high) noexcept nogil:
    return <float> (<double> high + log1p(exp(<double> (low - high))))


cdef inline double near_softplus(const PrecisionTables* tables, double x) noexcept nogil:
    """Return log(1 + exp(x)) for x <= 0, to SOFTPLUS_ERROR."""
    cdef const double* terms
    cdef int32_t step
    if not x > -N_UNITS:
        return 0 if x <= -N_UNITS else x  # NaN stays NaN
    step = <int32_t> (x * -STEPS_PER_UNIT)
    terms = tables.softplus[step]
    x += (step + 0.5) / STEPS_PER_UNIT
    return terms[0] + x * (terms[1] + x * (terms[2] + x * (terms[3] + x * terms[4])))


cdef inline float log_add(const PrecisionTables* tables, float x, float y) noexcept nogil:
    """Return log(exp(x) + exp(y)); exactly `y` if `x` is minus infinity."""
    cdef float low = y if y < x else x, high = y if x < y else x
    cdef double sum
    cdef float least, greatest
    if high > low + <float> 50.0:
        return high
    sum = <double> high + near_softplus(tables, <double> (low - high))
    least = <float> (sum - SOFTPLUS_ERROR)
    greatest = <float> (sum + SOFTPLUS_ERROR)
    return least if least == greatest else exact_log_add(low, high)


cdef inline double near_exp(const PrecisionTables* tables, double x) noexcept nogil:
    """Return exp(x) for -700 < x < 1, to EXP_ERROR."""
    cdef int64_t n = <int64_t> (x * 92.33248261689366 - 0.5)    # 64 / log(2)
    cdef uint64_t bits = <uint64_t> ((n >> 6) + 1023) << 52
    cdef double power = 0
    memcpy(&power, &bits, 8)
    x -= <double> n * 0.010830424696249145                      # log(2) / 64
    return power * tables.roots[n & 63] * (1 + x * (1 + x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24)))))


cdef inline float add_expected(
    const PrecisionTables* tables, float sum, float count, float log_probability,
) noexcept nogil:
    """Return sum + count * exp(log_probability)."""
    cdef double share, error
    cdef float least, greatest
    if -700 < log_probability < 1:
        share = <double> count * near_exp(tables, <double> log_probability)
        error = share * EXP_ERROR
        least = <float> (<double> sum + (share - error))
        greatest = <float> (<double> sum + (share + error))
        if least == greatest:
            return least
    return <float> (<double> sum + <double> count * exp(<double> log_probability))
