"""Ids -> Python lists."""

from libc.stdint cimport int32_t, int64_t


cdef list list_of(const int32_t* ids, Py_ssize_t n)
# Append one list of ids per text. counts: the number of ids of each of `n_texts` texts, whose ids follow each other.
# n_all: the number of texts of the whole batch; the others are taken to be like these.
cdef int append_lists(
    list lists, const int32_t* ids, size_t n_ids, const int64_t* counts, Py_ssize_t n_texts, Py_ssize_t n_all,
) except -1
