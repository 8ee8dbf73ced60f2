"""Where a normalized text is cut into chunks, and the keys by which these are looked up."""

cimport cython
from libc.stdint cimport int32_t, uint8_t

from spm_lite.base.unicode.char_words cimport BLOCK_BYTES, NO_CHAR
from spm_lite.chunks.chunk_cache cimport CacheView, Key
from spm_lite.chunks.merge_cuts cimport MergeCuts
from spm_lite.chunks.pair_cuts cimport PairCuts, Scan
from spm_lite.segment.segmenter cimport Segmenter


cdef enum:
    CHUNKS_AT_ONCE = 64     # or more are cut before the first is looked up: their entries are fetched meanwhile
    MOST_CHUNKS = CHUNKS_AT_ONCE + BLOCK_BYTES


cdef struct CutState:
    # How far a text has been cut.
    int32_t begin           # of the next chunk
    int32_t sparseness      # above 0: of late, pairs of characters told of few cuts for so many bytes
    Scan scan               # of the places where chunks may end
    bint is_whole           # all of the text is there; else the last chunk may go on


@cython.final
cdef class ChunkCutter:
    cdef Segmenter segmenter
    cdef PairCuts pairs                # made for the first text
    cdef MergeCuts merge_cuts       # BPE with many pairs of non-ASCII characters; else None
    cdef int32_t sparse_bytes       # a chunk, on average, above which more cuts are looked for; 0: always

    cdef int prepare(self) except -1                # before anything else
    cdef int take_cuts(self) except -1
    # BLOCK_BYTES behind the text must be readable, and must not complete its end. keys: of MOST_CHUNKS.
    cdef int next_keys(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil
    cdef int32_t last_cut(self, const uint8_t* text, int32_t size, int32_t begin) noexcept nogil    # likewise


cdef inline void start_at(CutState* state, int32_t begin) noexcept nogil:
    """Cut next what stands behind a place where the text may be cut."""
    state.begin = begin
    state.scan = Scan(begin, NO_CHAR)


cdef inline bint is_cut(const CutState* state, int32_t size) noexcept nogil:
    """Whether no chunk of a text is left, but for what waits for more text behind the last place to cut it."""
    return (state.begin if state.is_whole else state.scan.pos) >= size
