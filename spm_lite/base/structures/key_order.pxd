"""Sorts keys of a trie by their bytes, and lays their texts out in that order; inline, header only."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieKey
from spm_lite.base.structures.radix_sort cimport PlacedKey, sort_keys


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
