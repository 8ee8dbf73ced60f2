"""Ids -> Python lists."""

from libc.stdint cimport int32_t, int64_t


cdef list list_of(const int32_t* ids, Py_ssize_t n)
# Append one list for each of `n_texts` texts; text i has the next counts[i] of the ids.
cdef int append_lists(list lists, const int32_t* ids, const int64_t* counts, Py_ssize_t n_texts) except -1
