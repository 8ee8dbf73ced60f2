"""Normalized text -> ids, chunk by chunk: the ids of chunks that were segmented before come from the cache."""

cimport cython
from libc.stdint cimport int32_t, uint8_t

from spm_lite.base.structures.byte_keys cimport KeyMaker
from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.memory_budget cimport MemoryBudget
from spm_lite.encode.chunks.chunk_cache cimport Entry, Key
from spm_lite.encode.chunks.chunk_cutter cimport ChunkCutter
from spm_lite.encode.chunks.chunk_solver cimport ChunkScratch, ChunkSolver
from spm_lite.encode.segment.segmenter cimport Segmenter
from spm_lite.encode.segment.unigram cimport UnigramSegmenter


cdef enum:
    STORED_IDS = 4          # values copied at once: the ids of a cache entry are the first of them
    IDS_AHEAD = 32          # the output buffer is prefetched so many ids ahead: saves 8 to 11 % of warm English
    COUNTED_IDS = 1 << 14   # when ids are only counted, the buffer is emptied after so many
    SIGNAL_BYTES = 1 << 21  # bytes of text between two checks for signals


@cython.final
cdef class ChunkEncoder:
    cdef ChunkSolver solver
    cdef UnigramSegmenter unigram   # the segmenter, if it is one; else None
    cdef readonly ChunkCutter cutter
    cdef KeyMaker maker             # one for all caches, so that entries can be copied from one to another
    cdef readonly MemoryBudget budget

    cdef ChunkScratch new_scratch(self)
    # BLOCK_BYTES after `text` must be readable, and must not complete a character at its end.
    cdef int encode_part(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil
    cdef int encode_speculatively(
        self, const uint8_t* text, int32_t size, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil
    cdef int encode_cached(
        self, const uint8_t* text, int n_chunks, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil
    cdef Key* encode_unknown(
        self, Key* key, const Key* end, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) noexcept nogil
    cdef int encode_chunk(
        self, const Key* key, const uint8_t* text, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) except -1 nogil
    cdef int encode_unconfirmed(
        self, const Key* key, const Entry* entry, ChunkScratch scratch, Int32Array ids,
    ) except -1 nogil
    cdef void write_entry(
        self, const Entry* entry, ChunkScratch scratch, Int32Array ids, size_t n_first,
    ) noexcept nogil


cdef bint can_cut(Segmenter segmenter)
