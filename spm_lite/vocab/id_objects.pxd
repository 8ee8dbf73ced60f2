"""One int object for each id."""

cimport cython
from libc.stdint cimport int32_t


@cython.final
cdef class IdObjects:
    cdef int32_t size       # ids are -1 to size - 1
    cdef list ints          # by id + 1; None: not made so far

    cdef list list_of(self, const int32_t* ids, Py_ssize_t n)
