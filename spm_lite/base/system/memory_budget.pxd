"""The memory that a Tokenizer may hold beyond its model: caches, and freed blocks that are kept for reuse."""

cimport cython
from libc.stdint cimport int32_t, int64_t

from spm_lite.base.system.atomics cimport atomic


cdef enum:
    LEAST_BLOCK = 1 << 18   # bytes
    MOST_KEPT = 8


cdef struct Block:
    # Memory mapped from the system. It grows without a copy; heap memory may be copied.
    void* memory
    size_t size
    size_t n_written        # bytes from the first on that were written to; after them are only addresses


@cython.final
cdef class MemoryBudget:
    cdef readonly int64_t limit     # bytes for one Tokenizer
    cdef atomic[int64_t] used
    cdef atomic[int64_t] waiting    # bytes of `used` that are in kept blocks
    # Freed blocks, kept for reuse: faulting their pages in again would cost a tenth of the time of a large batch. They
    # are marked MADV_FREE, so the system may reclaim the pages until they are written to.
    cdef Block kept[MOST_KEPT]
    cdef int32_t n_kept
    cdef atomic[int32_t] in_use     # try-lock of `kept`; a second thread goes on without kept blocks

    cdef bint take(self, int64_t n_bytes) noexcept nogil
    cdef void give_back(self, int64_t n_bytes) noexcept nogil

    cdef bint take_block(self, size_t size, Block* block) noexcept nogil
    cdef void free_block(self, Block block) noexcept nogil
    cdef void release_blocks(self) noexcept nogil
    cdef size_t keep(self, void* memory, size_t size) noexcept nogil
    cdef bint take_largest(self, Block* block) noexcept nogil


cdef bint grow_block(Block* block, size_t size) noexcept nogil  # it may move; False: nothing changed
