"""Shows the items of a tuple or list as views, prefetches those ahead, and holds a reference to those of a list.

Header: object_texts.pxd.
"""

cimport cython
from cpython.list cimport PyList_CheckExact
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdint cimport int64_t

from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView, memory_of, view_text

from spm_lite.errors import ArgumentTypeError, TextError

cdef extern from "Python.h":
    PyObject** items_of "PySequence_Fast_ITEMS"(object sequence) noexcept       # of a tuple or list

cdef enum:
    AHEAD = 16              # texts between the one that is read and the one that is prefetched


@cython.final
cdef class ObjectTexts(Texts):
    """A tuple or list of str or bytes objects; `view_block` raises as `view_text` does, naming the place.

    A list is not copied, and must keep its size until all texts are taken. If an entry is replaced meanwhile, either
    object may be taken.
    """

    def __cinit__(self, items):
        if type(items) is not tuple and type(items) is not list:
            raise ArgumentTypeError(f"texts are in a tuple or list, not in {type(items).__name__}")
        self.items = items
        self.n = len(items)

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, TextBlock block) except -1:
        cdef TextView view
        cdef PyObject** items
        cdef PyObject* item
        cdef Py_ssize_t i = begin
        cdef bint is_list = PyList_CheckExact(self.items)
        block.clear()
        with cython.critical_section(self.items):
            if len(self.items) != self.n:
                raise TextError(
                    f"texts had {self.n} entries, but has {len(self.items)} before all were read: "
                    "do not change it during the call, or pass a copy"
                )
            items = items_of(self.items)
            try:
                while i < self.n and (n_bytes > 0 or i == begin):
                    if i + AHEAD < self.n:
                        prefetch(items[i + AHEAD])
                    item = items[i]
                    if is_list:
                        block.held.push_back(item)
                        Py_INCREF(<object> item)
                    view_text(<object> item, i, &view)
                    block.views.push_back(view)
                    n_bytes -= memory_of(&view) + 1
                    i += 1
            except (ArgumentTypeError, TextError):
                if i == begin:
                    raise
        return i
