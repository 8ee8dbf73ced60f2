"""What tests ask of `spm_lite/encode/chunks`: the places where a text is cut, and what a cache keeps."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport KEY_BYTES, KeyMaker, fill_maker
from spm_lite.base.system.memory_budget cimport MemoryBudget
from spm_lite.base.unicode.utf8 cimport BLOCK_BYTES, NO_CHAR
from spm_lite.encode.chunks.chunk_cache cimport (
    LONG_BYTES, NO_ENTRIES, CacheView, ChunkCache, Entry, Key, find_entry, ids_of, make_key, new_cache, view_of,
)
from spm_lite.encode.chunks.chunk_cutter cimport MOST_CHUNKS, ChunkCutter, CutState, is_cut
from spm_lite.encode.chunks.pair_cuts cimport PairCuts, Scan, next_ends

def always_use_context(ChunkCutter cutter not None):
    """Look for more cuts than pairs of characters tell, whatever the vocabulary and the texts.

    Before the first text.
    """
    cutter.sparse_bytes = 0


def always_judge_spaces(ChunkCutter cutter not None):
    """Judge places before spaces, however few pieces cross one. Before the first text."""
    cutter.least_splits = 1


def cuts(ChunkCutter cutter not None, bytes text not None, *, bint is_whole=True) -> list:
    """Where chunks of a compact text end, in bytes.

    is_whole: no more text may follow. Else the last chunk has no end yet.
    """
    cdef int32_t size = <int32_t> len(text), k, n_chunks
    cdef vector[uint8_t] padded = text + bytes(BLOCK_BYTES)
    cdef CutState state = CutState(0, 0, Scan(0, NO_CHAR), is_whole, 0, 0, 0)
    cdef Key keys[MOST_CHUNKS]
    cdef KeyMaker maker
    cdef CacheView cache = CacheView(&NO_ENTRIES[0], &maker, 63)
    cdef list places = []
    fill_maker(&maker)
    cutter.prepare()
    while not is_cut(&state, size):
        n_chunks = cutter.next_keys(padded.data(), size, &cache, &state, keys)
        for k in range(n_chunks):
            places.append(keys[k].begin + keys[k].size)
    return places


def pair_cuts(PairCuts pairs not None, bytes text not None) -> list:
    """The places in a compact text where it may be cut, its end included: byte offsets."""
    cdef int32_t size = <int32_t> len(text)
    cdef vector[uint8_t] padded = text + bytes(BLOCK_BYTES)
    cdef Scan scan = Scan(0, NO_CHAR)
    cdef int32_t ends[BLOCK_BYTES]
    cdef int32_t* end
    cdef Py_ssize_t k
    places = []
    while scan.pos < size:
        end = next_ends(&pairs.view, padded.data(), size, &scan, ends)
        for k in range(end - ends):
            places.append(ends[k])
    return [*places, size] if size else []


def keep_all(list chunks not None, int64_t cache_bytes) -> list:
    """Put `chunks` into a cache, the k-th one with 1 + k % 5 times the id k; what it finds then.

    chunks: bytes, 1 to LONG_BYTES of them. Raises ValueError if the cache has no memory at all.
    """
    cdef KeyMaker maker
    fill_maker(&maker)
    cdef ChunkCache cache = cache_of(cache_bytes, &maker)
    put_chunks(cache, chunks, 0)
    return find_chunks(cache, chunks)


def merge_all(list chunks not None, list others not None, int64_t cache_bytes) -> tuple:
    """The same of two caches, where ids go on in the other one; what each finds of all when both have learned."""
    cdef KeyMaker maker
    fill_maker(&maker)
    cdef ChunkCache cache = cache_of(cache_bytes, &maker)
    cdef ChunkCache other = cache_of(cache_bytes, &maker)
    put_chunks(cache, chunks, 0)
    put_chunks(other, others, <int32_t> len(chunks))
    cache.merge_from(other)
    other.merge_from(cache)
    return find_chunks(cache, chunks + others), find_chunks(other, chunks + others)


cdef ChunkCache cache_of(int64_t cache_bytes, const KeyMaker* maker):
    cdef ChunkCache cache = new_cache(MemoryBudget(cache_bytes), maker)
    if cache.entries == NULL:
        raise ValueError(f"{cache_bytes} bytes are not enough for a cache")
    return cache


cdef int put_chunks(ChunkCache cache, list chunks, int32_t first_id) except -1:
    """Put chunks, the k-th of all with 1 + k % 5 times the id k."""
    cdef vector[uint8_t] text
    cdef vector[int32_t] ids
    cdef const Entry* entry = NULL
    cdef Key key
    cdef int32_t k
    for k, chunk in enumerate(chunks, first_id):
        make_test_key(cache, chunk, text, &key)
        ids.clear()
        ids.resize(1 + k % 5, k)
        cache.put(&key, text.data(), ids.data(), ids.size(), 0, 0, &entry)
    return 0


cdef list find_chunks(ChunkCache cache, list chunks):
    """The ids of each chunk; None: it is not there."""
    cdef vector[uint8_t] text
    cdef const Entry* entry
    cdef const int32_t* first
    cdef Key key
    cdef int32_t i
    cdef list found = []
    for chunk in chunks:
        make_test_key(cache, chunk, text, &key)
        entry = find_entry(cache.entries, cache.shift, cache.pool.data, &key, text.data())
        if entry == NULL:
            found.append(None)
            continue
        first = ids_of(entry, cache.pool.data)
        found.append([first[i] for i in range(entry.n_ids)])
    return found


cdef int make_test_key(ChunkCache cache, bytes chunk, vector[uint8_t]& text, Key* key) except -1:
    """The key of a chunk, which is copied to `text`."""
    cdef CacheView view = view_of(cache)
    if not 0 < len(chunk) <= LONG_BYTES:
        raise ValueError(f"a chunk of {len(chunk)} bytes")
    text.resize(len(chunk) + <size_t> KEY_BYTES, 0)
    memcpy(text.data(), <const char*> chunk, len(chunk))
    make_key(&view, text.data(), 0, <int32_t> len(chunk), key)
    return 0
