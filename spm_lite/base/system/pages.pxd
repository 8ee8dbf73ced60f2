"""Zeroed memory for tables that are read at random: in large pages, where the system has them.

English text from a cold start is encoded a sixth faster so: fewer addresses have to be translated. The memory comes
from the system itself: a heap that has some to give again would write zeros to it page by page.
"""

from libc.stdint cimport uint8_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy


cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    #if defined(MADV_HUGEPAGE)
    static inline void* spm_lite_map(size_t size) {
        void* block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return block == MAP_FAILED ? NULL : block;
    }
    static inline void* spm_lite_reserve(size_t size) {
        void* block = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return block == MAP_FAILED ? NULL : block;
    }
    static inline int spm_lite_open(void* memory, size_t size) {
        return mprotect(memory, size, PROT_READ | PROT_WRITE) == 0;
    }
    static inline void spm_lite_unmap(void* block, size_t size) { munmap(block, size); }
    static inline void spm_lite_want_large_pages(void* memory, size_t size) {
        madvise(memory, size, MADV_HUGEPAGE);   /* if it will not, nothing is lost */
    }
    #else
    static inline void* spm_lite_map(size_t size) { (void) size; return NULL; }
    static inline void* spm_lite_reserve(size_t size) { (void) size; return NULL; }
    static inline int spm_lite_open(void* memory, size_t size) { (void) memory, (void) size; return 0; }
    static inline void spm_lite_unmap(void* block, size_t size) { (void) block, (void) size; }
    static inline void spm_lite_want_large_pages(void* memory, size_t size) { (void) memory, (void) size; }
    #endif
    """
    void* map_block "spm_lite_map"(size_t size) noexcept nogil      # NULL: there is none
    void* reserve_block "spm_lite_reserve"(size_t size) noexcept nogil      # addresses only; NULL: there are none
    bint open_block "spm_lite_open"(void* memory, size_t size) noexcept nogil   # to be used; False: there is no memory
    void unmap_block "spm_lite_unmap"(void* block, size_t size) noexcept nogil
    void want_large_pages "spm_lite_want_large_pages"(void* memory, size_t size) noexcept nogil


cdef enum Pages:
    LARGE_PAGE = 1 << 21    # bytes, on most systems


cdef struct Zeroed:
    # What `take_zeroed` or `take_growing` took; nothing if all is 0.
    void* block
    size_t n_mapped         # bytes of the block if it is the system's; 0: it is the heap's


cdef inline void* aligned(void* block) noexcept nogil:
    """Where the first large page of a block begins."""
    return <void*> ((<uintptr_t> block + LARGE_PAGE - 1) // LARGE_PAGE * LARGE_PAGE)


cdef inline void* take_zeroed(size_t size, Zeroed* taken) noexcept nogil:
    """`size` bytes, all 0, until `free_zeroed`; NULL: there is no memory."""
    taken.n_mapped = 0
    taken.block = map_block(size + LARGE_PAGE) if size >= LARGE_PAGE else NULL  # what is not written to is not taken
    if taken.block == NULL:
        taken.block = calloc(size, 1)
        return taken.block
    taken.n_mapped = size + LARGE_PAGE
    want_large_pages(aligned(taken.block), size // LARGE_PAGE * LARGE_PAGE)
    return aligned(taken.block)


cdef inline void* take_growing(size_t size, size_t most, Zeroed* taken) noexcept nogil:
    """The same, with addresses behind it for `most` bytes: as long as they are not used, they are no memory.

    Both are whole large pages.
    """
    taken.block = reserve_block(most + LARGE_PAGE)
    taken.n_mapped = most + LARGE_PAGE
    if taken.block != NULL and grow_in_place(taken, size):
        return aligned(taken.block)
    if taken.block != NULL:
        unmap_block(taken.block, taken.n_mapped)
    return take_zeroed(size, taken)


cdef inline bint grow_in_place(Zeroed* taken, size_t size) noexcept nogil:
    """Whether memory of the system's now has `size` bytes, the new ones 0; else all is as before."""
    cdef uint8_t* memory = <uint8_t*> aligned(taken.block)
    if memory + size > <uint8_t*> taken.block + taken.n_mapped or not open_block(memory, size):
        return False
    want_large_pages(memory, size)
    return True


cdef inline void* grow_zeroed(Zeroed* taken, size_t old_size, size_t size) noexcept nogil:
    """Let what has `old_size` bytes have `size`, the new ones 0, if need be elsewhere; then both exist for a moment.

    NULL: there is no memory, and all is as before.
    """
    cdef Zeroed grown
    cdef void* memory
    if taken.n_mapped and grow_in_place(taken, size):
        return aligned(taken.block)
    memory = take_zeroed(size, &grown)
    if memory != NULL:
        memcpy(memory, aligned(taken.block) if taken.n_mapped else taken.block, old_size)
        free_zeroed(taken)
        taken[0] = grown
    return memory


cdef inline void free_zeroed(Zeroed* taken) noexcept nogil:
    if taken.n_mapped:
        unmap_block(taken.block, taken.n_mapped)
    else:
        free(taken.block)
    taken[0] = Zeroed(NULL, 0)
