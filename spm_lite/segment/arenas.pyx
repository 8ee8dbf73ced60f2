from spm_lite.segment.large_pages cimport want_large_pages  # what is written in C below calls it
from spm_lite.segment.populated cimport populate            # and this


cdef extern from *:
    """
    #if defined(__linux__) && !defined(Py_GIL_DISABLED)
    enum { SPM_LITE_FEW_ARENAS = 4, SPM_LITE_MANY_ARENAS = 32 };
    typedef struct {
        int is_asked;       /* whether this thread takes many at once now */
        int n_at_once;      /* the last time */
        size_t n_expected;  /* bytes that it may need, beyond those that it has taken */
        size_t size;
        int n;
        void* arenas[SPM_LITE_MANY_ARENAS];     /* that are taken and not used yet */
    } spm_lite_spare_arenas;
    static __thread spm_lite_spare_arenas spm_lite_spare;
    static PyObjectArenaAllocator spm_lite_usual_arenas;
    static int spm_lite_n_asked = 0;            /* of all threads; they hold the GIL where they change it */

    static void spm_lite_take_spare_arenas(void* ctx, size_t size) {
        spm_lite_spare_arenas* spare = &spm_lite_spare;
        size_t n = spare->n_expected / size;
        if (n < 2 * (size_t) spare->n_at_once) n = 2 * (size_t) spare->n_at_once;
        if (n < SPM_LITE_FEW_ARENAS) n = SPM_LITE_FEW_ARENAS;
        if (n > SPM_LITE_MANY_ARENAS) n = SPM_LITE_MANY_ARENAS;
        spare->n_expected -= spare->n_expected < n * size ? spare->n_expected : n * size;
        spare->n_at_once = (int) n;
        spare->size = size;
        while (spare->n < spare->n_at_once) {
            void* arena = spm_lite_usual_arenas.alloc(ctx, size);
            if (arena == NULL) break;
            spm_lite_want_large_pages(arena, size);
            spare->arenas[spare->n++] = arena;
        }
    }
    static void* spm_lite_take_arena(void* ctx, size_t size) {
        spm_lite_spare_arenas* spare = &spm_lite_spare;
        void* arena;
        if (!spare->is_asked || (spare->n > 0 && spare->size != size)) return spm_lite_usual_arenas.alloc(ctx, size);
        if (spare->n == 0) spm_lite_take_spare_arenas(ctx, size);
        if (spare->n == 0) return NULL;
        arena = spare->arenas[--spare->n];
        spm_lite_populate(arena, size);
        return arena;
    }
    static inline void spm_lite_ask_for_many(size_t n_expected) {
        PyObjectArenaAllocator many;
        if (spm_lite_n_asked++ == 0) {
            PyObject_GetArenaAllocator(&spm_lite_usual_arenas);
            many = spm_lite_usual_arenas;
            many.alloc = spm_lite_take_arena;
            PyObject_SetArenaAllocator(&many);
        }
        spm_lite_spare.is_asked = 1;
        spm_lite_spare.n_at_once = 0;
        spm_lite_spare.n_expected = n_expected;
    }
    static inline void spm_lite_ask_as_usual(void) {
        PyObjectArenaAllocator now;
        PyObjectArenaAllocator* usual = &spm_lite_usual_arenas;
        spm_lite_spare.is_asked = 0;
        while (spm_lite_spare.n > 0)
            usual->free(usual->ctx, spm_lite_spare.arenas[--spm_lite_spare.n], spm_lite_spare.size);
        if (--spm_lite_n_asked > 0) return;
        PyObject_GetArenaAllocator(&now);
        if (now.alloc == spm_lite_take_arena) PyObject_SetArenaAllocator(usual);
    }
    #else
    static inline void spm_lite_ask_for_many(size_t n_expected) { (void) n_expected; }
    static inline void spm_lite_ask_as_usual(void) {}
    #endif
    """
    void ask_for_many "spm_lite_ask_for_many"(size_t n_expected) noexcept
    void ask_as_usual "spm_lite_ask_as_usual"() noexcept


cdef void take_many_arenas(size_t n_expected) noexcept:
    ask_for_many(n_expected)


cdef void take_arenas_as_usual() noexcept:
    ask_as_usual()
