"""Pages of memory: asked for together before they are written to, and lent to the system while they are not needed.

Each page costs an interrupt when it is first written to; asking the system for many of them at once takes a third less
time. Building the lists of a large batch is mostly that, and a tenth of encoding it from a cold start.
"""

cdef extern from *:
    """
    #if defined(__linux__)
    #include <errno.h>
    #include <stdint.h>
    #include <sys/mman.h>
    #include <unistd.h>
    #ifndef MADV_POPULATE_WRITE
    #define MADV_POPULATE_WRITE 23      /* Linux 5.14; others refuse, and all is as without it */
    #endif
    static inline void spm_lite_populate(void* memory, size_t size) {
        uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE), begin = (uintptr_t) memory & ~(page - 1);
        uintptr_t end = (uintptr_t) memory + size;
        unsigned char is_there = 0;
        int error = errno;
        /* What a heap gives for the second time is there from end to end: to ask for it again takes time too. */
        mincore((void*) ((end - 1) & ~(page - 1)), 1, &is_there);
        if (!(is_there & 1)) madvise((void*) begin, end - begin, MADV_POPULATE_WRITE);
        errno = error;
    }
    static inline void spm_lite_lend(void* memory, size_t size) {
    #if defined(MADV_FREE)
        int error = errno;
        madvise(memory, size, MADV_FREE);
        errno = error;
    #endif
    }
    #else
    static inline void spm_lite_populate(void* memory, size_t size) { (void) memory, (void) size; }
    static inline void spm_lite_lend(void* memory, size_t size) { (void) memory, (void) size; }
    #endif
    """
    void populate "spm_lite_populate"(void* memory, size_t size) noexcept nogil
    # What is there means nothing any more: the system may take the pages, but as long as it need not, they stay.
    void lend "spm_lite_lend"(void* memory, size_t size) noexcept nogil
