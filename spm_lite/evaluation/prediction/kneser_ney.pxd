"""Interpolated modified Kneser-Ney models of order 1 to 3, as KenLM builds them: counts, discounts, bits of texts.

A model is made of parts: a part has all that follows some of the symbols. So one part after the other, or several on
as many threads, give the same numbers, and only the parts at work need memory. A hash table maps the key of an n-gram
to its count.
Source: Chen and Goodman 1998; Heafield et al. 2013.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport Worker


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


cdef enum:
    MOST_ORDER = 3
    KINDS = 3           # counts of 1, of 2, of 3 and more have discounts of their own


cdef struct Context:
    # What is known of a context: sums over the symbols that follow it.
    uint32_t total          # of their counts
    uint32_t kinds[KINDS]   # how many have the count 1, 2, 3 and more


cdef struct Level:
    # What is known of all n-grams of one length.
    int64_t entries
    int64_t counts_of_counts[4]
    double discounts[KINDS + 1]     # by min(count, 3); that of 0 is 0
    bint is_fallback                # the counts of counts give no discounts


cdef struct ExactSum:
    # A sum of numbers that does not depend on their order: whole + rest / UNIT, with 0 <= rest < UNIT.
    int64_t whole
    int64_t rest


cdef struct SomeTexts:
    # Texts of a block, one after the other.
    const int32_t* ids
    const int32_t* lengths      # of each text
    const uint8_t* wanted       # of each text: whether it counts
    int64_t n_texts


@cython.final
cdef class NgramModel:
    """A model of the order n of the tokens of texts."""

    cdef readonly int order
    cdef readonly int n_parts
    cdef int32_t begin          # the symbol before a text
    cdef int32_t end            # the symbol after it
    cdef int symbol_bits
    cdef vector[int32_t] symbols        # of each id; -1: it does not occur
    cdef vector[uint16_t] part_of       # of each symbol: the part that has what follows it
    cdef vector[int64_t] unigrams       # a_1 of each symbol
    cdef vector[double] first           # p_1 of each symbol
    cdef vector[Context] follows        # of each symbol as a context; of order 1: not used
    cdef Level levels[MOST_ORDER]
    cdef double base                    # p_0

    cdef void fill_discounts(self, Level* level) noexcept nogil


@cython.final
cdef class Part(Worker):
    """One part of a model, and what it does next."""

    cdef NgramModel model
    cdef int number
    cdef int task
    cdef SomeTexts texts
    cdef uint64_t limit                 # bytes of the tables; 0: none
    cdef readonly bint is_too_large     # the limit was reached, and counting ended
    cdef bint is_known                  # the model has the sums of this part already
    cdef GramTable grams                # of the order of the model
    cdef GramTable pairs                # of order 3: (v, w) and their a_2
    cdef GramTable places               # of order 3: (u, v) -> place in `contexts` plus 1
    cdef vector[Context] contexts
    cdef vector[int64_t] unigrams       # a_1 as far as this part knows
    cdef Level levels[MOST_ORDER]
    cdef vector[ExactSum] bits          # of each text of the block

    cdef int count(self) except -1 nogil
    cdef int finish(self) except -1 nogil
    cdef int count_pairs(self, const GramTable* pairs, int b, uint64_t mask) noexcept nogil
    cdef int add_context(self, uint64_t key, uint32_t count) except -1 nogil
    cdef void add_count(self, int level, uint32_t count) noexcept nogil
    cdef int score(self) except -1 nogil
    cdef double probability(self, int32_t before, int32_t last, int32_t next) noexcept nogil
