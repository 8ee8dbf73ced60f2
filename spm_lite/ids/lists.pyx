from cpython.long cimport PyLong_FromLong
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc

from spm_lite.base.system.atomics cimport atomic
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.system.pages cimport prefault  # no-cython-lint: the C code of the arenas calls it

cdef extern from *:
    """
    #if defined(__linux__) && !defined(Py_GIL_DISABLED)
    static PyObjectArenaAllocator spm_lite_usual_arenas;
    static void* spm_lite_take_arena(void* ctx, size_t size) {
        void* arena = spm_lite_usual_arenas.alloc(ctx, size);
        if (arena != NULL) spm_lite_prefault(arena, size);
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
    # The first function makes Python's allocator prefault each new arena (1 MB in most versions); the second undoes it.
    # Between them no other thread may run, since the setting is the process's. (A subinterpreter with its own GIL may
    # take such an arena meanwhile, which does no harm.)
    void take_arenas_whole "spm_lite_take_arenas_whole"()
    void take_arenas_as_usual "spm_lite_take_arenas_as_usual"()

cdef extern from "Python.h":
    void add_reference "Py_INCREF"(PyObject* item) noexcept
    int PyGC_Disable()
    int PyGC_Enable()

cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED)
    #define spm_lite_list_with_room(n) PyList_New(n)
    #define spm_lite_set_size(list, n) ((void) (list), (void) (n))
    #else
    /* PyList_New(n) would zero items that are overwritten at once: a tenth of the time. */
    static inline PyObject* spm_lite_list_with_room(Py_ssize_t n) {
        PyObject* list = PyList_New(0);
        PyObject** items = n && list != NULL ? (PyObject**) PyMem_Malloc(n * sizeof(PyObject*)) : NULL;
        if (items != NULL) {
            ((PyListObject*) list)->ob_item = items;
            ((PyListObject*) list)->allocated = n;
        } else if (n && list != NULL) {
            Py_DECREF(list);
            return PyErr_NoMemory();
        }
        return list;
    }
    static inline void spm_lite_set_size(PyObject* list, Py_ssize_t n) { Py_SET_SIZE((PyVarObject*) list, n); }
    #endif
    #define spm_lite_items(list) (((PyListObject*) (list))->ob_item)
    """
    list list_with_room "spm_lite_list_with_room"(Py_ssize_t n)     # its items are set next, then `set_size`
    PyObject** items_of "spm_lite_items"(list items) noexcept
    void set_size "spm_lite_set_size"(list items, Py_ssize_t n) noexcept

cdef enum:
    WORTH_IT = 1 << 22      # bytes of objects above which arenas are taken whole
    N_KEPT = 1 << 20        # ids below have one int each, made on first use and kept: ints are most of a list's time
    LIST_BYTES = 64         # bytes of a list without its items
    ITEMS_AHEAD = 32        # their memory is prefetched while earlier ones are written: a tenth of warm English

# Atomic for Python without the GIL: a thread that sees an int there sees all of it.
cdef atomic[PyObject*]* INTS = <atomic[PyObject*]*> calloc(N_KEPT, sizeof(atomic[PyObject*]))
if INTS == NULL:
    raise MemoryError


cdef PyObject* new_int(int32_t piece_id) except NULL:
    """Make the int of an id that has none yet, with a reference for the caller; keep it if it is small enough."""
    cdef object made = PyLong_FromLong(piece_id)
    Py_INCREF(made)
    if 0 <= piece_id < N_KEPT:
        Py_INCREF(made)  # (Two threads may each make one; both stay.)
        INTS[piece_id].store(<PyObject*> made)
    return <PyObject*> made


cdef list list_of(const int32_t* ids, Py_ssize_t n):
    """Return the ids as a list of ints."""
    cdef list made = list_with_room(n)
    cdef PyObject** items = items_of(made)
    cdef PyObject* item
    cdef Py_ssize_t n_done = 0
    try:
        # Pointers, not objects: each int's reference count is raised once and never lowered, a sixth of the time less.
        while n_done < n:
            prefetch(items + n_done + <int> ITEMS_AHEAD)
            item = INTS[ids[n_done]].load() if 0 <= ids[n_done] < N_KEPT else NULL
            if item == NULL:
                item = new_int(ids[n_done])
            else:
                add_reference(item)
            items[n_done] = item
            n_done += 1
    finally:
        set_size(made, n_done)
    return made


cdef struct PausedGc:
    # What `resume_gc` has to undo.
    bint gc
    bint arenas


cdef inline double list_bytes(size_t n_ids, Py_ssize_t n_lists) noexcept:
    """Return the bytes of `n_lists` lists of `n_ids` ids in all, without the ints."""
    return <double> (n_ids * sizeof(PyObject*)) + <double> n_lists * LIST_BYTES


cdef PausedGc pause_gc(double n_bytes):
    """Pause the cyclic collector, which would go through all lists again and again for nothing.

    n_bytes: of objects to be made; if there are many, arenas are taken whole. `resume_gc` must follow in any case, and
    no other thread may run before it.
    """
    cdef PausedGc paused = PausedGc(PyGC_Disable(), n_bytes > WORTH_IT)
    if paused.arenas:
        take_arenas_whole()
    return paused


cdef void resume_gc(PausedGc paused):
    if paused.arenas:
        take_arenas_as_usual()
    if paused.gc:
        PyGC_Enable()


cdef int append_lists(
    list lists, const int32_t* ids, size_t n_ids, const int64_t* counts, Py_ssize_t n_texts, Py_ssize_t n_all,
) except -1:
    cdef Py_ssize_t i
    cdef PausedGc paused = pause_gc(list_bytes(n_ids, n_texts) / max(n_texts, 1) * n_all)
    try:
        for i in range(n_texts):
            lists.append(list_of(ids, <Py_ssize_t> counts[i]))
            ids += counts[i]
    finally:
        resume_gc(paused)
    return 0


def lists_of(const int32_t[::1] ids not None, const int64_t[::1] offsets not None):
    """Return one list per text: text i has ids[offsets[i] : offsets[i + 1]].

    Raises ValueError if offsets are not ascending from 0 or more to len(ids) at most.
    """
    cdef const int32_t* data = &ids[0] if ids.shape[0] else NULL
    cdef list lists = []
    cdef int64_t begin, end
    cdef Py_ssize_t i
    cdef PausedGc paused = pause_gc(list_bytes(ids.shape[0], offsets.shape[0]))
    try:
        for i in range(offsets.shape[0] - 1):
            begin, end = offsets[i], offsets[i + 1]
            if not 0 <= begin <= end <= ids.shape[0]:
                raise ValueError(f"text {i} has ids {begin} to {end}: must be ascending and within {ids.shape[0]}")
            lists.append(list_of(data + begin, <Py_ssize_t> (end - begin)))
    finally:
        resume_gc(paused)
    return lists
