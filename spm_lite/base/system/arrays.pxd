"""Growing arrays that lend their memory to numpy."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.memory_budget cimport Block, MemoryBudget


@cython.final
cdef class Int32Array:
    # Not a vector: what is about to be written over is not filled with zeros, and growing may cost no copy.
    cdef int32_t* data                  # never moved once a buffer was handed out
    cdef size_t size
    cdef size_t room                    # values that may be written to `data` now
    cdef size_t capacity                # values that it can hold
    cdef MemoryBudget budget             # where large blocks come from; None: from the heap, as all others
    cdef Block block                    # under `data`; of no bytes: that is the heap's
    cdef Py_ssize_t shape

    cdef int grow(self, size_t needed) except -1 nogil
    cdef bint take_more(self, size_t room) noexcept nogil
    cdef bint take_room(self, size_t room) noexcept nogil
    cdef int append(self, const int32_t* values, size_t n) except -1 nogil
    cdef void trim(self) noexcept nogil
    cdef void clear(self) noexcept nogil


cdef inline int reserve_values(Int32Array values, size_t n_more) except -1 nogil:
    """Let there be room for as many behind the last; `data` may move."""
    if values.room - values.size >= n_more:
        return 0
    return values.grow(values.size + n_more)


@cython.final
cdef class Int64Array:
    cdef vector[int64_t] data           # never changed in size once a buffer was handed out
    cdef Py_ssize_t shape

    cdef void add_up(self) noexcept nogil
