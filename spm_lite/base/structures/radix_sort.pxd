"""Radix sort, least significant digit first: comparisons of many keys are mostly mispredicted branches.

`sort_keys` sorts numbers, `sort_by_bytes` the keys of a trie.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset
from libcpp.algorithm cimport sort
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieKey


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


cdef inline bint sorts_before(const TrieKey& left, const TrieKey& right) noexcept nogil:
    """Compare as unsigned bytes; a prefix comes first."""
    cdef int32_t size = left.size if left.size < right.size else right.size
    cdef int order = memcmp(left.data, right.data, size)
    return order < 0 or (order == 0 and left.size < right.size)


cdef inline uint64_t first_bytes(const TrieKey* key) noexcept nogil:
    """The first eight bytes of a key as a number; zeros come after a shorter one."""
    cdef uint64_t number = 0
    cdef int32_t i
    for i in range(8):
        number = number << 8 | (key.data[i] if i < key.size else <uint8_t> 0)
    return number


cdef inline int sort_by_bytes(vector[TrieKey]& keys, vector[uint8_t]& texts) except -1 nogil:
    """Sort keys by their bytes; `texts` becomes the bytes of all of them, one after the other, to which they point.

    Next to each other, the texts of a large array are read twice as fast as where they were. texts: overwritten, so
    the keys do not point into it before.
    """
    cdef vector[PlacedKey] placed, spare
    cdef vector[TrieKey] ordered
    cdef size_t n = keys.size(), n_bytes = 0, i, end
    cdef TrieKey* key
    placed.reserve(n)
    for i in range(n):
        placed.push_back(PlacedKey(first_bytes(&keys[i]), <uint32_t> i))
        n_bytes += <size_t> keys[i].size
    sort_keys(placed, 0, n, spare)
    ordered.reserve(n)
    for i in range(n):
        ordered.push_back(keys[placed[i].second])
    i = 0
    while i < n:
        end = i + 1
        while end < n and placed[end].first == placed[i].first:
            end += 1
        if end - i > 1:
            sort(ordered.begin() + i, ordered.begin() + end, &sorts_before)
        i = end
    keys.swap(ordered)
    texts.clear()
    texts.reserve(n_bytes)
    for i in range(n):
        key = &keys[i]
        texts.insert(texts.end(), key.data, key.data + key.size)
        key.data = texts.data() + (texts.size() - <size_t> key.size)
    return 0
