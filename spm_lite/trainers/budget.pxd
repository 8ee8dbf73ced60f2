"""How many chunks a trainer can take within a memory limit."""

from libc.stdint cimport uint64_t


cdef class Budget:
    """Memory that training on a table takes, as a function of its size; never changes."""

    cdef readonly double available      # bytes
    cdef readonly double per_chunk
    cdef readonly double per_byte       # of the distinct texts
    cdef readonly double growing        # the same for what stops growing
    cdef readonly double grown          # when it takes so much

    cdef bint fits(self, uint64_t n_chunks, uint64_t n_bytes) noexcept nogil
