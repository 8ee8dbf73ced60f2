"""Ids -> Python lists."""

from libc.stdint cimport int32_t


cdef list list_of(const int32_t* ids, Py_ssize_t n)
