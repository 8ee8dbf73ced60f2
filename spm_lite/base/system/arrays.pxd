"""Growing arrays whose memory numpy uses without a copy."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.memory_budget cimport Block, MemoryBudget


@cython.final
cdef class Int32Array:
    # Not a vector: new room is not filled with zeros, and growing may need no copy.
    cdef int32_t* data                  # never moved once a buffer was handed out
    cdef size_t size
    cdef size_t room                    # values that may be written to `data` now
    cdef size_t capacity                # values that its memory can hold
    cdef MemoryBudget budget             # source of large blocks; None: the heap, where all others come from
    cdef Block block                    # the memory of `data`; size 0: it is from the heap
    cdef Py_ssize_t shape

    cdef int grow(self, size_t needed) except -1 nogil
    cdef bint take_more(self, size_t room) noexcept nogil
    cdef bint take_room(self, size_t room) noexcept nogil
    cdef int append(self, const int32_t* values, size_t n) except -1 nogil
    cdef void trim(self) noexcept nogil
    cdef void clear(self) noexcept nogil


cdef inline int reserve_values(Int32Array values, size_t n_more) except -1 nogil:
    """Make room for `n_more` values after the last; `data` may move."""
    if values.room - values.size >= n_more:
        return 0
    return values.grow(values.size + n_more)


@cython.final
cdef class Int64Array:
    cdef vector[int64_t] data           # never changed in size once a buffer was handed out
    cdef Py_ssize_t shape

    cdef void add_up(self) noexcept nogil
