"""Ids -> Python lists."""

from libc.stdint cimport int32_t, int64_t


cdef list list_of(const int32_t* ids, Py_ssize_t n)
# Append the ids of `n_texts`, one list for each: so many as `counts` tell, those of one behind those of another.
cdef int append_lists(list lists, const int32_t* ids, const int64_t* counts, Py_ssize_t n_texts) except -1
