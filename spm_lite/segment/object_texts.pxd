"""The texts of a batch that are Python objects."""

cimport cython
from cpython.ref cimport PyObject
from libcpp.vector cimport vector

from spm_lite.segment.texts cimport Texts


@cython.final
cdef class ObjectTexts(Texts):
    cdef readonly object items              # a tuple or list of str or bytes
    cdef vector[PyObject*] held             # of a list: those of the block, owned

    cdef int release(self) except -1
