cimport cython
from libc.math cimport HUGE_VAL, fabs
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.segment.bpe cimport BpeSegmenter
from spm_lite.segment.chunk_cache cimport (
    BEGINS_UNKNOWN, ENDS_UNKNOWN, INLINE_IDS, LONE_UNKNOWN, LONG_BYTES, MOST_IDS, CacheBudget, ChunkCache, Entry,
    Key, find_entry, make_key, pack_limit, prefetch, unpack_limit,
)
from spm_lite.segment.emitter cimport Emitter
from spm_lite.segment.joins cimport NO_UNIT, JoinView, Joins, Scan, first_bit, next_cuts
from spm_lite.segment.segmenter cimport Segmenter, Token
from spm_lite.segment.unigram cimport UnigramScratch, UnigramSegmenter


cdef inline void set_key(
    Key* key, const uint8_t* text, int32_t begin, int32_t end, const Entry* entries, uint32_t shift, uint64_t seed,
) noexcept nogil:
    """Let `key` be that of text[begin : end], and let its entry come from memory."""
    key.begin = begin
    key.size = end - begin
    if key.size <= LONG_BYTES and entries != NULL:
        make_key(text + begin, key.size, seed, key)
        prefetch(entries + (key.hash >> shift))


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

    cdef void forget_text(self) noexcept nogil:
        """Give the memory back that grows with a chunk."""
        self.tokens = vector[Token]()
        self.ids = vector[int32_t]()


@cython.final
cdef class ChunkEncoder:
    """Cuts a text between characters that no piece joins (see `joins`), and looks the chunks up.

    BPE: merges on both sides of a cut do not know of each other. Unigram: every path passes the cut, but scores are
    added in single precision from the start of the text, so that a near tie inside a chunk can depend on the sum
    before it. A chunk is kept with the limit up to which it does not (`UnigramSegmenter.segment_alone`); beyond, it is
    segmented from the true sum, which is added up only then.
    """

    def __init__(self, Segmenter segmenter not None, Emitter emitter not None, cache_bytes):
        self.segmenter = segmenter
        self.unigram = segmenter if isinstance(segmenter, UnigramSegmenter) else None
        self.emitter = emitter
        self.joins = None
        self.budget = CacheBudget(cache_bytes)

    cdef ChunkScratch new_scratch(self):
        with cython.critical_section(self):
            if self.joins is None:  # takes longer than some programs need the model
                self.joins = Joins(self.segmenter.vocab, self.segmenter.compact)
        scratch = ChunkScratch()
        scratch.cache = ChunkCache(self.budget)
        scratch.scratch = self.segmenter.new_scratch()
        return scratch

    cdef int append_ids(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, vector[int32_t]& ids,
    ) except -1 nogil:
        """Add the ids of a normalized text."""
        cdef size_t n_first = ids.size(), n_ids = n_first
        cdef int n_chunks
        scratch.begin = 0
        scratch.scan = Scan(0, NO_UNIT)
        scratch.was_unknown = False
        scratch.score = RunningScore(0.0, 0, 0.0)
        ids.resize(n_first + <size_t> size // 2 + 16)
        while scratch.begin < size:
            n_chunks = self.cut_block(text, size, scratch)
            n_ids = self.append_block(text, n_chunks, scratch, ids, n_first, n_ids)
        ids.resize(n_ids)
        return 0

    cdef int cut_block(self, const uint8_t* text, int32_t size, ChunkScratch scratch) noexcept nogil:
        """Make the keys of the next chunks; their number is returned."""
        cdef JoinView joins = self.joins.view
        cdef const Entry* entries = scratch.cache.entries
        cdef uint32_t shift = scratch.cache.shift
        cdef uint64_t seed = scratch.cache.seed, cuts
        cdef Key* key = scratch.keys
        cdef Scan scan = scratch.scan
        cdef int32_t begin = scratch.begin, first, end
        cdef int n_chunks = 0
        while n_chunks < CHUNKS_AT_ONCE and scan.pos < size:
            first = scan.pos
            cuts = next_cuts(&joins, text, size, &scan)
            while cuts:
                end = first + first_bit(cuts)
                cuts &= cuts - 1
                set_key(&key[n_chunks], text, begin, end, entries, shift, seed)
                n_chunks += 1
                begin = end
        if scan.pos >= size:
            set_key(&key[n_chunks], text, begin, size, entries, shift, seed)
            n_chunks += 1
            begin = size
        scratch.begin = begin
        scratch.scan = scan
        return n_chunks

    cdef size_t append_block(
        self, const uint8_t* text, int n_chunks, ChunkScratch scratch, vector[int32_t]& ids, size_t n_first,
        size_t n_ids,
    ) except? 0xFFFFFFFF nogil:
        """Write the ids of the chunks behind the first `n_ids` of `ids`; how many there are now is returned.

        n_first: where the ids of the text begin.
        """
        cdef bint is_unigram = self.unigram is not None
        cdef double greatest_score = self.unigram.greatest_score if is_unigram else 0
        cdef size_t room = ids.size(), n_found
        cdef int32_t* out = ids.data()
        cdef const Entry* entry = NULL
        cdef const int32_t* found
        cdef const Key* key
        cdef int i
        for i in range(n_chunks):
            key = &scratch.keys[i]
            self.find(key, text, scratch, &entry)
            if entry != NULL and is_unigram and not scratch.score.bound < unpack_limit(entry.limit):
                self.add_scores(scratch, out + n_first, n_ids - n_first)
                if not scratch.score.bound < unpack_limit(entry.limit):
                    entry = NULL
            if entry == NULL:
                self.solve_exactly(text + key.begin, key.size, scratch, out + n_first, n_ids - n_first)
                found = scratch.ids.data()
                n_found = scratch.ids.size()
            else:
                found = &entry.ids[0]
                n_found = entry.n_ids
                if n_found > INLINE_IDS:
                    found = scratch.cache.pool.data() + entry.ids[0]
                if entry.flags & LONE_UNKNOWN:
                    self.add_scores(scratch, out + n_first, n_ids - n_first)
                    scratch.score.exact = self.unigram.unknown_score + scratch.score.exact
                    scratch.score.bound = fabs(scratch.score.exact)
                elif is_unigram:
                    scratch.score.bound += 1 + <double> n_found * greatest_score
                if scratch.was_unknown and entry.flags & BEGINS_UNKNOWN:
                    found += 1
                    n_found -= 1
                scratch.was_unknown = entry.flags & ENDS_UNKNOWN != 0
            if room - n_ids < n_found + INLINE_IDS:
                room = 2 * room + n_found
                ids.resize(room)
                out = ids.data()
            if entry != NULL and n_found <= INLINE_IDS:
                memcpy(out + n_ids, found, INLINE_IDS * sizeof(int32_t))  # more than needed, but always as many
            else:
                memcpy(out + n_ids, found, n_found * sizeof(int32_t))
            n_ids += n_found
            if entry == NULL or entry.flags & LONE_UNKNOWN:
                scratch.score.n_added = n_ids - n_first
        return n_ids

    cdef inline int find(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil:
        """Let `entry` be that of a chunk, which is made if it is not there; NULL: it cannot be kept."""
        entry[0] = NULL
        if key.size > LONG_BYTES or scratch.cache.entries == NULL:
            return 0
        entry[0] = find_entry(scratch.cache.entries, scratch.cache.shift, scratch.cache.pool.data(), key, text)
        if entry[0] == NULL:
            self.solve(key, text, scratch)
            entry[0] = find_entry(scratch.cache.entries, scratch.cache.shift, scratch.cache.pool.data(), key, text)
        return 0

    cdef int solve(self, const Key* key, const uint8_t* text, ChunkScratch scratch) except -1 nogil:
        """Put a chunk into the cache, with its ids unless they have to be found anew each time."""
        cdef const uint8_t* chunk = text + key.begin
        cdef uint8_t flags = 0
        cdef float limit = <float> HUGE_VAL
        cdef bint is_unknown = False
        scratch.ids.clear()
        if self.unigram is not None:
            limit = self.unigram.segment_alone(chunk, key.size, <UnigramScratch> scratch.scratch, scratch.tokens)
            if self.has_unknown(scratch):
                if scratch.tokens.size() == 1:
                    flags |= LONE_UNKNOWN
                else:
                    limit = 0  # its ids do not tell how many scores there are to add
        else:
            self.segmenter.segment(chunk, key.size, scratch.scratch, scratch.tokens)
        if limit > 0:
            self.emitter.append(chunk, scratch.tokens, &is_unknown, scratch.ids)
        if self.emitter.merges_unknown and not scratch.ids.empty():
            if scratch.ids.front() == self.segmenter.vocab.unknown_index:
                flags |= BEGINS_UNKNOWN
            if is_unknown:
                flags |= ENDS_UNKNOWN
        if scratch.ids.size() > MOST_IDS:
            return 0
        return scratch.cache.put(key, text, scratch.ids.data(), scratch.ids.size(), pack_limit(limit), flags)

    cdef bint has_unknown(self, ChunkScratch scratch) noexcept nogil:
        """Whether a token is an unknown character."""
        cdef size_t i
        for i in range(scratch.tokens.size()):
            if scratch.tokens[i].piece_id == self.segmenter.vocab.unknown_index:
                return True
        return False

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
        return self.emitter.append(text, scratch.tokens, &scratch.was_unknown, scratch.ids)

    cdef void add_scores(self, ChunkScratch scratch, const int32_t* ids, size_t n_ids) noexcept nogil:
        """Bring the running score up to the last id. (All that are added here are pieces.)"""
        cdef const float* path_scores = self.unigram.path_scores.data()
        cdef float sum = scratch.score.exact
        cdef size_t i
        for i in range(scratch.score.n_added, n_ids):
            sum = path_scores[ids[i]] + sum
        scratch.score = RunningScore(sum, n_ids, fabs(sum))
