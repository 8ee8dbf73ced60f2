"""Counts bytes atomically, and keeps freed blocks: `take_block` reuses the largest, and `keep` adds one.

A thread that finds the kept blocks in use maps or unmaps memory instead. Header: memory_budget.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from spm_lite.base.system.pages cimport map_block, mark_free, remap, unmap_block

cdef enum:
    UNIT = 1 << 16          # bytes: whole pages on all systems
    ATTEMPTS = 100          # tries while another thread uses the kept blocks


@cython.final
cdef class MemoryBudget:
    """Memory that several caches share. What they leave of it may hold freed blocks for reuse."""

    def __cinit__(self, int64_t limit):
        self.limit = limit

    def __dealloc__(self):
        self.release_blocks()

    @property
    def n_used(self):
        """Bytes in use, kept blocks included."""
        return self.used.load()

    cdef bint take(self, int64_t n_bytes) noexcept nogil:
        """Take `n_bytes`. False: not enough are left. Kept blocks are released if that makes enough room."""
        if self.used.fetch_add(n_bytes) + n_bytes <= self.limit:
            return True
        for _ in range(ATTEMPTS):
            if self.used.load() - self.waiting.load() > self.limit:
                break
            self.release_blocks()
            if self.used.load() <= self.limit:
                return True
        self.used.fetch_add(-n_bytes)
        return False

    cdef void give_back(self, int64_t n_bytes) noexcept nogil:
        self.used.fetch_add(-n_bytes)

    cdef bint take_block(self, size_t size, Block* block) noexcept nogil:
        """Fill `block` with `size` bytes or more, from a kept block if possible. False: no memory, and it has none."""
        if self.take_largest(block):
            if block.size >= size or grow_block(block, size):
                return True
            unmap_block(block.memory, block.size)
        block[0] = Block(map_block(in_units(size)), in_units(size), 0)
        if block.memory == NULL:
            block.size = 0
        return block.size > 0

    cdef void free_block(self, Block block) noexcept nogil:
        cdef size_t n_written = in_units(block.n_written), n_kept
        mark_free(block.memory, n_written)  # before `keep`: another thread may take it and write to it at once
        n_kept = self.keep(block.memory, n_written)
        if n_kept < block.size:
            unmap_block(<uint8_t*> block.memory + n_kept, block.size - n_kept)

    cdef void release_blocks(self) noexcept nogil:
        """Return all kept blocks to the system."""
        cdef Block block
        while self.take_largest(&block):
            unmap_block(block.memory, block.size)

    cdef size_t keep(self, void* memory, size_t size) noexcept nogil:
        """Keep the first bytes of a block, as many as there is room for, if that is worth it; return their number."""
        cdef int64_t n_bytes
        cdef bint is_kept
        if self.in_use.exchange(1):
            return 0
        n_bytes = min(<int64_t> size, (self.limit - self.used.load()) // UNIT * UNIT)
        is_kept = n_bytes >= LEAST_BLOCK and self.n_kept < MOST_KEPT
        if is_kept:
            self.waiting.fetch_add(n_bytes)
            is_kept = self.used.fetch_add(n_bytes) + n_bytes <= self.limit
            if is_kept:
                self.kept[self.n_kept] = Block(memory, <size_t> n_bytes, <size_t> n_bytes)
                self.n_kept += 1
            else:  # a cache took the room first
                self.used.fetch_add(-n_bytes)
                self.waiting.fetch_add(-n_bytes)
        self.in_use.store(0)
        return <size_t> n_bytes if is_kept else 0

    cdef bint take_largest(self, Block* block) noexcept nogil:
        """Move the largest kept block to `block`. False: none, or another thread uses them; `block` has no bytes."""
        cdef int32_t i, place = 0
        block[0] = Block(NULL, 0, 0)
        if self.in_use.exchange(1):
            return False
        for i in range(self.n_kept):
            if self.kept[i].size > block.size:
                block[0], place = self.kept[i], i
        if block.size:
            self.n_kept -= 1
            self.kept[place] = self.kept[self.n_kept]
            self.used.fetch_add(-<int64_t> block.size)
            self.waiting.fetch_add(-<int64_t> block.size)
        self.in_use.store(0)
        return block.size > 0


cdef inline size_t in_units(size_t size) noexcept nogil:
    return (size + UNIT - 1) // UNIT * UNIT


cdef bint grow_block(Block* block, size_t size) noexcept nogil:
    cdef void* moved = remap(block.memory, block.size, in_units(size))
    if moved == NULL:
        return False
    block[0] = Block(moved, in_units(size), block.n_written)
    return True
