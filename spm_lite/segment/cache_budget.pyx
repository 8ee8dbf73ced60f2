cimport cython
from libc.stdint cimport int32_t, int64_t

from spm_lite.segment.large_pages cimport map_block, unmap_block
from spm_lite.segment.populated cimport lend

cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    static inline void* spm_lite_remap(void* memory, size_t old_size, size_t size) {
        void* moved = mremap(memory, old_size, size, MREMAP_MAYMOVE);
        return moved == MAP_FAILED ? NULL : moved;
    }
    #else
    static inline void* spm_lite_remap(void* memory, size_t old_size, size_t size) {
        (void) memory, (void) old_size, (void) size;
        return NULL;
    }
    #endif
    """
    void* remap "spm_lite_remap"(void* memory, size_t old_size, size_t size) noexcept nogil

cdef enum Amounts:
    UNIT = 1 << 16          # bytes: whole pages, on all systems


@cython.final
cdef class CacheBudget:
    """Memory that several caches share, and large blocks for ids."""

    def __init__(self, int64_t limit):
        self.limit = limit

    def __dealloc__(self):
        self.release_blocks()

    @property
    def n_used(self):
        """Bytes that are taken."""
        return self.used.load()

    cdef bint take(self, int64_t n_bytes) noexcept nogil:
        """Whether so many bytes were left; then they are taken. Blocks that wait give way."""
        if self.used.fetch_add(n_bytes) + n_bytes <= self.limit:
            return True
        self.release_blocks()
        if self.used.load() <= self.limit:
            return True
        self.used.fetch_add(-n_bytes)
        return False

    cdef void give_back(self, int64_t n_bytes) noexcept nogil:
        self.used.fetch_add(-n_bytes)

    cdef Block take_block(self, size_t size) noexcept nogil:
        cdef Block block = self.largest_kept()
        if block.size >= size or (block.size and grow_block(&block, size)):
            return block
        if block.size:
            unmap_block(block.memory, block.size)
        block = Block(NULL, in_units(size))
        block.memory = map_block(block.size)
        return block if block.memory != NULL else Block(NULL, 0)

    cdef void free_block(self, Block block) noexcept nogil:
        if not self.keep(block):
            unmap_block(block.memory, block.size)

    cdef void release_blocks(self) noexcept nogil:
        """Give all that wait back to the system."""
        cdef Block block = self.largest_kept()
        while block.size:
            unmap_block(block.memory, block.size)
            block = self.largest_kept()

    cdef bint keep(self, Block block) noexcept nogil:
        """Whether a block waits now: there is room for it, and half of all is left for other things."""
        cdef int64_t n_bytes = <int64_t> block.size
        cdef bint is_kept = False
        if self.in_use.exchange(1):
            return False
        if self.n_kept < MOST_KEPT:
            is_kept = self.used.fetch_add(n_bytes) + n_bytes <= self.limit // 2
            if is_kept:
                lend(block.memory, block.size)
                self.kept[self.n_kept] = block
                self.n_kept += 1
            else:
                self.used.fetch_add(-n_bytes)
        self.in_use.store(0)
        return is_kept

    cdef Block largest_kept(self) noexcept nogil:
        """The largest block that waits, which does so no longer; of no bytes: none does."""
        cdef Block found = Block(NULL, 0)
        cdef int32_t i, place = 0
        if self.in_use.exchange(1):
            return found
        for i in range(self.n_kept):
            if self.kept[i].size > found.size:
                found, place = self.kept[i], i
        if found.size:
            self.n_kept -= 1
            self.kept[place] = self.kept[self.n_kept]
            self.used.fetch_add(-<int64_t> found.size)
        self.in_use.store(0)
        return found


cdef inline size_t in_units(size_t size) noexcept nogil:
    return (size + UNIT - 1) // UNIT * UNIT


cdef bint grow_block(Block* block, size_t size) noexcept nogil:
    cdef void* moved = remap(block.memory, block.size, in_units(size))
    if moved == NULL:
        return False
    block[0] = Block(moved, in_units(size))
    return True
