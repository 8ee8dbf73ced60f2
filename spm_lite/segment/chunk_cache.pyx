cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from spm_lite.segment.byte_keys cimport LONG_KEY, SHORT_BYTES, fill_maker, hash_key
from spm_lite.segment.large_pages cimport Zeroed, free_zeroed, take_zeroed

cdef enum Growth:
    FIRST_LOGARITHM = 16    # 2 MB, a large page
    LOGARITHM_STEP = 1
    MAX_LOGARITHM = 24
    MAX_POOL = 1 << 30
    FIRST_POOL = 1 << 16    # words

cdef Entry NO_ENTRIES[2]        # what is fetched, for nothing, where there is no memory for others


@cython.final
cdef class CacheBudget:
    """Memory that several caches share."""

    def __init__(self, int64_t limit):
        self.limit = limit

    @property
    def n_used(self):
        """Bytes that are taken."""
        return self.used.load()

    cdef bint take(self, int64_t n_bytes) noexcept nogil:
        """Whether so many bytes were left; then they are taken."""
        if self.used.fetch_add(n_bytes) + n_bytes <= self.limit:
            return True
        self.used.fetch_add(-n_bytes)
        return False

    cdef void give_back(self, int64_t n_bytes) noexcept nogil:
        self.used.fetch_add(-n_bytes)


@cython.final
cdef class ChunkCache:
    """Entries in sets of WAYS neighbours; where a set is full, one of it gives way. One thread at a time."""

    def __cinit__(self, CacheBudget budget not None):
        self.budget = budget
        fill_maker(&self.maker)
        self.entries = NULL
        self.n_entries = 0
        self.shift = 63
        self.resize(FIRST_LOGARITHM)

    def __dealloc__(self):
        free_zeroed(&self.memory)
        if self.budget is not None:  # else a wrong argument
            self.budget.give_back(bytes_of(self.n_entries) + <int64_t> (self.pool_limit * sizeof(int32_t)))

    cdef CacheView view(self) noexcept nogil:
        cdef const Entry* entries = self.entries
        if entries == NULL:
            entries = NO_ENTRIES
        return CacheView(entries, &self.maker, self.shift)

    cdef bint resize(self, uint32_t logarithm) noexcept nogil:
        """Take an empty table of 2^logarithm entries, if budget and memory allow; the old one is left to the caller."""
        cdef uint64_t n_entries = <uint64_t> 1 << logarithm
        cdef Zeroed memory
        cdef Entry* entries
        if not self.budget.take(bytes_of(n_entries)):
            return False
        entries = <Entry*> take_zeroed((n_entries + WAYS) * sizeof(Entry), &memory)
        if entries == NULL:
            self.budget.give_back(bytes_of(n_entries))
            return False
        self.entries = entries
        self.memory = memory
        self.n_entries = n_entries
        self.shift = 64 - logarithm
        return True

    cdef int put(
        self, const Key* key, const uint8_t* text, const int32_t* ids, size_t n_ids, uint16_t limit, uint8_t flags,
        const Entry** put,
    ) except -1 nogil:
        """Keep a chunk of `text` that is not there: at most LONG_BYTES bytes, at most MOST_IDS ids.

        put: its entry, unless there is no memory for it.
        """
        cdef size_t n_key_words = 0 if key.size <= SHORT_BYTES else (<size_t> key.size + 3) // 4, k
        cdef size_t n_words = n_key_words + (0 if n_ids <= INLINE_IDS else n_ids)
        cdef Entry* entry
        if 2 * self.n_used >= self.n_entries and not self.is_grown:
            self.grow()
        if n_words > 0 and not self.make_room(n_words):
            return 0
        entry = self.place_for(key.hash)
        entry.low = key.low
        entry.high = key.high
        entry.limit = limit
        entry.flags = flags
        entry.n_ids = <uint8_t> n_ids
        if n_key_words > 0:
            entry.high |= self.pool.size()
            self.pool.resize(self.pool.size() + n_key_words)
            memcpy(self.pool.data() + (self.pool.size() - n_key_words), text + key.begin, key.size)
        if n_ids <= INLINE_IDS:
            for k in range(n_ids):
                entry.ids[k] = ids[k]
        else:
            entry.flags |= MANY_IDS
            entry.ids[0] = <int32_t> self.pool.size()
            self.pool.insert(self.pool.end(), ids, ids + n_ids)
        put[0] = entry
        return 0

    cdef bint make_room(self, size_t n_words) except -1 nogil:
        """Let the pool have room for so many words, if need be by forgetting everything; False: it cannot."""
        if self.pool.size() + n_words + 1 > self.pool_limit and not self.grow_pool():
            if self.pool_limit == 0:
                return False
            self.clear()
        if self.pool.empty():
            self.pool.push_back(0)  # so that no place in it is 0
        return True

    cdef bint grow_pool(self) except -1 nogil:
        """Make the pool twice as large, if budget and numbers of places allow."""
        cdef size_t limit = max(2 * self.pool_limit, <size_t> FIRST_POOL)
        cdef int64_t n_bytes = <int64_t> ((limit - self.pool_limit) * sizeof(int32_t))
        if limit > MAX_POOL or not self.budget.take(n_bytes):
            return False
        self.pool_limit = limit
        self.pool.reserve(limit)  # left to itself it would take more than that
        return True

    cdef Entry* place_for(self, uint64_t hash) noexcept nogil:
        """A free entry of the set, or one that gives way."""
        cdef Entry* entry = self.entries + (hash >> self.shift)
        cdef int way
        for way in range(WAYS):
            if entry[way].high == 0:
                self.n_used += 1
                return entry + way
        return entry + (hash & (WAYS - 1))

    cdef int grow(self) except -1 nogil:
        """Move to a larger table, if there may be one; else the old one goes on, and gives way."""
        cdef Entry* old = self.entries
        cdef Zeroed old_memory = self.memory
        cdef uint64_t n_old = self.n_entries, i
        cdef uint32_t logarithm = 64 - self.shift + LOGARITHM_STEP
        if logarithm > MAX_LOGARITHM or not self.resize(logarithm):
            self.is_grown = True
            return 0
        self.n_used = 0
        for i in range(n_old + WAYS):
            if old[i].high:
                self.place_for(hash_key(old[i].low, key_part(old[i].high)))[0] = old[i]
        free_zeroed(&old_memory)
        self.budget.give_back(bytes_of(n_old))
        return 0

    cdef void clear(self) noexcept nogil:
        """Forget everything."""
        memset(self.entries, 0, (self.n_entries + WAYS) * sizeof(Entry))
        self.pool.clear()
        self.n_used = 0


cdef inline uint64_t key_part(uint64_t high) noexcept nogil:
    """What `make_key` gave: without the place in the pool."""
    return high if high >> 56 != LONG_KEY else high >> 32 << 32


cdef inline int64_t bytes_of(uint64_t n_entries) noexcept nogil:
    """What a table of so many entries takes."""
    return <int64_t> (n_entries * sizeof(Entry))
