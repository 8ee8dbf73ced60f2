"""Forward and backward sums over all segmentations of a text (Kudo 2018; Baum 1972), in probabilities.

Every `period` places the forward sums within reach are scaled by a power of two, so that the largest is about 1. The
backward sums are scaled by the same power at the same place. Every path then has the same factor, so the expected
counts need no correction. Header: forward_backward.pxd.
"""

from libc.math cimport frexp, ldexp, log
from libc.stdint cimport int32_t, int64_t, uint32_t

cdef double NEGLIGIBLE = 1e-270         # smaller forward sums count as 0, so that backward sums stay finite
cdef double LN2 = 0.6931471805599453


cdef double add_expected(
    const Chains* chains, double count, double* forward, double* backward, int32_t* exponents, double* expected,
) noexcept nogil:
    """Add the expected counts of a text that occurs `count` times; return the logarithm of the sum over its paths.

    forward, backward: length + 1 entries; exponents: one per period, at least one; expected: one per link.
    """
    cdef uint32_t length = chains.length, reach = chains.reach, period = chains.period
    cdef uint32_t n_blocks = (length + period - 1) // period
    cdef uint32_t block, begin, end
    cdef int64_t exponent = 0
    for begin in range(1, length + 1):
        forward[begin] = 0
    forward[0] = 1
    exponents[0] = 0
    for block in range(n_blocks):
        begin = block * period
        end = min(begin + period, length)
        if block > 0:
            exponents[block] = scale_forward(forward + begin, min(reach, length + 1 - begin))
            exponent += exponents[block]
        sum_forward(chains.links, chains.longest, begin, end, forward)
    backward[length] = count / forward[length]
    for block in range(n_blocks, 0, -1):
        begin = (block - 1) * period
        end = min(begin + period, length)
        sum_backward(chains.links, chains.longest, begin, end, forward, backward, expected)
        if exponents[block - 1] != 0:
            scale_backward(backward + begin, min(reach, length + 1 - begin), exponents[block - 1])
    return log(forward[length]) - <double> exponent * LN2


cdef void sum_forward(
    const PieceLink* links, const uint32_t* longest, uint32_t begin, uint32_t end, double* forward,
) noexcept nogil:
    """Extend the forward sums by the pieces that begin in [begin, end)."""
    cdef uint32_t place
    cdef double arriving
    cdef const PieceLink* link
    for place in range(begin, end):
        arriving = forward[place]
        if arriving < NEGLIGIBLE:
            forward[place] = 0
            continue
        link = links + longest[place]
        while link.length != 1:
            forward[place + link.length] += arriving * link.weight
            link = links + link.shorter
        forward[place + 1] += arriving * link.weight


cdef void sum_backward(
    const PieceLink* links, const uint32_t* longest, uint32_t begin, uint32_t end, const double* forward,
    double* backward, double* expected,
) noexcept nogil:
    """Fill the backward sum of each place in [begin, end): all paths from it to the end. Add the expected counts."""
    cdef uint32_t place = end, piece_id
    cdef double arriving, leaving, onward
    cdef const PieceLink* link
    while place > begin:
        place -= 1
        arriving = forward[place]
        leaving = 0
        if arriving != 0:
            piece_id = longest[place]
            link = links + piece_id
            while link.length != 1:
                onward = link.weight * backward[place + link.length]
                leaving += onward
                expected[piece_id] += arriving * onward
                piece_id = link.shorter
                link = links + piece_id
            onward = link.weight * backward[place + 1]
            leaving += onward
            expected[piece_id] += arriving * onward
        backward[place] = leaving


cdef int32_t scale_forward(double* forward, uint32_t n_places) noexcept nogil:
    """Scale by a power of two so that the largest sum is in [0.5, 1); return the exponent."""
    cdef double largest = 0
    cdef int exponent = 0
    cdef uint32_t i
    for i in range(n_places):
        largest = max(largest, forward[i])
    frexp(largest, &exponent)
    if exponent != 0:
        scale_backward(forward, n_places, -exponent)
    return -exponent


cdef void scale_backward(double* sums, uint32_t n_places, int32_t exponent) noexcept nogil:
    cdef double factor = ldexp(1.0, exponent)
    cdef uint32_t i
    for i in range(n_places):
        sums[i] *= factor
