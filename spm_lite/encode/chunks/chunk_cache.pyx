"""Stores and replaces chunks, and grows table and pool within the budget. Lookups are in the header.

`put` stores a chunk; `spread` moves the entries of a table that was doubled in place. Header: chunk_cache.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from spm_lite.base.structures.byte_keys cimport LONG_KEY, SHORT_BYTES, KeyMaker, hash_key
from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.memory_budget cimport MemoryBudget
from spm_lite.base.system.pages cimport free_zeroed, grow_zeroed, reserve_zeroed

cdef enum:
    FIRST_LOGARITHM = 16    # log2 of the entries: 2 MB, a large page
    MAX_LOGARITHM = 24
    MAX_POOL = 1 << 30
    FIRST_POOL = 1 << 16    # words
    POOL_SLACK = 4          # words: one before the first, and three after the last that may be read


@cython.final
cdef class ChunkCache:
    """A set-associative cache: a chunk replaces another when its set of WAYS slots is full. One thread at a time."""

    def __cinit__(self, MemoryBudget budget not None):
        self.pool = Int32Array()
        self.budget = budget  # last: until here there is nothing to give back
        self.entries = NULL
        self.n_entries = 0
        self.shift = 63
        self.take_table()

    def __dealloc__(self):
        free_zeroed(&self.memory)
        if self.budget is not None:  # None: __cinit__ got a wrong argument
            self.budget.give_back(bytes_of(self.n_entries) + <int64_t> (self.pool.room * sizeof(int32_t)))

    cdef void take_table(self) noexcept nogil:
        """Take the first table, if budget and memory allow. Reserve address space to grow it up to the budget."""
        cdef uint64_t n_entries = <uint64_t> 1 << <int> FIRST_LOGARITHM
        cdef int64_t n_bytes = bytes_of(n_entries), most = n_bytes
        if not self.budget.take(n_bytes):
            return
        while 2 * most <= min(self.budget.limit, bytes_of(<uint64_t> 1 << <int> MAX_LOGARITHM)):
            most *= 2
        self.entries = <Entry*> reserve_zeroed(n_bytes, most, &self.memory)
        if self.entries == NULL:
            self.budget.give_back(n_bytes)
            return
        self.n_entries = n_entries
        self.shift = 64 - <uint32_t> FIRST_LOGARITHM

    cdef int put(
        self, const Key* key, const uint8_t* text, const int32_t* ids, size_t n_ids, uint16_t limit, uint8_t flags,
        const Entry** put,
    ) except -1 nogil:
        """Store a chunk of `text` that is not in the cache: at most LONG_BYTES bytes and MOST_IDS ids.

        put: set to its entry; unchanged if there is no memory for it.
        """
        cdef size_t n_key_words = key_words(key.size), n_words = n_key_words + id_words(n_ids), k
        cdef Entry* entry
        if 2 * self.n_used >= self.n_entries and not self.is_grown:
            self.grow()
        if n_words > 0 and not self.make_room(n_words):
            return 0
        entry = self.place_for(hash_key(key.low, key.high))
        entry.low = key.low
        entry.high = key.high
        entry.limit = limit
        entry.flags = flags
        entry.n_ids = <uint8_t> n_ids
        if n_key_words > 0:
            entry.high |= self.pool.size
            memcpy(self.pool.data + self.pool.size, text + key.begin, key.size)
            self.pool.size += n_key_words
        if n_ids <= INLINE_IDS:
            for k in range(n_ids):
                entry.ids[k] = ids[k]
        else:
            entry.flags |= MANY_IDS
            entry.ids[0] = <int32_t> self.pool.size
            self.pool.append(ids, n_ids)
        put[0] = entry
        return 0

    cdef int merge_from(self, ChunkCache other) except -1 nogil:
        """Copy the entries of another cache with the same maker, while the table has room without growing."""
        cdef const Entry* entry = other.entries
        cdef const Entry* end = entry + other.n_entries
        cdef const Entry* put = NULL
        cdef const uint8_t* text
        cdef CacheView view = view_of(self)
        cdef Key key
        cdef size_t n_words
        while entry < end and 2 * self.n_used < self.n_entries:
            if entry.high != 0:
                text = read_key_of(entry, other.pool.data, &key)
                find_home(&view, &key)
                n_words = key_words(key.size) + id_words(entry.n_ids)
                if find_entry(self.entries, self.shift, self.pool.data, &key, text) == NULL and (
                    n_words == 0 or self.has_room(n_words)  # without room `put` would clear the cache
                ):
                    self.put(
                        &key, text, ids_of(entry, other.pool.data), entry.n_ids, entry.limit,
                        entry.flags & ~<uint8_t> MANY_IDS, &put,
                    )
            entry += 1
        return 0

    cdef bint make_room(self, size_t n_words) noexcept nogil:
        """Make room for `n_words` words in the pool, if necessary by clearing the cache; False: there is no pool."""
        if not self.has_room(n_words):
            if self.pool.room == 0:
                return False
            self.clear()
        if self.pool.size == 0:
            self.pool.size = 1  # so that no index into it is 0
        return True

    cdef bint has_room(self, size_t n_words) noexcept nogil:
        """Whether the pool has room for `n_words` words, after growing it if necessary."""
        return self.pool.size + n_words + <size_t> POOL_SLACK <= self.pool.room or self.grow_pool()

    cdef bint grow_pool(self) noexcept nogil:
        """Double the pool, if budget, memory and MAX_POOL allow; return whether it grew."""
        cdef size_t room = max(2 * self.pool.room, <size_t> FIRST_POOL)
        cdef int64_t n_bytes = <int64_t> ((room - self.pool.room) * sizeof(int32_t))
        if room > MAX_POOL or not self.budget.take(n_bytes):
            return False
        if not self.pool.take_room(room):
            self.budget.give_back(n_bytes)
            return False
        return True

    cdef Entry* place_for(self, uint64_t hash) noexcept nogil:
        """Return a free slot of the set of `hash`, or the slot to overwrite if the set is full."""
        cdef uint64_t home = hash >> self.shift, last = self.n_entries - 1
        cdef uint64_t way
        for way in range(WAYS):
            if self.entries[home + way & last].high == 0:
                self.n_used += 1
                return self.entries + (home + way & last)
        return self.entries + (home + hash % WAYS & last)

    cdef void grow(self) noexcept nogil:
        """Double the table, if size and budget allow; else keep it, and full sets lose entries from now on."""
        cdef int64_t n_more = bytes_of(self.n_entries)
        cdef void* memory = NULL
        if self.shift > 64 - <uint32_t> MAX_LOGARITHM and self.budget.take(n_more):
            memory = grow_zeroed(&self.memory, n_more, 2 * n_more)
            if memory == NULL:
                self.budget.give_back(n_more)
        if memory == NULL:
            self.is_grown = True
            return
        self.entries = <Entry*> memory
        self.n_entries *= 2
        self.shift -= 1
        self.spread(self.n_entries // 2)

    cdef void spread(self, uint64_t n_old) noexcept nogil:
        """Move the entries of a table that was doubled in place to their new slots.

        It runs from the old end to the start. An entry in slot i >= 2 WAYS had its first slot at i - WAYS + 1 or later.
        So its new first slot is at 2 (i - WAYS + 1) > i or later, where no entry waits to be moved.
        The first 2 WAYS entries, among them those of sets that wrap around, are moved last, from a copy.
        So no set has a gap before one of its entries.
        """
        cdef Entry first[2 * <int> WAYS]
        cdef Entry moved
        cdef uint64_t i = n_old
        memcpy(first, self.entries, sizeof(first))
        memset(self.entries, 0, sizeof(first))
        self.n_used = 0
        while i > 2 * <uint64_t> WAYS:
            i -= 1
            if self.entries[i].high:
                moved = self.entries[i]
                self.entries[i].high = 0
                self.put_home(&moved)
        while i > 0:
            i -= 1
            if first[i].high:
                self.put_home(&first[i])

    cdef void put_home(self, const Entry* entry) noexcept nogil:
        """Put an entry into its first slot. The entry there, which came into the old table later, moves on."""
        cdef Entry* home = self.entries + (hash_of(entry) >> self.shift)
        cdef Entry other = home[0]
        home[0] = entry[0]
        if other.high:
            self.place_for(hash_of(&other))[0] = other
        else:
            self.n_used += 1

    cdef void clear(self) noexcept nogil:
        """Remove all entries and empty the pool."""
        memset(self.entries, 0, bytes_of(self.n_entries))
        self.pool.size = 0
        self.n_used = self.n_new = 0


cdef ChunkCache new_cache(MemoryBudget budget, const KeyMaker* maker):
    cache = ChunkCache(budget)
    cache.maker = maker[0]
    return cache


cdef inline size_t key_words(int32_t size) noexcept nogil:
    """The number of pool words for the bytes of a chunk. size: bytes."""
    return 0 if size <= SHORT_BYTES else (<size_t> size + 3) // 4


cdef inline size_t id_words(size_t n_ids) noexcept nogil:
    """The number of pool words for the ids of a chunk."""
    return 0 if n_ids <= INLINE_IDS else n_ids


cdef inline const uint8_t* read_key_of(const Entry* entry, const int32_t* pool, Key* key) noexcept nogil:
    """Set `key` to the key of an entry; return the bytes of a long chunk. NULL: short, the key holds all its bytes."""
    key.low = entry.low
    key.high = high_of(entry)
    key.begin = key.size = 0
    if entry.high >> 56 != LONG_KEY:
        return NULL
    key.size = <int32_t> (entry.high >> 32 & 0xFFFFFF)
    return <const uint8_t*> (pool + <uint32_t> entry.high)


cdef inline uint64_t high_of(const Entry* entry) noexcept nogil:
    """The second word of the key of an entry, without the index into the pool."""
    return entry.high if entry.high >> 56 != LONG_KEY else entry.high >> 32 << 32


cdef inline uint64_t hash_of(const Entry* entry) noexcept nogil:
    return hash_key(entry.low, high_of(entry))


cdef inline int64_t bytes_of(uint64_t n_entries) noexcept nogil:
    """The size in bytes of a table with `n_entries` entries."""
    return <int64_t> (n_entries * sizeof(Entry))
