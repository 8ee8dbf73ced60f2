"""Looks each chunk up and appends its ids; a chunk that is not found goes to the solver.

`encode_part` is the driver. The hot loop is the inner one of `encode_cached`. Header: chunk_encoder.pxd.
"""

cimport cython
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

from spm_lite.base.structures.byte_keys cimport fill_maker
from spm_lite.base.system.arrays cimport Int32Array, reserve_values
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.system.memory_budget cimport MemoryBudget
from spm_lite.encode.chunks.chunk_cache cimport (
    BEGINS_UNKNOWN, ENDS_UNKNOWN, INLINE_IDS, LONE_UNKNOWN, MANY_IDS, CacheView, ChunkCache, Entry, Key, find_entry,
    find_home, ids_of, new_cache, second_entry, unpack_limit, view_of,
)
from spm_lite.encode.chunks.chunk_cutter cimport ChunkCutter, is_cut
from spm_lite.encode.chunks.chunk_solver cimport ChunkScratch, ChunkSolver, add_chunk, end_run
from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.encode.segment.byte_fallback cimport ByteFallback
from spm_lite.encode.segment.pair_merges cimport PairMerges
from spm_lite.encode.segment.segmenter cimport Segmenter, look_around
from spm_lite.encode.segment.split_text cimport SplitSegmenter
from spm_lite.encode.segment.unigram cimport UnigramSegmenter
from spm_lite.encode.segment.wordpiece cimport WordPieceSegmenter


cdef bint can_cut(Segmenter segmenter):
    """Whether the chunks of a text can be segmented one by one.

    Not for word models, where a word is one piece or unknown. Not for BPE with UNUSED pieces, whose parts depend on the
    whole text, nor for some lists of merges. Character models gain nothing from chunks.
    """
    cdef PairMerges listed
    if isinstance(segmenter, SplitSegmenter):
        return segmenter.compact or (<SplitSegmenter> segmenter).cuts is not None
    if not segmenter.compact:
        return False
    if isinstance(segmenter, BpeSegmenter):
        listed = (<BpeSegmenter> segmenter).listed
        return not (<BpeSegmenter> segmenter).has_unused and not (listed is not None and listed.needs_whole)
    return isinstance(segmenter, (UnigramSegmenter, WordPieceSegmenter))


@cython.final
cdef class ChunkEncoder:
    """Encodes a text chunk by chunk: looks each chunk up in the cache and segments only new chunks.

    BPE: no merge crosses a cut. Unigram: every path passes every cut. But scores are added in single precision from
    the start of the text. So a near tie inside a chunk can depend on the sum before it. Each chunk is stored with a
    limit: up to this absolute sum its ids hold (`UnigramSegmenter.find_ids`). Beyond the limit the chunk is segmented
    again from the true sum, which is computed only then.
    """

    def __cinit__(self, Segmenter segmenter not None, ByteFallback fallback not None, MemoryBudget budget not None):
        self.solver = ChunkSolver(segmenter, fallback)
        self.unigram = self.solver.unigram
        self.cutter = ChunkCutter(segmenter)
        self.budget = budget
        fill_maker(&self.maker)

    cdef ChunkScratch new_scratch(self):
        self.cutter.prepare()
        scratch = ChunkScratch()
        scratch.cache = new_cache(self.budget, &self.maker)
        scratch.scratch = self.solver.segmenter.new_scratch()
        scratch.cuts = None if self.cutter.cuts is None else self.cutter.cuts.new_scratch()
        return scratch

    cdef int encode_part(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Append the ids of all chunks up to the end of `text`, or to the last chunk that surely ends in it.

        Call `scratch.start()` before the first part. A part that is not the last must end with a whole character.
        n_first: the index in `ids` where the ids of the text begin.
        """
        cdef CacheView cache
        cdef int n_chunks
        while not is_cut(&scratch.cut, size):
            cache = view_of(scratch.cache)
            if scratch.cuts is None:
                n_chunks = self.cutter.next_keys(text, size, &cache, &scratch.cut, scratch.keys)
            else:
                n_chunks = self.cutter.next_parts(text, size, &cache, &scratch.cut, scratch.cuts, scratch.keys)
            self.encode_cached(text, n_chunks, scratch, ids, n_first)
            if scratch.cut.begin - scratch.checked > SIGNAL_BYTES:
                scratch.checked = scratch.cut.begin
                look_around(scratch.scratch)
            if scratch.is_ahead:
                end_run(scratch.runs, scratch.cut.begin, ids.size, self.solver.ahead_limit)
                scratch.score.bound = <double> self.solver.ahead_limit
            elif scratch.is_counting and ids.size > COUNTED_IDS:
                if self.unigram is not None:
                    self.solver.add_scores(scratch, ids.data, ids.size)
                    scratch.score.n_added = 0
                scratch.n_counted += <int64_t> ids.size
                ids.size = 0
        return 0

    cdef int encode_speculatively(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """Encode a part while the preceding score is not known yet (Unigram). ids: empty.

        `scratch.runs` gets, for each run of ids, the largest preceding score for which it is valid. Runs without ids
        must be encoded again. Each unknown character has ids of its own.
        """
        scratch.start()
        scratch.is_ahead = True
        scratch.runs.clear()
        scratch.score.bound = <double> self.solver.ahead_limit
        return self.encode_part(text, size, scratch, ids, 0)

    cdef int encode_cached(
        self, const uint8_t* text, int n_chunks, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Append the ids of the first `n_chunks` of `scratch.keys`. n_first: as in `encode_part`."""
        cdef bint is_unigram = self.unigram is not None
        cdef double greatest_score = self.unigram.greatest_score if is_unigram and not scratch.is_ahead else 0
        cdef const Entry* entries = scratch.cache.entries
        cdef uint32_t shift = scratch.cache.shift
        cdef Key* key = scratch.keys
        cdef Key* end = key + n_chunks
        cdef const Key* first
        cdef const Entry* entry = NULL
        cdef const int32_t* pool
        cdef double bound
        cdef int32_t* out
        cdef int32_t* room_end
        while key < end:
            if entries != NULL:
                reserve_values(ids, <size_t> (end - key) * STORED_IDS)
                out = ids.data + ids.size
                room_end = ids.data + ids.room
                pool = scratch.cache.pool.data
                bound = scratch.score.bound
                first = key
                # This loop handles nearly all chunks of most texts.
                while key < end:
                    entry = key.home
                    if entry.low != key.low or entry.high != key.high:
                        entry = second_entry(entries, shift, key)
                        if entry.low != key.low or entry.high != key.high:
                            entry = find_entry(entries, shift, pool, key, text)
                            if entry == NULL:
                                break
                    # MANY_IDS are copied here only if STORED_IDS for each chunk that is left still have room.
                    if entry.flags != 0 and not (
                        entry.flags == MANY_IDS and out + entry.n_ids + (end - key) * <int> STORED_IDS <= room_end
                    ):
                        break
                    if is_unigram:
                        if not bound < unpack_limit(entry.limit):
                            break
                        bound += 1 + <double> entry.n_ids * greatest_score
                    if entry.flags == 0:
                        memcpy(out, entry.ids, STORED_IDS * sizeof(int32_t))  # a constant size, so more than needed
                    else:
                        copy_ids(pool + entry.ids[0], entry.n_ids, out)
                    prefetch(out + <int> IDS_AHEAD)
                    out += entry.n_ids
                    key += 1
                if key > first:  # no chunk of the loop above has unknown characters
                    scratch.was_unknown = False
                ids.size = out - ids.data
                scratch.score.bound = bound
                if key < end and entry != NULL and entry.flags & ~MANY_IDS and not scratch.is_ahead:
                    key = self.encode_unknown(key, end, scratch, ids, n_first)
            if key < end:
                self.encode_chunk(key, text, scratch, ids, n_first)
                key += 1
                if scratch.cache.shift != shift:  # it has grown
                    entries, shift = scratch.cache.entries, scratch.cache.shift
                    find_homes(scratch.cache, key, end)
        return 0

    cdef Key* encode_unknown(
        self, Key* key, const Key* end, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) noexcept nogil:
        """Append the ids of chunks with unknown characters found in their first slot; return the first key left.

        The cache must have a table, and `ids` room for STORED_IDS for each chunk.
        """
        cdef const Entry* entry
        while key < end:
            entry = key.home
            if entry.low != key.low or entry.high != key.high or entry.flags == 0 or entry.flags & MANY_IDS:
                break
            if self.unigram is not None and not scratch.score.bound < unpack_limit(entry.limit):
                break
            self.write_entry(entry, scratch, ids, n_first)
            key += 1
        return key

    cdef int encode_chunk(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Append the ids of a chunk, from the cache or segmented now. n_first: as in `encode_part`."""
        cdef bint is_unigram = self.unigram is not None
        cdef const Entry* entry = NULL
        self.solver.find(key, text, scratch, &entry)
        if scratch.is_ahead:
            return self.encode_unconfirmed(key, entry, scratch, ids)
        if entry != NULL and is_unigram and not scratch.score.bound < unpack_limit(entry.limit):
            self.solver.add_scores(scratch, ids.data + n_first, ids.size - n_first)
            if not scratch.score.bound < unpack_limit(entry.limit):
                entry = NULL
        if entry == NULL:
            return self.solver.solve_exactly(text + key.begin, key.size, scratch, ids, n_first)
        reserve_values(ids, max(<size_t> entry.n_ids, <size_t> STORED_IDS))
        self.write_entry(entry, scratch, ids, n_first)
        return 0

    cdef int encode_unconfirmed(
        self, const Key* key, const Entry* entry, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """Append the ids of a chunk, if stored, while the preceding score is unknown. entry: NULL: not in the cache."""
        cdef float limit = 0 if entry == NULL else unpack_limit(entry.limit)
        cdef bint is_unknown = entry != NULL and entry.flags & LONE_UNKNOWN != 0
        cdef bint is_apart = is_unknown or not limit > self.solver.ahead_limit
        if is_apart:
            end_run(scratch.runs, key.begin, ids.size, self.solver.ahead_limit)
        if limit > 0:
            ids.append(ids_of(entry, scratch.cache.pool.data), entry.n_ids)
        if is_apart:
            add_chunk(scratch.runs, key.begin + key.size, ids.size, limit, is_unknown)
        return 0

    cdef inline void write_entry(
        self, const Entry* entry, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) noexcept nogil:
        """Append the ids of a cache entry. n_first: as in `encode_part`.

        `ids` must have room for them, and for STORED_IDS at least.
        """
        cdef const int32_t* found = ids_of(entry, scratch.cache.pool.data)
        cdef int32_t* out = ids.data + ids.size
        cdef size_t n_found = entry.n_ids
        if entry.flags & LONE_UNKNOWN:
            if scratch.score.n_added < ids.size - n_first:
                self.solver.add_scores(scratch, ids.data + n_first, ids.size - n_first)
            scratch.score.exact = self.unigram.add(self.unigram.unknown_score, scratch.score.exact)
            scratch.score.bound = fabs(scratch.score.exact)
        elif self.unigram is not None:
            scratch.score.bound += 1 + <double> n_found * self.unigram.greatest_score
        if scratch.was_unknown and entry.flags & BEGINS_UNKNOWN:
            found += 1
            n_found -= 1
        scratch.was_unknown = entry.flags & ENDS_UNKNOWN != 0
        if entry.flags & MANY_IDS:
            memcpy(out, found, n_found * sizeof(int32_t))
        else:
            memcpy(out, found, INLINE_IDS * sizeof(int32_t))  # a constant size; the surplus is read within the entry
        ids.size += n_found
        if entry.flags & LONE_UNKNOWN:
            scratch.score.n_added = ids.size - n_first


cdef inline void copy_ids(const int32_t* ids, int32_t n, int32_t* out) noexcept nogil:
    """Copy ids from the pool. Up to STORED_IDS - 1 words after them are read (see POOL_SLACK) and written too."""
    cdef int32_t k = 0
    while k < n:
        memcpy(out + k, ids + k, STORED_IDS * sizeof(int32_t))
        k += STORED_IDS


cdef void find_homes(ChunkCache cache, Key* key, const Key* end) noexcept nogil:
    """Update the first slots of keys that were made before the table grew."""
    cdef CacheView view = view_of(cache)
    while key < end:
        find_home(&view, key)
        key += 1
