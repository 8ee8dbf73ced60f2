"""Radix sort, least significant digit first: comparisons of many keys are mostly mispredicted branches."""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset
from libcpp.algorithm cimport sort
from libcpp.utility cimport pair
from libcpp.vector cimport vector


# A key, and the place of the item that has it.
ctypedef pair[uint64_t, uint32_t] PlacedKey


cdef enum:
    FEW = 256           # keys that are sorted by comparing them
    DIGIT_BITS = 8
    N_DIGITS = 8
    N_VALUES = 1 << DIGIT_BITS


cdef inline int digit_of(uint64_t key, int digit) noexcept nogil:
    return <int> (key >> digit * DIGIT_BITS & (N_VALUES - 1))


cdef inline int sort_keys(vector[PlacedKey]& keys, size_t begin, size_t end, vector[PlacedKey]& spare) except -1 nogil:
    """Order keys [begin, end) by what is compared, then, if they are few, by the rest.

    spare: of any size, written over.
    """
    cdef uint32_t counts[N_DIGITS][N_VALUES]
    cdef uint32_t place, next_place
    cdef size_t n = end - begin, i
    cdef uint64_t key
    cdef PlacedKey* source
    cdef PlacedKey* target
    cdef int digit, value
    if n < <size_t> FEW:
        sort(keys.begin() + begin, keys.begin() + end)
        return 0
    memset(counts, 0, sizeof(counts))
    source = keys.data() + begin
    for i in range(n):
        key = source[i].first
        for digit in range(N_DIGITS):
            counts[digit][digit_of(key, digit)] += 1
    spare.resize(n)
    target = spare.data()
    for digit in range(N_DIGITS):  # the last one counts most; equal digits keep their order
        if counts[digit][digit_of(source[0].first, digit)] == n:
            continue  # all have the same
        place = 0
        for value in range(N_VALUES):
            next_place = place + counts[digit][value]
            counts[digit][value] = place
            place = next_place
        for i in range(n):
            value = digit_of(source[i].first, digit)
            target[counts[digit][value]] = source[i]
            counts[digit][value] += 1
        source, target = target, source
    if source == spare.data():
        for i in range(n):
            target[i] = source[i]
    return 0
