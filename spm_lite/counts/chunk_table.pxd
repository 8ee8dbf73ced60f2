"""Chunks of text with their counts: all that a trainer sees of a corpus."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.tasks cimport TaskThread
from spm_lite.counts.characters cimport LeftOut
from spm_lite.counts.chunk_budget cimport Budget


cdef enum:
    # A byte that no UTF-8 text holds: a place no piece may touch (a meta piece stood there).
    BOUNDARY_BYTE = 0xFF


cdef struct Chunk:
    # One text, distinct from all others unless it was appended; its bytes are ChunkTable.texts[begin : begin + size].
    uint64_t begin
    uint32_t size       # bytes, at least 1 (see close_gaps); U+2581 for an escaped space
    uint32_t hash
    uint64_t count


cdef struct SortKey:
    # One chunk with what decides nearly every comparison.
    uint64_t count
    uint64_t prefix     # its first 8 bytes, big-endian, padded with NUL
    const uint8_t* text
    uint32_t size
    uint32_t hash

cdef inline uint64_t big_endian_prefix(const uint8_t* text, uint32_t size) noexcept nogil:
    cdef uint64_t prefix = 0
    cdef uint32_t i
    for i in range(8):
        prefix = prefix << 8 | (text[i] if i < size else 0)
    return prefix

ctypedef bint (*KeyOrder)(const SortKey& a, const SortKey& b) noexcept nogil


cdef bint is_more_frequent(const SortKey& a, const SortKey& b) noexcept nogil       # the canonical order
cdef bint is_less(const SortKey& a, const SortKey& b) noexcept nogil                # by bytes alone
cdef int sort_keys(SortKey* keys, uint64_t size, KeyOrder order, const TaskThread* worker) except -1 nogil


cdef class ChunkTable:
    cdef vector[uint8_t] texts
    cdef vector[Chunk] chunks
    cdef vector[uint32_t] slots         # open addressing into chunks, 2^32 - 1 = free; none: filled when next needed
    cdef readonly LeftOut left_out      # what the text had besides, or None

    cdef int add(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil
    cdef int add_all(self, ChunkTable other) except -1 nogil    # `other` is left as it is
    cdef int append(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil   # a text that is new
    cdef int append_line(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil
    cdef int append_all(self, ChunkTable other) except -1 nogil
    cdef void close_gaps(self) noexcept nogil   # empty texts leave, the last ones take their places
    cdef int sort(self) except -1 nogil         # canonical order: count descending, bytes ascending
    cdef int make_keys(self, vector[SortKey]& keys) except -1 nogil
    cdef int grow_slots(self) except -1 nogil
    cdef void fill_slots(self) noexcept nogil
    cdef void drop_slots(self) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef uint64_t memory(self) noexcept nogil   # bytes, with what sorting takes
    cdef int mark_taken(self, Budget budget, vector[uint8_t]& is_taken) except -1
    cdef uint64_t weight(self) noexcept nogil   # bytes of the text that the chunks stand for
