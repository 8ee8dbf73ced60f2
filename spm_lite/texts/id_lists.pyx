"""Makes a list of int objects that are kept: the int of an id is made once, then gets one more reference.

The hot loop is that of `list_of`. Header: id_lists.pxd.
"""

from _thread import _count as count_threads  # besides the main one

from cpython.long cimport PyLong_FromLong
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc

from spm_lite.base.system.atomics cimport atomic
from spm_lite.base.system.intrinsics cimport prefetch

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
    N_KEPT = 1 << 20        # ids below have one int each, made on first use and kept: most of a list's time is theirs
    ITEMS_AHEAD = 32        # the memory for them comes from afar while others are written: a tenth of warm English

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
    """Return a new list of `n` ints, without a call of Python for each."""
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


cdef bint pause_gc() noexcept:
    """Pause the cyclic collector while many lists are made: it would visit all of them again and again, for nothing.

    Return whether it was on, for `resume_gc`, which the caller calls in any case.
    """
    return PyGC_Disable()


cdef void resume_gc(bint was_on) noexcept:
    if was_on:
        PyGC_Enable()


cdef int append_lists(list lists, const int32_t* ids, const int64_t* counts, Py_ssize_t n_texts) except -1:
    cdef Py_ssize_t i
    cdef bint was_on = pause_gc()
    try:
        for i in range(n_texts):
            lists.append(list_of(ids, <Py_ssize_t> counts[i]))
            ids += counts[i]
    finally:
        resume_gc(was_on)
    return 0


def lists_of(const int32_t[::1] ids not None, const int64_t[::1] offsets not None):
    """Return one list per text: text i has ids[offsets[i] : offsets[i + 1]].

    Raises ValueError if offsets are not ascending from 0 or more to len(ids) at most.
    """
    cdef const int32_t* data = &ids[0] if ids.shape[0] else NULL
    cdef list lists = []
    cdef int64_t begin, end
    cdef Py_ssize_t i
    cdef bint was_on = pause_gc()
    try:
        for i in range(offsets.shape[0] - 1):
            begin, end = offsets[i], offsets[i + 1]
            if not 0 <= begin <= end <= ids.shape[0]:
                raise ValueError(f"text {i} has ids {begin} to {end}: must be ascending and within {ids.shape[0]}")
            lists.append(list_of(data + begin, <Py_ssize_t> (end - begin)))
    finally:
        resume_gc(was_on)
    return lists


class PausedGc:
    """A context in which the cyclic collector pauses: it would visit many new objects, none of them part of a cycle.

    The collector is that of the whole process, so it goes on if there is another thread to which that could matter.
    """

    def __enter__(self):
        self._was_on = not count_threads() and pause_gc()

    def __exit__(self, *error):
        resume_gc(self._was_on)
