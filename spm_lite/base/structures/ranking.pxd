"""Selection by nth_element: the greatest of many numbers, without sorting them; header only."""

from libc.stdint cimport uint8_t
from libcpp.algorithm cimport nth_element
from libcpp.functional cimport greater
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill


cdef inline int mark_greatest(
    const vector[double]& values, size_t begin, size_t n_best, vector[uint8_t]& is_best,
) except -1 nogil:
    """Set is_best: True for the greatest `n_best` (or all) of values[begin:], False for the rest of them.

    Among equal values the earlier ones are taken. Entries before `begin` are True.
    """
    cdef vector[double] order
    cdef double least
    cdef size_t n_ties = n_best
    cdef size_t i
    refill(is_best, values.size(), True)
    if begin + n_best >= values.size():
        return 0
    if n_best == 0:
        for i in range(begin, values.size()):
            is_best[i] = False
        return 0
    order.assign(values.begin() + begin, values.end())
    nth_element(order.begin(), order.begin() + <ptrdiff_t> (n_best - 1), order.end(), greater[double]())
    least = order[n_best - 1]
    for i in range(begin, values.size()):
        if values[i] > least:
            n_ties -= 1
    for i in range(begin, values.size()):
        if values[i] < least or (values[i] == least and n_ties == 0):
            is_best[i] = False
        elif values[i] == least:
            n_ties -= 1
    return 0
