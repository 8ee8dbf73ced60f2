"""The chunk solver: segments a chunk that is not in the cache and stores its ids and their limit.

Speculative encoding: threads encode parts of a text before the score of the text before them is known. A
`SpeculativeRun` notes up to which score its ids hold. Only runs that do not hold are encoded again.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.chunks.chunk_cache cimport ChunkCache, Entry, Key
from spm_lite.encode.chunks.chunk_cutter cimport MOST_CHUNKS, CutState
from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.encode.segment.byte_fallback cimport ByteFallback
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.encode.segment.split_text cimport SplitSegmenter
from spm_lite.base.patterns.text_cuts cimport CutScratch
from spm_lite.encode.segment.unigram cimport LIMIT_BITS, UnigramSegmenter


cdef enum:
    AHEAD_LIMIT = 97000     # absolute preceding score up to which nearly all chunks hold; beyond 100,000 none do
    AHEAD_DOUBLE = (1 << LIMIT_BITS) - (1 << 20)    # the same for sums in double precision
    MOST_UNKNOWN = 256      # characters of one run: so few that their scores mostly stay within its limit


cdef struct SpeculativeRun:
    # Chunks in a row that hold up to one limit. The run begins where the run before it ends.
    int32_t end             # byte offset in the text
    int32_t n_unknown       # the run is so many unknown characters, each a chunk; 0: it has none
    size_t last_id          # number of ids from the start of the part to the end of the run
    float limit             # absolute score before each of its chunks up to which the ids hold; 0: it has no ids


cdef inline int end_run(vector[SpeculativeRun]& runs, int32_t end, size_t last_id, float limit) except -1 nogil:
    """Append a run of all chunks since the last run, if there are any; it holds up to `limit`."""
    if end > (0 if runs.empty() else runs.back().end):
        runs.push_back(SpeculativeRun(end, 0, last_id, limit))
    return 0


cdef inline int add_chunk(
    vector[SpeculativeRun]& runs, int32_t end, size_t last_id, float limit, bint is_unknown,
) except -1 nogil:
    """Append a run of one chunk; an unknown character after others extends their run instead."""
    cdef SpeculativeRun* last
    if is_unknown and not runs.empty():
        last = &runs.back()
        if 0 < last.n_unknown < MOST_UNKNOWN:
            last.end, last.last_id, last.n_unknown = end, last_id, last.n_unknown + 1
            return 0
    runs.push_back(SpeculativeRun(end, is_unknown, last_id, limit))
    return 0


cdef struct RunningScore:
    # The sum of the scores of a text so far, added in single precision as SentencePiece adds them, or in double.
    double exact            # the sum of the scores of the first n_added ids
    size_t n_added
    double bound            # at least the absolute sum of the scores of all ids so far


@cython.final
cdef class ChunkScratch:
    cdef ChunkCache cache
    cdef Scratch scratch            # buffers of the segmenter
    cdef Key keys[MOST_CHUNKS]
    cdef CutState cut
    cdef CutScratch cuts            # of compiled patterns; None: others cut
    cdef int32_t checked            # the byte offset of the last check for signals; may be negative after `drop_done`
    cdef vector[Token] tokens       # of one chunk
    cdef vector[int32_t] ids
    cdef bint was_unknown           # the last id stands for a run of unknown characters
    cdef RunningScore score
    cdef bint is_ahead              # encoding speculatively: the preceding score is not known yet
    cdef vector[SpeculativeRun] runs    # of speculative encoding
    cdef bint is_counting           # ids are only counted: their buffer is emptied at COUNTED_IDS
    cdef int64_t n_counted          # ids removed from the buffer so far

    cdef void start(self) noexcept nogil
    cdef int32_t drop_done(self) noexcept nogil
    cdef void forget_text(self) noexcept nogil


@cython.final
cdef class ChunkSolver:
    cdef Segmenter segmenter
    cdef UnigramSegmenter unigram   # the segmenter, if it is one; else None
    cdef BpeSegmenter bpe           # the segmenter, if it is one; else None
    cdef SplitSegmenter split       # of the text, if it is one: each chunk is a part
    cdef ByteFallback fallback
    cdef float ahead_limit          # AHEAD_LIMIT or AHEAD_DOUBLE

    cdef int find(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil
    cdef int solve(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil
    cdef int32_t merge_words(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, int32_t* ids,
    ) except -1 nogil
    cdef int solve_unknown(
        self, const Key* key, const uint8_t* text, float limit, ChunkScratch scratch, const Entry** entry,
    ) except -1 nogil
    cdef int solve_exactly(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil
    cdef int append_part(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil
    cdef double greatest_sum(self, size_t n_ids) noexcept nogil
    cdef void add_scores(self, ChunkScratch scratch, const int32_t* ids, size_t n_ids) noexcept nogil
