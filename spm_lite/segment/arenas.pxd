"""Memory for many small objects, taken page by page or arena by arena.

Where Python's own allocator begins a new arena (1 MB in most versions), each of its pages costs an interrupt when it
is first written to; asking the system for all of them at once takes a third less time. Building the lists of a large
batch is mostly that.
"""

cdef extern from *:
    """
    #if defined(__linux__) && !defined(Py_GIL_DISABLED) && !defined(PYPY_VERSION)
    #include <errno.h>
    #include <sys/mman.h>
    #ifndef MADV_POPULATE_WRITE
    #define MADV_POPULATE_WRITE 23      /* Linux 5.14; others refuse, and all is as without it */
    #endif
    static PyObjectArenaAllocator spm_lite_usual_arenas;
    static void* spm_lite_take_arena(void* ctx, size_t size) {
        void* arena = spm_lite_usual_arenas.alloc(ctx, size);
        int error = errno;
        if (arena != NULL) madvise(arena, size, MADV_POPULATE_WRITE);
        errno = error;
        return arena;
    }
    static void spm_lite_take_arenas_whole(void) {
        PyObjectArenaAllocator whole;
        PyObject_GetArenaAllocator(&spm_lite_usual_arenas);
        whole = spm_lite_usual_arenas;
        whole.alloc = spm_lite_take_arena;
        PyObject_SetArenaAllocator(&whole);
    }
    static void spm_lite_take_arenas_as_usual(void) { PyObject_SetArenaAllocator(&spm_lite_usual_arenas); }
    #else
    static void spm_lite_take_arenas_whole(void) {}
    static void spm_lite_take_arenas_as_usual(void) {}
    #endif
    """
    # The second one undoes the first. Between them nothing may let another thread run: the setting is the process's.
    # (An interpreter with a lock of its own may take an arena so meanwhile; it is one like any other.)
    void take_arenas_whole "spm_lite_take_arenas_whole"()
    void take_arenas_as_usual "spm_lite_take_arenas_as_usual"()


cdef enum Arenas:
    WORTH_IT = 1 << 22      # bytes of objects
