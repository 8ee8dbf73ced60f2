"""Reading and checking the ids of a caller."""

from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector


cdef int read_ids(object sequence, Py_ssize_t text_index, int32_t vocab_size, vector[int32_t]& ids) except -1
cdef int check_ids(const int32_t* ids, int64_t n_ids, Py_ssize_t text_index, int32_t vocab_size) except -1
# text_index: place in a batch, or -1
cdef void fetch_list(list lists, Py_ssize_t i) noexcept
