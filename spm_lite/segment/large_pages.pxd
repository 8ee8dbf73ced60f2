"""Zeroed memory for tables that are read at random: in large pages, where the system has them.

English text from a cold start is encoded a sixth faster so: fewer addresses have to be translated.
"""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport calloc


cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    static inline void spm_lite_want_large_pages(void* memory, size_t size) {
    #if defined(MADV_HUGEPAGE)
        madvise(memory, size, MADV_HUGEPAGE);   /* if it will not, nothing is lost */
    #else
        (void) memory, (void) size;
    #endif
    }
    """
    void want_large_pages "spm_lite_want_large_pages"(void* memory, size_t size) noexcept nogil


cdef enum Pages:
    LARGE_PAGE = 1 << 21    # bytes, on most systems


cdef inline void* take_zeroed(size_t size, void** block) noexcept nogil:
    """`size` bytes, all 0, that end with `free(block)`; NULL: there is no memory."""
    cdef void* memory
    if size < LARGE_PAGE:
        block[0] = calloc(size, 1)
        return block[0]
    block[0] = calloc(size + LARGE_PAGE, 1)  # what is not written to is not taken
    if block[0] == NULL:
        return NULL
    memory = <void*> ((<uintptr_t> block[0] + LARGE_PAGE - 1) // LARGE_PAGE * LARGE_PAGE)
    want_large_pages(memory, size // LARGE_PAGE * LARGE_PAGE)
    return memory
