"""Arenas, which Python's allocator of small objects takes from the system, with all their pages at once."""

from spm_lite.base.system.page_hints cimport populate  # what is written in C below calls it


cdef extern from *:
    """
    #if defined(__linux__) && !defined(Py_GIL_DISABLED)
    static PyObjectArenaAllocator spm_lite_usual_arenas;
    static void* spm_lite_take_arena(void* ctx, size_t size) {
        void* arena = spm_lite_usual_arenas.alloc(ctx, size);
        if (arena != NULL) spm_lite_populate(arena, size);
        return arena;
    }
    static inline void spm_lite_take_arenas_whole(void) {
        PyObjectArenaAllocator whole;
        PyObject_GetArenaAllocator(&spm_lite_usual_arenas);
        whole = spm_lite_usual_arenas;
        whole.alloc = spm_lite_take_arena;
        PyObject_SetArenaAllocator(&whole);
    }
    static inline void spm_lite_take_arenas_as_usual(void) { PyObject_SetArenaAllocator(&spm_lite_usual_arenas); }
    #else
    static inline void spm_lite_take_arenas_whole(void) {}
    static inline void spm_lite_take_arenas_as_usual(void) {}
    #endif
    """
    # While arenas are taken whole, Python's allocator asks for the pages of each new one (1 MB in most versions). The
    # second function undoes the first. Between them nothing may let another thread run: the setting is the process's.
    # (An interpreter with a lock of its own may take an arena so meanwhile; it is one like any other.)
    void take_arenas_whole "spm_lite_take_arenas_whole"()
    void take_arenas_as_usual "spm_lite_take_arenas_as_usual"()
