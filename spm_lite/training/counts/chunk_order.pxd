"""The canonical order of chunks: count descending, bytes ascending; sorting by it, stopped by Ctrl-C. Header only."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp
from libcpp.algorithm cimport nth_element, sort as sort_range
from libcpp.vector cimport vector

from spm_lite.base.system.signals cimport check_signals
from spm_lite.base.system.thread_tasks cimport TaskThread, is_stopped


cdef enum:
    KEYS_AT_ONCE = 1 << 18      # keys sorted, or chunks added, between two checks for Ctrl-C


cdef struct SortKey:
    # The key of one chunk for sorting: count and prefix decide nearly every comparison.
    uint64_t count
    uint64_t prefix     # the first 8 bytes of its text, big-endian, padded with NUL
    const uint8_t* text
    uint32_t size
    uint32_t hash


cdef inline uint64_t big_endian_prefix(const uint8_t* text, uint32_t size) noexcept nogil:
    cdef uint64_t prefix = 0
    cdef uint32_t i
    for i in range(8):
        prefix = prefix << 8 | (text[i] if i < size else 0)
    return prefix


cdef inline SortKey sort_key(const uint8_t* text, uint32_t size, uint64_t count, uint32_t hash) noexcept nogil:
    return SortKey(count, big_endian_prefix(text, size), text, size, hash)


ctypedef bint (*KeyOrder)(const SortKey& a, const SortKey& b) noexcept nogil


cdef inline bint is_more_frequent(const SortKey& a, const SortKey& b) noexcept nogil:
    """Whether `a` comes first in canonical order: count descending, bytes ascending."""
    if a.count != b.count:
        return a.count > b.count
    return is_less(a, b)


cdef inline bint is_less(const SortKey& a, const SortKey& b) noexcept nogil:
    """Whether `a` sorts before `b`, byte by byte; a prefix sorts before a longer text."""
    cdef uint32_t size
    cdef int order
    if a.prefix != b.prefix:
        return a.prefix < b.prefix
    size = a.size if a.size < b.size else b.size
    order = memcmp(a.text, b.text, size)
    return order < 0 or (order == 0 and a.size < b.size)


cdef struct ChunkRange:
    uint64_t begin
    uint64_t end


cdef inline int sort_keys(SortKey* keys, uint64_t size, KeyOrder order, const TaskThread* worker) except -1 nogil:
    """Sort the keys, checking for Ctrl-C; a stopped task leaves them half sorted.

    worker: the thread of the task that sorts; NULL outside of tasks.
    """
    cdef vector[ChunkRange] ranges
    cdef ChunkRange todo = ChunkRange(0, size)
    cdef uint64_t middle
    ranges.push_back(todo)
    while not ranges.empty():
        todo = ranges.back()
        ranges.pop_back()
        if todo.end - todo.begin <= KEYS_AT_ONCE:
            sort_range(keys + todo.begin, keys + todo.end, order)
        else:
            middle = todo.begin + (todo.end - todo.begin) // 2
            nth_element(keys + todo.begin, keys + middle, keys + todo.end, order)
            ranges.push_back(ChunkRange(middle, todo.end))
            ranges.push_back(ChunkRange(todo.begin, middle))
        if worker != NULL:
            if is_stopped(worker):
                return 0
        elif size > KEYS_AT_ONCE:
            check_signals()
    return 0
