cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from spm_lite.machine cimport prefetch
from spm_lite.segment.texts cimport Texts, TextView, memory_of, view_item

cdef extern from "Python.h":
    PyObject* PyTuple_GET_ITEM(object items, Py_ssize_t i) noexcept

cdef enum Fetching:
    AHEAD = 4               # texts


@cython.final
cdef class ObjectTexts(Texts):
    """A tuple of str or bytes objects; `view_block` raises as `view_text` does, naming the place."""

    def __init__(self, tuple items not None):
        self.items = items
        self.n = len(items)

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, vector[TextView]& views) except -1:
        cdef tuple items = self.items
        cdef TextView view
        cdef Py_ssize_t i = begin
        views.clear()
        while i < self.n and (n_bytes > 0 or i == begin):
            if i + AHEAD < self.n:
                prefetch(PyTuple_GET_ITEM(items, i + AHEAD))
            view_item(<object> PyTuple_GET_ITEM(items, i), i, &view)
            views.push_back(view)
            n_bytes -= memory_of(&view) + 1
            i += 1
        return i
