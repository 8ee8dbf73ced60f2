"""Chunks of normalized text whose ids are known: a bounded table from bytes to ids."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from spm_lite.base.structures.byte_keys cimport LONG_KEY, SHORT_BYTES, KeyMaker, hash_key, hash_long, read_key
from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.system.memory_budget cimport MemoryBudget
from spm_lite.base.system.pages cimport ZeroedMemory


cdef enum:
    LONG_BYTES = 127        # longer chunks are not kept
    INLINE_IDS = 3
    MOST_IDS = 255
    WAYS = 8                # entries that are looked at; behind the last one comes the first


cdef enum:
    NO_KEY = <uint64_t> 0xFFFFFFFFFFFFFFFF      # in place of `high`: of a chunk that is too long to be kept


cdef struct Entry:
    # 32 bytes; one whose `high` is 0 is free. No place in the pool is 0.
    uint64_t low            # of its key; of a long chunk a hash
    uint64_t high           # of its key; of a long chunk LONG_KEY, size, place in the pool
    int32_t ids[3]          # or, if there are more, the first is their place in the pool
    uint16_t limit          # see `pack_limit`
    uint8_t n_ids
    uint8_t flags           # EntryFlag; 0 for most


cdef enum:
    BEGINS_UNKNOWN = 1      # the first id stands for a run of unknown characters
    ENDS_UNKNOWN = 2        # the last one does
    LONE_UNKNOWN = 4        # Unigram: the chunk is one unknown character
    MANY_IDS = 8            # they are in the pool


cdef struct Key:
    # A chunk as it is looked up.
    uint64_t low
    uint64_t high
    const Entry* home       # where it is looked for first, until the table grows
    int32_t begin           # its place in the text
    int32_t size


cdef struct CacheView:
    # What the hot loop knows of a ChunkCache that does not change meanwhile.
    const Entry* entries    # to be fetched; two that nobody looks at if there was no budget
    const KeyMaker* maker
    uint32_t shift


@cython.final
cdef class ChunkCache:
    cdef MemoryBudget budget
    cdef KeyMaker maker             # with seeds that nobody knows: no text can be made whose chunks share one place
    cdef Entry* entries             # NULL: there was no budget
    cdef ZeroedMemory memory              # the memory that they are in
    cdef uint32_t shift             # 64 minus the logarithm of their number
    cdef uint64_t n_entries
    cdef uint64_t n_used
    cdef uint64_t n_new             # chunks that were solved for it since others have learned from it
    cdef bint is_grown              # it cannot grow any more
    cdef Int32Array pool            # bytes of long chunks, ids beyond an entry's; from 1 on. Its room is the budget's

    cdef void take_table(self) noexcept nogil
    cdef int put(
        self, const Key* key, const uint8_t* text, const int32_t* ids, size_t n_ids, uint16_t limit, uint8_t flags,
        const Entry** put,
    ) except -1 nogil
    cdef int merge_from(self, ChunkCache other) except -1 nogil
    cdef bint make_room(self, size_t n_words) noexcept nogil
    cdef bint has_room(self, size_t n_words) noexcept nogil
    cdef bint grow_pool(self) noexcept nogil
    cdef Entry* place_for(self, uint64_t hash) noexcept nogil
    cdef void grow(self) noexcept nogil
    cdef void spread(self, uint64_t n_old) noexcept nogil
    cdef void put_home(self, const Entry* entry) noexcept nogil
    cdef void clear(self) noexcept nogil


# maker: the same for caches that learn from each other.
cdef ChunkCache new_cache(MemoryBudget budget, const KeyMaker* maker)

cdef Entry NO_ENTRIES[2]        # what is fetched, for nothing, where there is no memory for others


cdef inline CacheView view_of(ChunkCache cache) noexcept nogil:
    """What there is until the table grows."""
    cdef const Entry* entries = cache.entries
    if entries == NULL:
        entries = NO_ENTRIES
    return CacheView(entries, &cache.maker, cache.shift)


cdef inline void find_home(const CacheView* cache, Key* key) noexcept nogil:
    key.home = cache.entries + (hash_key(key.low, key.high) >> cache.shift)


cdef inline void make_key(
    const CacheView* cache, const uint8_t* text, int32_t begin, int32_t end, Key* key,
) noexcept nogil:
    """The key of a chunk of `text`, its entry fetched. KEY_BYTES from `begin`, which is not `end`, must be readable."""
    cdef int32_t size = end - begin
    cdef uint64_t low = 0, high = <uint64_t> NO_KEY
    key.begin = begin
    key.size = size
    if size <= SHORT_BYTES:
        read_key(cache.maker, text + begin, size, &low, &high)
    elif size <= LONG_BYTES:
        low = hash_long(cache.maker, text + begin, size)
        high = <uint64_t> LONG_KEY << 56 | <uint64_t> size << 32
    key.low = low
    key.high = high
    find_home(cache, key)
    prefetch(key.home)


cdef inline const Entry* second_entry(const Entry* entries, uint32_t shift, const Key* key) noexcept nogil:
    """Where a chunk is that found its first place taken, if it is not further away: sooner than by `find_entry`."""
    return entries + (<uint64_t> (key.home - entries) + 1 & <uint64_t> 0xFFFFFFFFFFFFFFFF >> shift)


cdef inline const Entry* find_entry(
    const Entry* entries, uint32_t shift, const int32_t* pool, const Key* key, const uint8_t* text,
) noexcept nogil:
    """The entry of a chunk of `text`; NULL: there is none."""
    cdef uint64_t home = <uint64_t> (key.home - entries), last = <uint64_t> 0xFFFFFFFFFFFFFFFF >> shift, way
    cdef const Entry* entry
    for way in range(WAYS):
        entry = entries + (home + way & last)
        if entry.high == 0:
            return NULL  # chunks are put into the first free entry, and none gets free again
        if entry.low == key.low:
            if entry.high == key.high and key.size <= SHORT_BYTES:
                return entry
            if key.size > SHORT_BYTES and entry.high >> 32 == key.high >> 32 and memcmp(
                pool + <uint32_t> entry.high, text + key.begin, key.size
            ) == 0:
                return entry
    return NULL


cdef inline const int32_t* ids_of(const Entry* entry, const int32_t* pool) noexcept nogil:
    """The first of its `n_ids` ids."""
    if entry.flags & MANY_IDS:
        return pool + entry.ids[0]
    return &entry.ids[0]


cdef inline uint16_t pack_limit(float limit) noexcept nogil:
    """The upper half of a float of 0 or more: the nearest such number that is not greater."""
    cdef uint32_t bits = 0
    memcpy(&bits, &limit, 4)
    return <uint16_t> (bits >> 16)


cdef inline float unpack_limit(uint16_t packed) noexcept nogil:
    cdef uint32_t bits = <uint32_t> packed << 16
    cdef float limit = 0
    memcpy(&limit, &bits, 4)
    return limit
