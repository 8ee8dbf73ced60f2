"""Normalized text -> ids, chunk by chunk: what was segmented before is looked up."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport KeyMaker
from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.memory_budget cimport MemoryBudget
from spm_lite.chunks.chunk_cache cimport ChunkCache, Entry, Key
from spm_lite.chunks.chunk_cutter cimport MOST_CHUNKS, ChunkCutter, CutState
from spm_lite.chunks.speculative cimport SpeculativeRun
from spm_lite.segment.bpe cimport BpeSegmenter
from spm_lite.segment.byte_fallback cimport ByteFallback
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.segment.unigram cimport UnigramSegmenter


cdef enum:
    STORED_IDS = 4          # of which those of an entry are the first
    IDS_AHEAD = 32          # the memory for them comes from afar while others are written: 8 to 11 % of warm English
    COUNTED_IDS = 1 << 14   # after which a text whose ids are only counted forgets them
    SIGNAL_BYTES = 1 << 21  # of text, after which it looks for signals


cdef struct RunningScore:
    # The sum of the scores of a text so far, in single precision as the search for paths adds them.
    float exact             # up to the id number n_added
    size_t n_added
    double bound            # never less than the absolute sum up to the last id


@cython.final
cdef class ChunkScratch:
    cdef ChunkCache cache
    cdef Scratch scratch            # of the segmenter
    cdef Key keys[MOST_CHUNKS]
    cdef CutState cut
    cdef int32_t checked            # where it last looked for signals; below 0: in what is dropped since
    cdef vector[Token] tokens       # of one chunk
    cdef vector[int32_t] ids
    cdef bint was_unknown           # the last id stands for a run of unknown characters
    cdef RunningScore score
    cdef bint is_ahead              # what stands in front of the text is not known yet, nor its score
    cdef vector[SpeculativeRun] runs  # of what was encoded so

    cdef void start(self) noexcept nogil
    cdef int32_t drop_done(self) noexcept nogil
    cdef void forget_text(self) noexcept nogil


@cython.final
cdef class ChunkEncoder:
    cdef Segmenter segmenter
    cdef UnigramSegmenter unigram   # the same, if it is one; else None
    cdef BpeSegmenter bpe           # likewise
    cdef ByteFallback fallback
    cdef readonly ChunkCutter cutter
    cdef KeyMaker maker             # of all caches, so that one can learn from another
    cdef readonly MemoryBudget budget

    cdef ChunkScratch new_scratch(self)
    cdef int append_ids(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil               # BLOCK_BYTES (of pairs) behind the text are readable, and do not complete its end
    cdef int append_more(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil               # likewise
    cdef int encode_speculatively(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil               # likewise
    cdef int append_between(
        self, const uint8_t* text, int32_t begin, int32_t end, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil               # likewise
    cdef int64_t count_ids(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil               # likewise
    cdef int64_t count_more(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil               # likewise
    cdef bint append_next(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil
    cdef int append_block(
        self, const uint8_t* text, int n_chunks, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil
    cdef Key* append_unknown(
        self, Key* key, const Key* end, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) noexcept nogil
    cdef int append_chunk(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil
    cdef int append_unconfirmed(
        self, const Key* key, const Entry* entry, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil
    cdef int append_exactly(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil
    cdef void append_entry(
        self, const Entry* entry, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) noexcept nogil
    cdef int find(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil
    cdef int solve(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil
    cdef int solve_any(
        self, const Key* key, const uint8_t* text, float limit, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil
    cdef int solve_exactly(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, const int32_t* ids, size_t n_ids,
    ) except -1 nogil
    cdef double greatest_sum(self, size_t n_ids) noexcept nogil
    cdef void add_scores(self, ChunkScratch scratch, const int32_t* ids, size_t n_ids) noexcept nogil


cdef bint can_cut(Segmenter segmenter)
