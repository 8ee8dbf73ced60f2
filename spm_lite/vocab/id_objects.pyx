cimport cython
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t


@cython.final
cdef class IdObjects:
    """Makes lists of ids from ints that are made once: making them takes most of the time of a list."""

    def __init__(self, int32_t size):
        self.size = size
        self.ints = None

    cdef list list_of(self, const int32_t* ids, Py_ssize_t n):
        cdef list items = PyList_New(n), ints
        cdef object item
        cdef Py_ssize_t i
        if self.ints is None:
            with cython.critical_section(self):  # without the GIL: a list that another thread reads is never replaced
                if self.ints is None:
                    self.ints = [None] * (self.size + 1)
        ints = self.ints
        for i in range(n):
            item = ints[ids[i] + 1]
            if item is None:
                item = ids[i]
                ints[ids[i] + 1] = item
            Py_INCREF(item)  # the list takes over a reference
            PyList_SET_ITEM(items, i, item)
        return items
