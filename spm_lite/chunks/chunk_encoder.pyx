cimport cython
from libc.math cimport HUGE_VAL, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport fill_maker
from spm_lite.base.system.arrays cimport Int32Array, reserve_values
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.chunks.chunk_cache cimport (
    BEGINS_UNKNOWN, ENDS_UNKNOWN, INLINE_IDS, LONE_UNKNOWN, LONG_BYTES, MANY_IDS, MOST_IDS, CacheView, ChunkCache,
    Entry, Key, find_entry, find_home, ids_of, new_cache, pack_limit, second_entry, unpack_limit, view_of,
)
from spm_lite.chunks.chunk_cutter cimport ChunkCutter, is_cut, start_at
from spm_lite.chunks.speculative cimport AHEAD_LIMIT, SpeculativeRun, add_chunk, end_stretch
from spm_lite.segment.bpe cimport BpeSegmenter
from spm_lite.segment.byte_fallback cimport ByteFallback
from spm_lite.segment.segmenter cimport Segmenter, Token, look_around
from spm_lite.segment.unigram cimport UnigramScratch, UnigramSegmenter


cdef bint can_cut(Segmenter segmenter):
    """Whether the chunks of a text can be segmented one by one.

    Not in words, which are known as a whole or not at all, and not in BPE with UNUSED pieces, whose parts depend on
    the whole text. Characters need no help.
    """
    if not segmenter.compact:
        return False
    if isinstance(segmenter, BpeSegmenter):
        return not (<BpeSegmenter> segmenter).has_unused
    return isinstance(segmenter, UnigramSegmenter)


@cython.final
cdef class ChunkScratch:
    """Buffers of one call or one thread."""

    cdef void start(self) noexcept nogil:
        """Be ready for a new text."""
        start_at(&self.cut, 0)
        self.cut.is_whole = True
        self.checked = 0
        self.was_unknown = False
        self.score = RunningScore(0.0, 0, 0.0)
        self.is_ahead = False

    cdef int32_t drop_done(self) noexcept nogil:
        """Be ready for the same text without what is done of it; tell how many bytes that are.

        Where more is to follow, at least one character stays: whether the last one ends a chunk is not known.
        """
        cdef int32_t n_done = self.cut.begin
        self.cut.begin = 0
        self.cut.scan.pos -= n_done
        self.checked -= n_done
        return n_done

    cdef void forget_text(self) noexcept nogil:
        """Give the memory back that grows with a chunk."""
        self.tokens = vector[Token]()
        self.ids = vector[int32_t]()
        self.runs = vector[SpeculativeRun]()


@cython.final
cdef class ChunkEncoder:
    """Looks up the chunks of a text, and segments those that are new.

    BPE: merges on both sides of a cut do not know of each other. Unigram: every path passes the cut, but scores are
    added in single precision from the start of the text, so that a near tie inside a chunk can depend on the sum
    before it. A chunk is kept with the limit up to which it does not (`UnigramSegmenter.find_ids`); beyond, it is
    segmented from the true sum, which is added up only then.
    """

    def __init__(self, Segmenter segmenter not None, ByteFallback fallback not None, MemoryBudget budget not None):
        self.segmenter = segmenter
        self.unigram = segmenter if isinstance(segmenter, UnigramSegmenter) else None
        self.bpe = segmenter if isinstance(segmenter, BpeSegmenter) else None
        self.fallback = fallback
        self.cutter = ChunkCutter(segmenter)
        self.budget = budget
        fill_maker(&self.maker)

    cdef ChunkScratch new_scratch(self):
        self.cutter.prepare()
        scratch = ChunkScratch()
        scratch.cache = new_cache(self.budget, &self.maker)
        scratch.scratch = self.segmenter.new_scratch()
        return scratch

    cdef int append_ids(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """Add the ids of a normalized text."""
        cdef size_t n_first = ids.size
        scratch.start()
        return self.append_more(text, size, scratch, ids, n_first)

    cdef int append_more(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Add the ids of chunks up to the end of `text`, or to the last that is known to end in it.

        Where more is to follow, `text` ends with a whole character. n_first: where the ids of the text begin.
        """
        while self.append_next(text, size, scratch, ids, n_first):
            pass
        return 0

    cdef int encode_speculatively(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """Add the ids of a part of a text, Unigram, before it is known what stands in front of it.

        `scratch.runs` tell up to which score there they hold; some chunks have none. Each unknown character has
        ids of its own. ids: empty.
        """
        scratch.start()
        scratch.is_ahead = True
        scratch.runs.clear()
        scratch.score.bound = <double> AHEAD_LIMIT
        while self.append_next(text, size, scratch, ids, 0):
            end_stretch(scratch.runs, scratch.cut.begin, ids.size)
            scratch.score.bound = <double> AHEAD_LIMIT
        return 0

    cdef int append_between(
        self, const uint8_t* text, int32_t begin, int32_t end, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Add the ids from one place on where the text may be cut up to another; what is before it is done."""
        start_at(&scratch.cut, begin)
        return self.append_more(text, end, scratch, ids, n_first)

    cdef int64_t count_ids(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """How many `append_ids` would add; `ids` is written over, but does not grow with the text."""
        cdef int64_t n_ids
        ids.size = 0
        scratch.start()
        n_ids = self.count_more(text, size, scratch, ids)
        return n_ids + <int64_t> ids.size

    cdef int64_t count_more(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """Do what `append_more` does, but empty `ids` when there are many; tell how many were taken out."""
        cdef int64_t n_ids = 0
        while self.append_next(text, size, scratch, ids, 0):
            if ids.size > COUNTED_IDS:
                if self.unigram is not None:
                    self.add_scores(scratch, ids.data, ids.size)
                    scratch.score.n_added = 0
                n_ids += <int64_t> ids.size
                ids.size = 0
        return n_ids

    cdef inline bint append_next(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Add the ids of the next chunks; False: there are none.

        n_first: where the ids of the text begin.
        """
        cdef CacheView cache
        cdef int n_chunks
        if is_cut(&scratch.cut, size):
            return False
        cache = view_of(scratch.cache)
        n_chunks = self.cutter.next_keys(text, size, &cache, &scratch.cut, scratch.keys)
        self.append_block(text, n_chunks, scratch, ids, n_first)
        if scratch.cut.begin - scratch.checked > SIGNAL_BYTES:
            scratch.checked = scratch.cut.begin
            look_around(scratch.scratch)
        return True

    cdef int append_block(
        self, const uint8_t* text, int n_chunks, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Add the ids of chunks whose keys are made. n_first: where the ids of the text begin."""
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
                # Nearly all chunks of most texts end here.
                while key < end:
                    entry = key.home
                    if entry.low != key.low or entry.high != key.high:
                        entry = second_entry(entries, shift, key)
                        if entry.low != key.low or entry.high != key.high:
                            entry = find_entry(entries, shift, pool, key, text)
                            if entry == NULL:
                                break
                    # Of many ids those that there is room for: the chunks that are left have their STORED_IDS each.
                    if entry.flags != 0 and not (
                        entry.flags == MANY_IDS and out + entry.n_ids + (end - key) * <int> STORED_IDS <= room_end
                    ):
                        break
                    if is_unigram:
                        if not bound < unpack_limit(entry.limit):
                            break
                        bound += 1 + <double> entry.n_ids * greatest_score
                    if entry.flags == 0:
                        memcpy(out, entry.ids, STORED_IDS * sizeof(int32_t))  # more than needed, but always as many
                    else:
                        copy_ids(pool + entry.ids[0], entry.n_ids, out)
                    prefetch(out + <int> IDS_AHEAD)
                    out += entry.n_ids
                    key += 1
                if key > first:  # what is found so stands for no unknown character
                    scratch.was_unknown = False
                ids.size = out - ids.data
                scratch.score.bound = bound
                if key < end and entry != NULL and entry.flags & ~MANY_IDS and not scratch.is_ahead:
                    key = self.append_unknown(key, end, scratch, ids, n_first)
            if key < end:
                self.append_chunk(key, text, scratch, ids, n_first)
                key += 1
                if scratch.cache.shift != shift:  # it has grown
                    entries, shift = scratch.cache.entries, scratch.cache.shift
                    find_homes(scratch.cache, key, end)
        return 0

    cdef Key* append_unknown(
        self, Key* key, const Key* end, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) noexcept nogil:
        """Add the ids of chunks with unknown characters that are found at once; where others begin is returned.

        There is a table, and room for STORED_IDS of each chunk.
        """
        cdef const Entry* entry
        while key < end:
            entry = key.home
            if entry.low != key.low or entry.high != key.high or entry.flags == 0 or entry.flags & MANY_IDS:
                break
            if self.unigram is not None and not scratch.score.bound < unpack_limit(entry.limit):
                break
            self.append_entry(entry, scratch, ids, n_first)
            key += 1
        return key

    cdef int append_chunk(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Add the ids of a chunk, wherever they may come from. n_first: where the ids of the text begin."""
        cdef bint is_unigram = self.unigram is not None
        cdef const Entry* entry = NULL
        self.find(key, text, scratch, &entry)
        if scratch.is_ahead:
            return self.append_unconfirmed(key, entry, scratch, ids)
        if entry != NULL and is_unigram and not scratch.score.bound < unpack_limit(entry.limit):
            self.add_scores(scratch, ids.data + n_first, ids.size - n_first)
            if not scratch.score.bound < unpack_limit(entry.limit):
                entry = NULL
        if entry == NULL:
            return self.append_exactly(text + key.begin, key.size, scratch, ids, n_first)
        reserve_values(ids, max(<size_t> entry.n_ids, <size_t> STORED_IDS))
        self.append_entry(entry, scratch, ids, n_first)
        return 0

    cdef int append_unconfirmed(
        self, const Key* key, const Entry* entry, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """Add the ids of a chunk, if it has any, before the score in front is known. entry: NULL: there is none."""
        cdef float limit = 0 if entry == NULL else unpack_limit(entry.limit)
        cdef bint is_unknown = entry != NULL and entry.flags & LONE_UNKNOWN != 0
        cdef bint is_apart = is_unknown or not limit > <float> AHEAD_LIMIT
        if is_apart:
            end_stretch(scratch.runs, key.begin, ids.size)
        if limit > 0:
            ids.append(ids_of(entry, scratch.cache.pool.data), entry.n_ids)
        if is_apart:
            add_chunk(scratch.runs, key.begin + key.size, ids.size, limit, is_unknown)
        return 0

    cdef int append_exactly(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Add the ids of a chunk that is not looked up. n_first: where the ids of the text begin."""
        self.solve_exactly(text, size, scratch, ids.data + n_first, ids.size - n_first)
        ids.append(scratch.ids.data(), scratch.ids.size())
        scratch.score.n_added = ids.size - n_first
        return 0

    cdef inline void append_entry(
        self, const Entry* entry, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) noexcept nogil:
        """Add the ids of a chunk. n_first: where the ids of the text begin.

        There is room for them, and for STORED_IDS at least.
        """
        cdef const int32_t* found = ids_of(entry, scratch.cache.pool.data)
        cdef int32_t* out = ids.data + ids.size
        cdef size_t n_found = entry.n_ids
        if entry.flags & LONE_UNKNOWN:
            if scratch.score.n_added < ids.size - n_first:
                self.add_scores(scratch, ids.data + n_first, ids.size - n_first)
            scratch.score.exact = self.unigram.unknown_score + scratch.score.exact
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
            memcpy(out, found, INLINE_IDS * sizeof(int32_t))  # always as many; what stands behind ids is in the entry
        ids.size += n_found
        if entry.flags & LONE_UNKNOWN:
            scratch.score.n_added = ids.size - n_first

    cdef int find(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil:
        """Let `entry` be that of a chunk, which is made if it is not there; NULL: it cannot be kept."""
        entry[0] = NULL
        if key.size > LONG_BYTES or scratch.cache.entries == NULL:
            return 0
        entry[0] = find_entry(scratch.cache.entries, scratch.cache.shift, scratch.cache.pool.data, key, text)
        if entry[0] == NULL:
            self.solve(key, text, scratch, entry)
        return 0

    cdef int solve(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil:
        """Put a chunk into the cache, with its ids unless they have to be found anew each time."""
        cdef const uint8_t* chunk = text + key.begin
        cdef float limit = <float> HUGE_VAL
        cdef int32_t ids[LONG_BYTES]
        cdef int32_t n_ids = 0
        scratch.cache.n_new += 1
        if self.bpe is not None:
            n_ids = self.bpe.merge_short(chunk, key.size, ids)
        elif self.unigram is not None:
            n_ids = self.unigram.find_ids(chunk, key.size, <UnigramScratch> scratch.scratch, ids, &limit)
        if n_ids > 0 or limit == 0:
            return scratch.cache.put(key, text, ids, n_ids, pack_limit(limit), 0, entry)
        return self.solve_any(key, text, limit, scratch, entry)

    cdef int solve_any(
        self, const Key* key, const uint8_t* text, float limit, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil:
        """The same where ids are not all: characters may be unknown. Unigram: one is, the path is found already."""
        cdef const uint8_t* chunk = text + key.begin
        cdef uint8_t flags = 0
        cdef bint is_unknown = False
        scratch.ids.clear()
        if self.unigram is None:
            self.segmenter.segment(chunk, key.size, scratch.scratch, scratch.tokens)
        else:
            self.unigram.find_tokens(<UnigramScratch> scratch.scratch, scratch.tokens)
            if scratch.tokens.size() == 1:
                flags |= LONE_UNKNOWN
            else:
                limit = 0  # its ids do not tell how many scores there are to add
        if limit > 0:
            self.fallback.append(chunk, scratch.tokens, &is_unknown, scratch.ids)
        if self.fallback.merges_unknown and not scratch.ids.empty():
            if scratch.ids.front() == self.segmenter.vocab.unknown_index:
                flags |= BEGINS_UNKNOWN
            if is_unknown:
                flags |= ENDS_UNKNOWN
        if scratch.ids.size() > MOST_IDS:
            return 0
        return scratch.cache.put(key, text, scratch.ids.data(), scratch.ids.size(), pack_limit(limit), flags, entry)

    cdef int solve_exactly(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, const int32_t* ids, size_t n_ids,
    ) except -1 nogil:
        """Let `scratch.ids` be those of a chunk behind the `n_ids` ids of the text so far."""
        scratch.ids.clear()
        if self.unigram is None:
            self.segmenter.segment(text, size, scratch.scratch, scratch.tokens)
        else:
            self.add_scores(scratch, ids, n_ids)
            self.unigram.segment_from(
                text, size, &scratch.score.exact, <UnigramScratch> scratch.scratch, scratch.tokens
            )
            scratch.score.bound = fabs(scratch.score.exact)
        return self.fallback.append(text, scratch.tokens, &scratch.was_unknown, scratch.ids)

    cdef double greatest_sum(self, size_t n_ids) noexcept nogil:
        """What the scores of so many ids add up to at most, by absolute value, and by as much their sum is rounded."""
        return <double> n_ids * (1 + self.unigram.greatest_score)

    cdef void add_scores(self, ChunkScratch scratch, const int32_t* ids, size_t n_ids) noexcept nogil:
        """Bring the running score up to the last id. (All that are added here are pieces.)"""
        cdef const float* path_scores = self.unigram.path_scores.data()
        cdef float sum = scratch.score.exact
        cdef size_t i
        for i in range(scratch.score.n_added, n_ids):
            sum = path_scores[ids[i]] + sum
        scratch.score = RunningScore(sum, n_ids, fabs(sum))


cdef inline void copy_ids(const int32_t* ids, int32_t n, int32_t* out) noexcept nogil:
    """Ids from the pool of a cache; up to STORED_IDS - 1 behind them are read (see POOL_SLACK) and written too."""
    cdef int32_t k = 0
    while k < n:
        memcpy(out + k, ids + k, STORED_IDS * sizeof(int32_t))
        k += STORED_IDS


cdef void find_homes(ChunkCache cache, Key* key, const Key* end) noexcept nogil:
    """Let keys that were made before the table has grown know where they are looked for now."""
    cdef CacheView view = view_of(cache)
    while key < end:
        find_home(&view, key)
        key += 1
