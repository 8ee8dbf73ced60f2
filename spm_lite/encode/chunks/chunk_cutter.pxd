"""The chunk cutter: cuts normalized text into chunks and makes their cache keys."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from spm_lite.base.unicode.utf8 cimport BLOCK_BYTES, NO_CHAR
from spm_lite.encode.chunks.chunk_cache cimport CacheView, Key
from spm_lite.encode.chunks.merge_cuts cimport MergeCuts
from spm_lite.encode.chunks.pair_cuts cimport PairCuts, Scan
from spm_lite.encode.segment.segmenter cimport Segmenter
from spm_lite.encode.segment.split_text cimport SplitSegmenter
from spm_lite.base.patterns.text_cuts cimport CutScratch, TextCuts
from spm_lite.encode.segment.wordpiece cimport WordPieceSegmenter


cdef enum:
    CHUNKS_AT_ONCE = 64     # or more are cut before the first is looked up: meanwhile their entries are prefetched
    MOST_CHUNKS = CHUNKS_AT_ONCE + BLOCK_BYTES


cdef struct CutState:
    # How far a text has been cut.
    int32_t begin           # byte offset of the next chunk
    int32_t sparseness      # above 0: lately the pair test found few cuts for the bytes it read
    Scan scan               # for the places where chunks may end
    bint is_whole           # the text is complete; else its last chunk may continue
    int32_t part_end        # of the text between added tokens, under a split pattern; a text in parts has none
    int64_t patience        # split patterns: with less text than this the last match is not looked at again
    int32_t n_unsettled     # of a text that is not complete: bytes at its end where no place is judged yet


@cython.final
cdef class ChunkCutter:
    cdef Segmenter segmenter
    cdef WordPieceSegmenter words       # the segmenter, if it is one; else None
    cdef SplitSegmenter split           # the segmenter, if it is one; else None
    cdef TextCuts cuts                  # of the segmenter; None: it has none
    cdef PairCuts pairs                # None until the first text
    cdef MergeCuts merge_cuts       # BPE with many pairs of non-ASCII characters; else None
    cdef int32_t sparse_bytes       # mean size of a chunk above which merge cuts are searched too; 0: always
    cdef size_t least_splits        # see `PairCuts`

    cdef int prepare(self) except -1                # before anything else
    cdef int take_cuts(self) except -1
    # BLOCK_BYTES after the text must be readable, and must not complete a character at its end.
    # keys: room for MOST_CHUNKS.
    cdef int next_keys(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil
    cdef int32_t last_pair_cut(self, const uint8_t* text, int32_t size, int32_t begin) noexcept nogil
    cdef int next_pieces(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil
    cdef int next_word_runs(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil
    cdef int next_words(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil
    cdef int next_matches(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil
    # Instead of `next_keys` for a text that compiled patterns cut. cuts: where they are in the text.
    cdef int next_parts(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, CutScratch cuts, Key* keys,
    ) except -1 nogil
    cdef int32_t cut_at_marks(
        self, const uint8_t* text, int32_t begin, int32_t size, CutState* state, CutScratch cuts,
    ) except -1 nogil
    cdef int32_t last_cut(self, const uint8_t* text, int32_t size, int32_t begin) noexcept nogil


cdef inline void start_at(CutState* state, int32_t begin) noexcept nogil:
    """Set `state` to continue cutting at `begin`, a place where the text may be cut."""
    state.begin = begin
    state.part_end = 0
    state.scan = Scan(begin, NO_CHAR)


cdef inline bint is_cut(const CutState* state, int32_t size) noexcept nogil:
    """Whether all chunks are cut. If more text may follow, text after the last cut is left."""
    return state.begin >= size if state.is_whole else state.scan.pos >= size - state.n_unsettled
