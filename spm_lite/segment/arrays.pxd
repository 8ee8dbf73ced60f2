"""Vectors that lend their memory to numpy."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector


@cython.final
cdef class Int32Array:
    cdef vector[int32_t] data           # never changed in size once a buffer was handed out
    cdef Py_ssize_t shape


@cython.final
cdef class Int64Array:
    cdef vector[int64_t] data           # likewise
    cdef Py_ssize_t shape
