"""The chunk cache: a bounded hash table from the bytes of a chunk of normalized text to its ids."""

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
    WAYS = 8                # slots of a set: neighbours that are searched; after the last slot comes the first


cdef enum:
    NO_KEY = <uint64_t> 0xFFFFFFFFFFFFFFFF      # `high` of a chunk that is too long to be kept


cdef struct Entry:
    # 32 bytes; the entry is free if `high` is 0. No index into the pool is 0.
    uint64_t low            # of the key; a hash if the chunk is long
    uint64_t high           # of the key; if the chunk is long: LONG_KEY, size, index into the pool
    int32_t ids[3]          # if there are more, the first is their index into the pool
    uint16_t limit          # see `pack_limit`
    uint8_t n_ids
    uint8_t flags           # BEGINS_UNKNOWN ...; 0 for most


cdef enum:
    BEGINS_UNKNOWN = 1      # the first id stands for a run of unknown characters
    ENDS_UNKNOWN = 2        # the last one does
    LONE_UNKNOWN = 4        # Unigram: the chunk is one unknown character
    MANY_IDS = 8            # they are in the pool


cdef struct Key:
    # The key of one chunk, with its offset in the text.
    uint64_t low
    uint64_t high
    const Entry* home       # its first slot; invalid after the table has grown
    int32_t begin           # byte offset in the text
    int32_t size            # bytes


cdef struct CacheView:
    # The fields of a ChunkCache that the hot loop needs; valid until the table grows.
    const Entry* entries    # to be prefetched; NO_ENTRIES if there was no budget
    const KeyMaker* maker
    uint32_t shift


@cython.final
cdef class ChunkCache:
    cdef MemoryBudget budget
    cdef KeyMaker maker             # with secret seeds: nobody can make a text whose chunks share one slot
    cdef Entry* entries             # NULL: there was no budget or no memory
    cdef ZeroedMemory memory              # holds the entries
    cdef uint32_t shift             # 64 minus log2 of n_entries
    cdef uint64_t n_entries
    cdef uint64_t n_used
    cdef uint64_t n_new             # chunks solved since other caches last copied from this one
    cdef bint is_grown              # the table cannot grow any more
    cdef Int32Array pool            # bytes of long chunks, ids of MANY_IDS entries; from index 1. Taken from the budget

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


# maker: equal for all caches that copy entries from each other.
cdef ChunkCache new_cache(MemoryBudget budget, const KeyMaker* maker)

cdef Entry NO_ENTRIES[2]        # prefetched, without use, by a cache without a table


cdef inline CacheView view_of(ChunkCache cache) noexcept nogil:
    """Return a view that is valid until the table grows."""
    cdef const Entry* entries = cache.entries
    if entries == NULL:
        entries = NO_ENTRIES
    return CacheView(entries, &cache.maker, cache.shift)


cdef inline void find_home(const CacheView* cache, Key* key) noexcept nogil:
    key.home = cache.entries + (hash_key(key.low, key.high) >> cache.shift)


cdef inline void make_key(
    const CacheView* cache, const uint8_t* text, int32_t begin, int32_t end, Key* key,
) noexcept nogil:
    """Make the key of a nonempty chunk of `text`; prefetch its entry. KEY_BYTES from `begin` must be readable."""
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
    """Return the slot after the first one: to test it is faster than `find_entry`."""
    return entries + (<uint64_t> (key.home - entries) + 1 & <uint64_t> 0xFFFFFFFFFFFFFFFF >> shift)


cdef inline const Entry* find_entry(
    const Entry* entries, uint32_t shift, const int32_t* pool, const Key* key, const uint8_t* text,
) noexcept nogil:
    """Return the entry of a chunk of `text`; NULL: there is none."""
    cdef uint64_t home = <uint64_t> (key.home - entries), last = <uint64_t> 0xFFFFFFFFFFFFFFFF >> shift, way
    cdef const Entry* entry
    for way in range(WAYS):
        entry = entries + (home + way & last)
        if entry.high == 0:
            return NULL  # chunks are put into the first free slot, and no slot is freed alone
        if entry.low == key.low:
            if entry.high == key.high and key.size <= SHORT_BYTES:
                return entry
            if key.size > SHORT_BYTES and entry.high >> 32 == key.high >> 32 and memcmp(
                pool + <uint32_t> entry.high, text + key.begin, key.size
            ) == 0:
                return entry
    return NULL


cdef inline const int32_t* ids_of(const Entry* entry, const int32_t* pool) noexcept nogil:
    """Return a pointer to the `n_ids` ids of an entry."""
    if entry.flags & MANY_IDS:
        return pool + entry.ids[0]
    return &entry.ids[0]


cdef inline uint16_t pack_limit(float limit) noexcept nogil:
    """Round a float of 0 or more down to its upper 16 bits."""
    cdef uint32_t bits = 0
    memcpy(&bits, &limit, 4)
    return <uint16_t> (bits >> 16)


cdef inline float unpack_limit(uint16_t packed) noexcept nogil:
    cdef uint32_t bits = <uint32_t> packed << 16
    cdef float limit = 0
    memcpy(&limit, &bits, 4)
    return limit
