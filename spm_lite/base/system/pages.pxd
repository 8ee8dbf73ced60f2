"""Pages of memory from the system: zeroed blocks in large pages, prefaulting, and MADV_FREE for blocks not in use.

Large pages make random access to tables faster: fewer addresses must be translated. They save a sixth of the cold time
of English text. Prefaulting asks for many pages in one call instead of one page fault each, in a third less time. Page
faults are most of the time of a large batch's lists, and a tenth of a cold encoding. Header only; Linux has all of it.
"""

from libc.stdint cimport uint8_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy


cdef extern from *:
    """
    #include <stddef.h>
    #if defined(__linux__)
    #include <errno.h>
    #include <stdint.h>
    #include <sys/mman.h>
    #include <unistd.h>
    #ifndef MADV_POPULATE_WRITE
    #define MADV_POPULATE_WRITE 23      /* Linux 5.14; older kernels refuse it, and nothing changes */
    #endif
    static inline void* spm_lite_map(size_t size) {
    #if defined(MADV_HUGEPAGE)
        void* block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return block == MAP_FAILED ? NULL : block;
    #else
        (void) size;
        return NULL;
    #endif
    }
    static inline void* spm_lite_reserve(size_t size) {
    #if defined(MADV_HUGEPAGE)
        void* block = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return block == MAP_FAILED ? NULL : block;
    #else
        (void) size;
        return NULL;
    #endif
    }
    static inline void* spm_lite_remap(void* memory, size_t old_size, size_t size) {
        void* moved = mremap(memory, old_size, size, MREMAP_MAYMOVE);
        return moved == MAP_FAILED ? NULL : moved;
    }
    static inline int spm_lite_open(void* memory, size_t size) {
        return mprotect(memory, size, PROT_READ | PROT_WRITE) == 0;
    }
    static inline void spm_lite_unmap(void* block, size_t size) { munmap(block, size); }
    static inline void spm_lite_want_large_pages(void* memory, size_t size) {
    #if defined(MADV_HUGEPAGE)
        madvise(memory, size, MADV_HUGEPAGE);   /* a hint: the system may ignore it */
    #endif
    }
    static inline void spm_lite_prefault(void* memory, size_t size) {
        uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), begin = (uintptr_t) memory & ~(page - 1);
        uintptr_t end = (uintptr_t) memory + size;
        unsigned char is_there = 0;
        int error = errno;
        /* Memory that a heap reuses has all its pages already: asking again would take time. */
        mincore((void*) ((end - 1) & ~(page - 1)), 1, &is_there);
        if (!(is_there & 1)) madvise((void*) begin, end - begin, MADV_POPULATE_WRITE);
        errno = error;
    }
    static inline void spm_lite_mark_free(void* memory, size_t size) {
    #if defined(MADV_FREE)
        int error = errno;
        madvise(memory, size, MADV_FREE);
        errno = error;
    #endif
    }
    #else
    static inline void* spm_lite_map(size_t size) { (void) size; return NULL; }
    static inline void* spm_lite_reserve(size_t size) { (void) size; return NULL; }
    static inline void* spm_lite_remap(void* memory, size_t old_size, size_t size) {
        (void) memory, (void) old_size, (void) size;
        return NULL;
    }
    static inline int spm_lite_open(void* memory, size_t size) { (void) memory, (void) size; return 0; }
    static inline void spm_lite_unmap(void* block, size_t size) { (void) block, (void) size; }
    static inline void spm_lite_want_large_pages(void* memory, size_t size) { (void) memory, (void) size; }
    static inline void spm_lite_prefault(void* memory, size_t size) { (void) memory, (void) size; }
    static inline void spm_lite_mark_free(void* memory, size_t size) { (void) memory, (void) size; }
    #endif
    """
    void* map_block "spm_lite_map"(size_t size) noexcept nogil      # NULL: no memory
    void* reserve_block "spm_lite_reserve"(size_t size) noexcept nogil      # addresses without memory; NULL: none left
    void* remap "spm_lite_remap"(void* memory, size_t old_size, size_t size) noexcept nogil     # NULL: it failed
    bint open_block "spm_lite_open"(void* memory, size_t size) noexcept nogil   # False: no memory is left
    void unmap_block "spm_lite_unmap"(void* block, size_t size) noexcept nogil
    void want_large_pages "spm_lite_want_large_pages"(void* memory, size_t size) noexcept nogil
    void prefault "spm_lite_prefault"(void* memory, size_t size) noexcept nogil     # make all pages in one call
    # The content is no longer needed: the system may reclaim the pages, and until it does they stay usable.
    void mark_free "spm_lite_mark_free"(void* memory, size_t size) noexcept nogil


cdef enum:
    LARGE_PAGE = 1 << 21    # bytes, on most systems


cdef struct ZeroedMemory:
    # A block of `allocate_zeroed` or `reserve_zeroed`; both fields are 0 if there is none.
    void* block
    size_t n_mapped         # bytes of a block from the system; 0: the block is from the heap


cdef inline void* aligned(void* block) noexcept nogil:
    """Return the start of the first large page of a block."""
    return <void*> ((<uintptr_t> block + LARGE_PAGE - 1) // LARGE_PAGE * LARGE_PAGE)


cdef inline void* allocate_zeroed(size_t size, ZeroedMemory* taken) noexcept nogil:
    """Return `size` bytes, all 0, until `free_zeroed`; NULL: no memory.

    Large blocks come from the system: a heap that reuses memory would write the zeros page by page.
    """
    taken.n_mapped = 0
    taken.block = map_block(size + LARGE_PAGE) if size >= LARGE_PAGE else NULL  # unwritten pages take no memory
    if taken.block == NULL:
        taken.block = calloc(size, 1)
        return taken.block
    taken.n_mapped = size + LARGE_PAGE
    want_large_pages(aligned(taken.block), size // LARGE_PAGE * LARGE_PAGE)
    return aligned(taken.block)


cdef inline void* reserve_zeroed(size_t size, size_t most, ZeroedMemory* taken) noexcept nogil:
    """`allocate_zeroed` with addresses reserved up to `most` bytes, so that the block can grow in place.

    Both sizes are multiples of LARGE_PAGE. Reserved addresses take no memory.
    """
    taken.block = reserve_block(most + LARGE_PAGE)
    taken.n_mapped = most + LARGE_PAGE
    if taken.block != NULL and grow_in_place(taken, size):
        return aligned(taken.block)
    if taken.block != NULL:
        unmap_block(taken.block, taken.n_mapped)
    return allocate_zeroed(size, taken)


cdef inline bint grow_in_place(ZeroedMemory* taken, size_t size) noexcept nogil:
    """Grow a block from the system to `size` bytes, the new ones 0. False: there is no room, and nothing changed."""
    cdef uint8_t* memory = <uint8_t*> aligned(taken.block)
    if memory + size > <uint8_t*> taken.block + taken.n_mapped or not open_block(memory, size):
        return False
    want_large_pages(memory, size)
    return True


cdef inline void* grow_zeroed(ZeroedMemory* taken, size_t old_size, size_t size) noexcept nogil:
    """Grow a block from `old_size` to `size` bytes, the new ones 0, and return its memory.

    It may move; then both blocks exist for a moment. NULL: no memory, and nothing changed.
    """
    cdef ZeroedMemory grown
    cdef void* memory
    if taken.n_mapped and grow_in_place(taken, size):
        return aligned(taken.block)
    memory = allocate_zeroed(size, &grown)
    if memory != NULL:
        memcpy(memory, aligned(taken.block) if taken.n_mapped else taken.block, old_size)
        free_zeroed(taken)
        taken[0] = grown
    return memory


cdef inline void free_zeroed(ZeroedMemory* taken) noexcept nogil:
    if taken.n_mapped:
        unmap_block(taken.block, taken.n_mapped)
    else:
        free(taken.block)
    taken[0] = ZeroedMemory(NULL, 0)
