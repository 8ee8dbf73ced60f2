"""The memory that a Tokenizer may hold beyond its model: for caches, and in blocks that wait for their next use."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from spm_lite.base.system.atomics cimport atomic


cdef enum:
    LEAST_BLOCK = 1 << 18   # bytes
    MOST_KEPT = 8


cdef struct Block:
    # Memory of the system's: it grows without a copy, where a heap copies or not as it happens.
    void* memory
    size_t size
    size_t n_written        # from the first on, that have been written to: behind them are only addresses


@cython.final
cdef class MemoryBudget:
    cdef readonly int64_t limit     # bytes for one Tokenizer
    cdef atomic[int64_t] used
    cdef atomic[int64_t] waiting    # of those
    # Blocks that were freed. To take their pages from the system anew, an interrupt each, would be a tenth of the time
    # of a large batch; so they are lent to the system, which may have the pages as long as nobody writes to them.
    cdef Block kept[MOST_KEPT]
    cdef int32_t n_kept
    cdef atomic[int32_t] in_use     # whether someone looks at `kept`; who comes second does without

    cdef bint take(self, int64_t n_bytes) noexcept nogil
    cdef void give_back(self, int64_t n_bytes) noexcept nogil

    cdef bint take_block(self, size_t size, Block* block) noexcept nogil
    cdef void free_block(self, Block block) noexcept nogil
    cdef void release_blocks(self) noexcept nogil
    cdef size_t keep(self, void* memory, size_t size) noexcept nogil
    cdef bint take_largest(self, Block* block) noexcept nogil


cdef bint grow_block(Block* block, size_t size) noexcept nogil  # it may move; False: all is as before
