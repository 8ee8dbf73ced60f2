from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_FromLong
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc

cdef extern from "Python.h":
    int PyGC_Disable()
    int PyGC_Enable()

cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass atomic[T]:
        T load()
        void store(T)

cdef enum Sizes:
    N_KEPT = 1 << 20        # ids below have one int each, made on first use and kept: most of a list's time is theirs

# Atomic for Python without the GIL: whoever sees an int there sees all of it.
cdef atomic[PyObject*]* INTS = <atomic[PyObject*]*> calloc(N_KEPT, sizeof(atomic[PyObject*]))
if INTS == NULL:
    raise MemoryError


cdef inline object int_of(int32_t piece_id):
    """The int of an id."""
    cdef object made
    cdef PyObject* kept
    if not 0 <= piece_id < N_KEPT:
        return PyLong_FromLong(piece_id)
    kept = INTS[piece_id].load()
    if kept == NULL:
        made = PyLong_FromLong(piece_id)
        Py_INCREF(made)  # (Two threads may each make one; both stay.)
        INTS[piece_id].store(<PyObject*> made)
        return made
    return <object> kept


cdef list list_of(const int32_t* ids, Py_ssize_t n):
    """The ids as a list of ints."""
    cdef list items = PyList_New(n)
    cdef object item
    cdef Py_ssize_t i
    for i in range(n):
        item = int_of(ids[i])
        Py_INCREF(item)  # the list takes over a reference
        PyList_SET_ITEM(items, i, item)
    return items


def lists_of(const int32_t[::1] ids not None, const int64_t[::1] offsets not None):
    """One list per text: text i has ids[offsets[i] : offsets[i + 1]].

    Raises ValueError if offsets are not ascending from 0 or more to len(ids) at most. The cyclic garbage collector
    rests meanwhile: it would go through all these lists again and again, for nothing.
    """
    cdef const int32_t* data = &ids[0] if ids.shape[0] else NULL
    cdef bint was_enabled = PyGC_Disable()
    cdef list lists = []
    cdef int64_t begin, end
    cdef Py_ssize_t i
    try:
        for i in range(offsets.shape[0] - 1):
            begin, end = offsets[i], offsets[i + 1]
            if not 0 <= begin <= end <= ids.shape[0]:
                raise ValueError(f"text {i} has ids {begin} to {end}: must be ascending and within {ids.shape[0]}")
            lists.append(list_of(data + begin, <Py_ssize_t> (end - begin)))
    finally:
        if was_enabled:
            PyGC_Enable()
    return lists
