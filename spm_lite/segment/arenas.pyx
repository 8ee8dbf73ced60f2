from libc.stdint cimport int32_t

from spm_lite.atomics cimport atomic
from spm_lite.segment.populated cimport lend, populate

cdef extern from "Python.h":
    ctypedef struct PyObjectArenaAllocator:
        void* ctx
        void* (*alloc)(void* ctx, size_t size) noexcept nogil
        void (*free)(void* ctx, void* memory, size_t size) noexcept nogil

    void PyObject_GetArenaAllocator(PyObjectArenaAllocator* allocator)
    void PyObject_SetArenaAllocator(PyObjectArenaAllocator* allocator)

cdef extern from *:
    """
    #if defined(__linux__) && !defined(Py_GIL_DISABLED) && !defined(PYPY_VERSION)
    #define SPM_LITE_HAS_ARENAS 1
    #else
    #define SPM_LITE_HAS_ARENAS 0
    #endif
    """
    bint HAS_ARENAS "SPM_LITE_HAS_ARENAS"

cdef enum Amounts:
    MOST_KEPT = 32          # arenas
    LEAST_BYTES = 1 << 18   # of one: Python takes smaller blocks in the same way, for other things

# Python gives an arena back when the last object in it dies, and takes the next one page by page, an interrupt each:
# with batch after batch of lists that is up to a third of the time that they take. So some are kept, lent to the
# system, which may take their pages as long as nothing is written to them.
cdef PyObjectArenaAllocator usual       # Python's own, or what another library has put in its place
cdef bint is_installed = False
cdef bint takes_whole = False
cdef void* kept[MOST_KEPT]
cdef int32_t n_kept = 0
cdef size_t kept_size = 0               # bytes of each
cdef atomic[int32_t] in_use             # by one of several interpreters with locks of their own; who comes second goes without


def kept_arenas():
    """(how many are kept, bytes of each)."""
    return n_kept, kept_size


cdef void take_arenas_whole(bint whole) noexcept:
    global is_installed, takes_whole
    cdef PyObjectArenaAllocator own
    if not HAS_ARENAS:
        return
    if not is_installed:
        is_installed = True
        PyObject_GetArenaAllocator(&usual)
        own = PyObjectArenaAllocator(usual.ctx, &take_arena, &give_arena)
        PyObject_SetArenaAllocator(&own)
    takes_whole = whole


cdef void release_arenas() noexcept:
    """Give back what is kept."""
    cdef void* arena = take_kept(kept_size)
    while arena != NULL:
        usual.free(usual.ctx, arena, kept_size)
        arena = take_kept(kept_size)


cdef void* take_arena(void* ctx, size_t size) noexcept nogil:
    cdef void* arena = take_kept(size)
    if arena == NULL:
        arena = usual.alloc(ctx, size)
        if arena != NULL and takes_whole and size >= LEAST_BYTES:
            populate(arena, size)
    return arena


cdef void give_arena(void* ctx, void* arena, size_t size) noexcept nogil:
    if not keep(arena, size):
        usual.free(ctx, arena, size)


cdef void* take_kept(size_t size) noexcept nogil:
    """One of those that are kept; NULL: there is none of that size."""
    global n_kept
    cdef void* arena = NULL
    if in_use.exchange(1):
        return NULL
    if n_kept and size == kept_size:
        n_kept -= 1
        arena = kept[n_kept]
    in_use.store(0)
    return arena


cdef bint keep(void* arena, size_t size) noexcept nogil:
    """Whether one more is kept now."""
    global n_kept, kept_size
    if size < LEAST_BYTES or in_use.exchange(1):
        return False
    if n_kept == 0:
        kept_size = size
    cdef bint is_kept = n_kept < MOST_KEPT and size == kept_size
    if is_kept:
        lend(arena, size)
        kept[n_kept] = arena
        n_kept += 1
    in_use.store(0)
    return is_kept
