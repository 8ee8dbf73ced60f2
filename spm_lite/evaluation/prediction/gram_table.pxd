"""A hash table from the key of an n-gram to a count; header only but for its memory."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill


cdef enum:
    FIRST_SLOTS = 1 << 12


cdef struct GramTable:
    # Open addressing; at most 7 of 10 slots are used.
    vector[uint64_t] keys       # plus 1; 0: the slot is free
    vector[uint32_t] counts
    uint64_t n                  # keys
    uint32_t shift              # 64 minus log2 of the slots


cdef inline uint64_t home_of(uint64_t key, uint32_t shift) noexcept nogil:
    """The first slot of a key: neighbouring keys are spread over the whole table."""
    key ^= key >> 32
    return key * <uint64_t> 0x9E3779B97F4A7C15 >> shift


cdef inline uint64_t find_slot(const GramTable* table, uint64_t key) noexcept nogil:
    """The slot of a key, or the free one where it would be put; the table has slots."""
    cdef uint64_t mask = table.keys.size() - 1, slot = home_of(key + 1, table.shift)
    cdef const uint64_t* keys = table.keys.data()
    while keys[slot] != 0 and keys[slot] != key + 1:
        slot = (slot + 1) & mask
    return slot


cdef inline uint32_t count_of(const GramTable* table, uint64_t key) noexcept nogil:
    """The count of a key; 0: it is not there."""
    if table.n == 0:
        return 0
    return table.counts.data()[find_slot(table, key)]


cdef inline int add_gram(GramTable* table, uint64_t key, uint32_t count) except -1 nogil:
    """Add to the count of a key."""
    cdef uint64_t slot
    if 10 * (table.n + 1) > 7 * table.keys.size():
        grow_table(table)
    slot = find_slot(table, key)
    if table.keys.data()[slot] == 0:
        table.keys.data()[slot] = key + 1
        table.n += 1
    table.counts.data()[slot] += count
    return 0


cdef inline int grow_table(GramTable* table) except -1 nogil:
    """Double the slots."""
    cdef vector[uint64_t] keys
    cdef vector[uint32_t] counts
    cdef uint64_t slots = max(<uint64_t> FIRST_SLOTS, 2 * <uint64_t> table.keys.size()), i, slot
    keys.swap(table.keys)
    counts.swap(table.counts)
    refill(table.keys, slots, <uint64_t> 0)
    refill(table.counts, slots, <uint32_t> 0)
    table.shift = 64
    while slots > 1:
        slots >>= 1
        table.shift -= 1
    for i in range(keys.size()):
        if keys[i] != 0:
            slot = find_slot(table, keys[i] - 1)
            table.keys.data()[slot] = keys[i]
            table.counts.data()[slot] = counts[i]
    return 0


cdef inline void drop_table(GramTable* table) noexcept nogil:
    """Free the memory."""
    table.keys = vector[uint64_t]()
    table.counts = vector[uint32_t]()
    table.n = 0


cdef inline uint64_t table_bytes(const GramTable* table) noexcept nogil:
    return table.keys.capacity() * sizeof(uint64_t) + table.counts.capacity() * sizeof(uint32_t)
