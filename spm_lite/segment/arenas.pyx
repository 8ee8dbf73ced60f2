cimport cython

from spm_lite.segment.large_pages cimport want_large_pages
from spm_lite.segment.populated cimport populate

cdef extern from "Python.h":
    ctypedef struct ArenaAllocator "PyObjectArenaAllocator":
        void* ctx
        void* (*alloc)(void* ctx, size_t size) noexcept nogil
        void (*free)(void* ctx, void* arena, size_t size) noexcept nogil
    void get_allocator "PyObject_GetArenaAllocator"(ArenaAllocator* allocator) noexcept
    void set_allocator "PyObject_SetArenaAllocator"(ArenaAllocator* allocator) noexcept

cdef extern from *:
    """
    typedef struct {
        int is_asked, n_at_once, n;
        size_t n_expected, size;
        void* arenas[32];
    } spm_lite_spare_arenas;
    #if defined(__linux__) && !defined(Py_GIL_DISABLED)
    static __thread spm_lite_spare_arenas spm_lite_spare;
    #define SPM_LITE_IS_WORTH_IT 1
    #else
    static spm_lite_spare_arenas spm_lite_spare;    /* not used */
    #define SPM_LITE_IS_WORTH_IT 0
    #endif
    """
    ctypedef struct SpareArenas "spm_lite_spare_arenas":
        bint is_asked       # whether this thread takes many at once now
        int n_at_once       # the last time
        size_t n_expected   # bytes that it may need, beyond those that it has taken
        size_t size
        int n
        void* arenas[32]    # that are taken and not used yet
    SpareArenas SPARE "spm_lite_spare"      # each thread has its own
    const bint IS_WORTH_IT "SPM_LITE_IS_WORTH_IT"   # elsewhere nothing is done

cdef enum Amounts:
    FEW = 4
    MANY = 32

cdef ArenaAllocator USUAL   # as it was for the first time: what is there later may lead back to `take_arena`
cdef int N_ASKED = 0        # of all threads, which hold the GIL where they change it


cdef void take_many_arenas(size_t n_expected) noexcept:
    global N_ASKED, USUAL
    cdef ArenaAllocator now
    if not IS_WORTH_IT:
        return
    if N_ASKED == 0:
        get_allocator(&now)
        if USUAL.alloc == NULL:
            USUAL = now
        if now.alloc == USUAL.alloc:  # else it is someone else's
            now.alloc = take_arena
            set_allocator(&now)
    N_ASKED += 1
    SPARE.is_asked = True
    SPARE.n_at_once = 0
    SPARE.n_expected = n_expected


cdef void take_arenas_as_usual() noexcept:
    global N_ASKED
    cdef ArenaAllocator now
    if not IS_WORTH_IT:
        return
    SPARE.is_asked = False
    while SPARE.n > 0:
        SPARE.n -= 1
        USUAL.free(USUAL.ctx, SPARE.arenas[SPARE.n], SPARE.size)
    N_ASKED -= 1
    if N_ASKED == 0:
        get_allocator(&now)
        if now.alloc == take_arena:
            set_allocator(&USUAL)


# Python's allocator calls these two: nothing there may make an object, as tracing would.
@cython.profile(False)
@cython.linetrace(False)
cdef void* take_arena(void* ctx, size_t size) noexcept nogil:
    """An arena for Python's allocator; NULL: there is no memory."""
    if not SPARE.is_asked or SPARE.n > 0 and SPARE.size != size:
        return USUAL.alloc(ctx, size)
    if SPARE.n == 0:
        take_spare(ctx, size)
    if SPARE.n == 0:
        return NULL
    SPARE.n -= 1
    populate(SPARE.arenas[SPARE.n], size)
    return SPARE.arenas[SPARE.n]


@cython.profile(False)
@cython.linetrace(False)
cdef void take_spare(void* ctx, size_t size) noexcept nogil:
    """Take as many as are expected to be needed, or twice as many as the last time, if that is more."""
    cdef void* arena
    cdef size_t n = max(SPARE.n_expected // size, 2 * <size_t> SPARE.n_at_once)
    n = min(max(n, <size_t> FEW), <size_t> MANY)
    SPARE.n_expected -= min(SPARE.n_expected, n * size)
    SPARE.n_at_once = <int> n
    SPARE.size = size
    while SPARE.n < SPARE.n_at_once:
        arena = USUAL.alloc(ctx, size)
        if arena == NULL:
            return
        want_large_pages(arena, size)
        SPARE.arenas[SPARE.n] = arena
        SPARE.n += 1
