"""Documents drawn with replacement (bootstrap): the sums of quantities over each draw.

They are the draws of numpy: generator.integers(0, n, (draws, n)). Only the sums are kept, since the numbers
of the documents take more memory than all else.
"""

cimport cython
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

cdef struct BitGenerator:
    # numpy's bitgen_t, as its C interface for other languages gives it.
    void* state
    uint64_t (*next_uint64)(void* state) noexcept nogil
    uint32_t (*next_uint32)(void* state) noexcept nogil
    double (*next_double)(void* state) noexcept nogil
    uint64_t (*next_raw)(void* state) noexcept nogil


@cython.final
cdef class Draws:
    """Draws of n documents from n, one after the other.

    bit_generator: a new PCG64 of numpy, which nothing else may use. n: 2 or more, below 2^32.
    """

    cdef object bit_generator   # keeps `source` alive
    cdef BitGenerator* source
    cdef uint64_t rest          # the upper half of the last 64 bits, if there is one
    cdef bint has_rest
    cdef vector[uint32_t] drawn  # the documents of one draw

    def __cinit__(self, bit_generator, uint32_t n):
        self.bit_generator = bit_generator
        self.source = <BitGenerator*> PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
        self.drawn.resize(n)

    def fill_sums(self, const double[:, ::1] rows not None, double[:, ::1] sums not None):
        """Make as many draws as `sums` has rows; fill each with the sums of all `rows` over the documents drawn.

        rows: a row for each quantity, with n values. sums: a column for each quantity.
        """
        cdef Py_ssize_t draw, row
        if rows.shape[1] != <Py_ssize_t> self.drawn.size() or sums.shape[1] != rows.shape[0]:
            raise ValueError(f"{rows.shape[1]} values of {rows.shape[0]} quantities for {sums.shape[1]} sums")
        with nogil:
            for draw in range(sums.shape[0]):
                self.draw()
                for row in range(rows.shape[0]):
                    sums[draw, row] = sum_of(&rows[row, 0], self.drawn.data(), self.drawn.size())

    cdef void draw(self) noexcept nogil:
        """Draw documents, by multiplication and rejection (Lemire 2019)."""
        cdef uint32_t n = <uint32_t> self.drawn.size()
        cdef uint32_t threshold = (<uint32_t> 0 - n) % n
        cdef uint64_t product
        cdef size_t i
        for i in range(self.drawn.size()):
            product = <uint64_t> self.next_half() * n
            while <uint32_t> product < threshold:
                product = <uint64_t> self.next_half() * n
            self.drawn[i] = <uint32_t> (product >> 32)

    cdef inline uint32_t next_half(self) noexcept nogil:
        """Return 32 random bits: the lower half of 64 first."""
        self.has_rest = not self.has_rest
        if not self.has_rest:
            return <uint32_t> (self.rest >> 32)
        self.rest = self.source.next_uint64(self.source.state)
        return <uint32_t> self.rest


cdef double sum_of(const double* values, const uint32_t* drawn, size_t n) noexcept nogil:
    """Sum up the values of the documents drawn. Four sums, since one would wait for each addition."""
    cdef double first = 0, second = 0, third = 0, fourth = 0
    cdef size_t i = 0
    while i + 4 <= n:
        first += values[drawn[i]]
        second += values[drawn[i + 1]]
        third += values[drawn[i + 2]]
        fourth += values[drawn[i + 3]]
        i += 4
    while i < n:
        first += values[drawn[i]]
        i += 1
    return (first + second) + (third + fourth)
