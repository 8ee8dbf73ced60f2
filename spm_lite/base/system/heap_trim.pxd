"""Memory that was freed, given back to the system: without that, a phase begins with what the one before has left."""


cdef enum Trimming:
    FREED_AT_ONCE = 1 << 22     # bytes, where memory is freed step by step, between two times that it is given back


cdef extern from *:
    """
    #include <cstdlib>
    #ifdef __GLIBC__
    #include <malloc.h>
    #endif

    static inline void give_back_memory() {
    #ifdef __GLIBC__
        malloc_trim(0);
    #endif
    }
    """
    void give_back_memory() noexcept nogil
