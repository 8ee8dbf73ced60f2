"""Segments a chunk for the cache (`solve`), or under the exact score of the text before it (`solve_exactly`).

Header: chunk_solver.pxd.
"""

cimport cython
from libc.math cimport HUGE_VAL, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.chunks.chunk_cache cimport (
    BEGINS_UNKNOWN, ENDS_UNKNOWN, LONE_UNKNOWN, LONG_BYTES, MANY_IDS, MOST_IDS, CacheView, Entry, Key, find_entry,
    ids_of, make_key, pack_limit, view_of,
)
from spm_lite.encode.chunks.chunk_cutter cimport CutState
from spm_lite.encode.chunks.chunk_solver cimport AHEAD_DOUBLE, AHEAD_LIMIT, SpeculativeRun
from spm_lite.encode.chunks.pair_cuts cimport NO_CHAR, Scan
from spm_lite.encode.segment.bpe cimport BpeSegmenter, next_word
from spm_lite.encode.segment.byte_fallback cimport ByteFallback, IdsSoFar, append_text_ids
from spm_lite.encode.segment.merge_array cimport FEW_SYMBOLS
from spm_lite.encode.segment.piece_table cimport NO_NUMBER
from spm_lite.encode.segment.segmenter cimport Segmenter, Token
from spm_lite.encode.segment.split_text cimport SplitSegmenter
from spm_lite.encode.segment.unigram cimport UnigramScratch, UnigramSegmenter


@cython.final
cdef class ChunkScratch:
    """Buffers of one call or one thread."""

    cdef void start(self) noexcept nogil:
        """Prepare for a new text."""
        self.cut = CutState(0, self.cut.sparseness, Scan(0, NO_CHAR), True, 0, 0, 0)
        if self.cuts is not None:
            self.cuts.start(True)
        self.checked = 0
        self.was_unknown = False
        self.score = RunningScore(0.0, 0, 0.0)
        self.is_ahead = False
        self.is_counting = False
        self.n_counted = 0

    cdef int32_t drop_done(self) noexcept nogil:
        """Make offsets relative to the text that is left; return the bytes of encoded text that the caller drops.

        If more text follows, at least one character is left: whether it ends a chunk is not known yet.
        """
        cdef int32_t n_done = self.cut.begin
        self.cut.begin = 0
        self.cut.scan.pos -= n_done
        self.cut.patience -= n_done
        self.checked -= n_done
        if self.cuts is not None and n_done:
            self.cuts.start(False)  # places that it knows are no longer right
        return n_done

    cdef void forget_text(self) noexcept nogil:
        """Free the buffers that grow with the size of a chunk or part."""
        self.tokens = vector[Token]()
        self.ids = vector[int32_t]()
        self.runs = vector[SpeculativeRun]()


@cython.final
cdef class ChunkSolver:
    """Segments single chunks; see `ChunkEncoder` for the scores of Unigram models."""

    def __cinit__(self, Segmenter segmenter not None, ByteFallback fallback not None):
        self.split = segmenter if isinstance(segmenter, SplitSegmenter) else None
        self.unigram = segmenter if isinstance(segmenter, UnigramSegmenter) else None  # of a part, scores begin anew
        if self.split is not None:
            segmenter = self.split.inner
        self.segmenter = segmenter
        self.bpe = segmenter if isinstance(segmenter, BpeSegmenter) else None
        self.fallback = fallback
        self.ahead_limit = <float> AHEAD_LIMIT
        if self.unigram is not None and self.unigram.is_double:
            self.ahead_limit = <float> AHEAD_DOUBLE

    cdef int find(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil:
        """Set `entry` to the cache entry of a chunk; solve the chunk first if it is new. NULL: it cannot be stored."""
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
        """Segment a chunk and put it into the cache; without ids (limit 0) if they depend on the preceding score."""
        cdef const uint8_t* chunk = text + key.begin
        cdef float limit = <float> HUGE_VAL
        cdef int32_t ids[LONG_BYTES]
        cdef int32_t n_ids = 0
        cdef bint is_late = False
        scratch.cache.n_new += 1
        if self.split is not None:
            ids[0] = self.split.whole_piece(chunk, key.size)
            n_ids = ids[0] >= 0
        if self.bpe is not None and n_ids == 0:
            if self.bpe.first_joining != <uint32_t> NO_NUMBER:
                n_ids = self.merge_words(key, text, scratch, ids)
            if n_ids == 0:
                n_ids = self.bpe.merge_short(chunk, key.size, ids, &is_late)
            if n_ids > 0 and is_late:
                limit = 0
        elif self.unigram is not None:
            n_ids = self.unigram.find_ids(chunk, key.size, <UnigramScratch> scratch.scratch, ids, &limit)
        if n_ids > 0 or limit == 0:
            return scratch.cache.put(key, text, ids, n_ids, pack_limit(limit), 0, entry)
        return self.solve_unknown(key, text, limit, scratch, entry)

    cdef int32_t merge_words(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, int32_t* ids,
    ) except -1 nogil:
        """Fill `ids` with the ids of a chunk of several words, from those of its words; return their number; 0: none.

        The entry of a word that `BpeSegmenter.merge_words` cannot use has limit 0.
        """
        cdef int32_t words[LONG_BYTES]
        cdef int32_t end = key.begin + key.size, begin = key.begin, next_begin, n = 0
        cdef const Entry* entry = NULL
        cdef CacheView view
        cdef Key word
        if next_word(text + begin, key.size, 0) == key.size:
            return 0
        while begin < end:
            next_begin = begin + next_word(text + begin, end - begin, 0)
            if next_begin - begin > <int32_t> FEW_SYMBOLS:
                return 0  # `merge_short` does not tell whether it is late
            view = view_of(scratch.cache)
            make_key(&view, text, begin, next_begin, &word)
            self.find(&word, text, scratch, &entry)
            if entry == NULL or entry.limit == 0 or entry.flags & ~MANY_IDS:
                return 0
            memcpy(words + n, ids_of(entry, scratch.cache.pool.data), entry.n_ids * sizeof(int32_t))
            n += entry.n_ids
            begin = next_begin
        return self.bpe.merge_words(text + key.begin, key.size, words, n, ids)

    cdef int solve_unknown(
        self, const Key* key, const uint8_t* text, float limit, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil:
        """Solve a chunk that may have unknown characters. Unigram: it has one, and its path is found already."""
        cdef const uint8_t* chunk = text + key.begin
        cdef uint8_t flags = 0
        cdef bint is_unknown = False
        scratch.ids.clear()
        if self.split is not None:
            self.split.segment_part(chunk, key.size, scratch.scratch, scratch.tokens)
        elif self.unigram is None:
            self.segmenter.segment(chunk, key.size, scratch.scratch, scratch.tokens)
        else:
            self.unigram.find_tokens(<UnigramScratch> scratch.scratch, scratch.tokens)
            if scratch.tokens.size() == 1:
                flags |= LONE_UNKNOWN
            else:
                limit = 0  # the number of ids differs from the number of scores to add
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
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil:
        """Append the ids of a chunk, or count them. n_first: the index in `ids` where the ids of the text begin."""
        cdef IdsSoFar state = IdsSoFar(scratch.was_unknown, scratch.is_counting, scratch.n_counted)
        cdef int32_t whole
        if self.split is not None and not self.segmenter.vocab.is_bytes:
            return self.append_part(text, size, scratch, ids)
        if self.split is not None:
            whole = self.split.whole_piece(text, size)
            if whole >= 0:
                if scratch.is_counting:
                    scratch.n_counted += 1
                else:
                    ids.append(&whole, 1)
                return 0
        scratch.scratch.start()
        if self.unigram is not None:
            self.add_scores(scratch, ids.data + n_first, ids.size - n_first)
            (<UnigramScratch> scratch.scratch).score = scratch.score.exact
        append_text_ids(
            self.segmenter, self.fallback, text, size, scratch.scratch, scratch.tokens, scratch.ids, &state, ids,
        )
        if self.unigram is not None:
            scratch.score.exact = (<UnigramScratch> scratch.scratch).score
            scratch.score.bound = fabs(scratch.score.exact)
        scratch.score.n_added = ids.size - n_first
        scratch.was_unknown, scratch.n_counted = state.was_unknown, state.n_counted
        return 0

    cdef int append_part(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """Append the ids of a part of a text that patterns cut, or count them."""
        cdef bint was_unknown = False
        scratch.scratch.start()
        scratch.ids.clear()
        self.split.segment_part(text, size, scratch.scratch, scratch.tokens)
        self.fallback.append(text, scratch.tokens, &was_unknown, scratch.ids)
        if scratch.is_counting:
            scratch.n_counted += <int64_t> scratch.ids.size()
        else:
            ids.append(scratch.ids.data(), scratch.ids.size())
        return 0

    cdef double greatest_sum(self, size_t n_ids) noexcept nogil:
        """An upper bound of the absolute sum of the scores of `n_ids` ids plus its rounding error."""
        return <double> n_ids * (1 + self.unigram.greatest_score)

    cdef void add_scores(self, ChunkScratch scratch, const int32_t* ids, size_t n_ids) noexcept nogil:
        """Add the scores of the ids that the running score lacks. All these ids are pieces, not unknown text."""
        cdef const double* path_scores = self.unigram.path_scores.data()
        cdef double sum = scratch.score.exact
        cdef float single = <float> sum
        cdef size_t i
        if self.unigram.is_double:
            for i in range(scratch.score.n_added, n_ids):
                sum = self.unigram.add_double(ids[i], sum)
        else:
            for i in range(scratch.score.n_added, n_ids):
                single = <float> path_scores[ids[i]] + single
            sum = <double> single
        scratch.score = RunningScore(sum, n_ids, fabs(sum))
