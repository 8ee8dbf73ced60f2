"""Ids -> Python lists."""

from libc.stdint cimport int32_t, int64_t


cdef list list_of(const int32_t* ids, Py_ssize_t n)
# Append the ids of `n_texts`, one list for each: so many as `counts` tell, those of one behind those of another.
# n_all: how many texts there are in all; these are taken to be like the others.
cdef int append_lists(
    list lists, const int32_t* ids, size_t n_ids, const int64_t* counts, Py_ssize_t n_texts, Py_ssize_t n_all,
) except -1
