cimport cython
from libc.stdint cimport uint64_t


@cython.final
cdef class Budget:
    """Memory that training on a table takes, as a function of its size; never changes."""

    def __init__(self, double available, double per_chunk, double per_byte, double growing=0, double grown=0):
        self.available = available
        self.per_chunk = per_chunk
        self.per_byte = per_byte
        self.growing = growing
        self.grown = grown

    cdef bint fits(self, uint64_t n_chunks, uint64_t n_bytes) noexcept nogil:
        """Whether a table of so many chunks, of so many bytes together, can be trained on."""
        cdef double need = self.per_chunk * <double> n_chunks + self.per_byte * <double> n_bytes
        return need + min(self.growing * <double> n_bytes, self.grown) <= self.available
