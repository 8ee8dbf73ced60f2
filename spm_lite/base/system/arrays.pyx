"""Grows an Int32Array on the heap or in a block of a budget, and shows both arrays to numpy as buffers.

Header: arrays.pxd.
"""

cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

from spm_lite.base.system.memory_budget cimport LEAST_BLOCK, Block, grow_block
from spm_lite.base.system.pages cimport prefault

cdef enum:
    STEP = 1 << 16          # values whose pages are prefaulted together

cdef Py_ssize_t INT32_SIZE = sizeof(int32_t)
cdef Py_ssize_t INT64_SIZE = sizeof(int64_t)


cdef void fill_buffer(
    Py_buffer* buffer, int flags, void* data, Py_ssize_t* shape, Py_ssize_t* item_size, char* form,
) noexcept:
    """Describe a writable, contiguous array of one dimension."""
    buffer.buf = data
    buffer.len = shape[0] * item_size[0]
    buffer.itemsize = item_size[0]
    buffer.readonly = 0
    buffer.ndim = 1
    buffer.format = form if flags & PyBUF_FORMAT else NULL
    buffer.shape = shape if flags & PyBUF_ND else NULL
    buffer.strides = item_size if flags & PyBUF_STRIDES == PyBUF_STRIDES else NULL
    buffer.suboffsets = NULL
    buffer.internal = NULL


@cython.final
@cython.no_gc  # a budget refers to no Python object
cdef class Int32Array:
    """Owner of int32 values; `view` shows them."""

    def __dealloc__(self):
        self.clear()

    cdef int grow(self, size_t needed) except -1 nogil:
        """Make room for `needed` values or more."""
        cdef size_t old_room = self.room
        if needed > self.capacity and not self.take_more(max(needed, self.capacity + self.capacity // 2)):
            with gil:
                raise MemoryError
        self.room = self.capacity
        if self.block.size:
            self.room = min(self.capacity, max(needed, old_room) + STEP)
            prefault(self.data + old_room, (self.room - old_room) * sizeof(int32_t))
            self.block.n_written = max(self.block.n_written, self.room * sizeof(int32_t))
        return 0

    cdef bint take_more(self, size_t room) noexcept nogil:
        """Get memory for `room` values or more. False: there is none, and nothing changed."""
        cdef size_t size = room * sizeof(int32_t)
        cdef Block block
        if self.block.size:
            if not grow_block(&self.block, size):
                return False
        else:
            if self.budget is None or size < LEAST_BLOCK or not self.budget.take_block(size, &block):
                return self.take_room(room)
            if self.size:
                memcpy(block.memory, self.data, self.size * sizeof(int32_t))
            free(self.data)
            self.block = block
        self.data = <int32_t*> self.block.memory
        self.capacity = self.block.size // sizeof(int32_t)
        return True

    cdef bint take_room(self, size_t room) noexcept nogil:
        """Get heap memory for exactly `room` values, more than before. False: there is none, and nothing changed."""
        cdef int32_t* data = <int32_t*> realloc(self.data, room * sizeof(int32_t))
        if data == NULL:
            return False
        self.data = data
        self.room = self.capacity = room
        return True

    cdef void trim(self) noexcept nogil:
        """Give unused memory back to the budget, if it is LEAST_BLOCK or more."""
        cdef size_t size = (self.size * sizeof(int32_t) // LEAST_BLOCK + 1) * LEAST_BLOCK
        cdef Block rest
        if size + LEAST_BLOCK <= self.block.size:
            rest = Block(
                <uint8_t*> self.block.memory + size, self.block.size - size, max(self.block.n_written, size) - size,
            )
            self.block = Block(self.block.memory, size, min(self.block.n_written, size))
            self.budget.free_block(rest)
            self.capacity = size // sizeof(int32_t)
            self.room = min(self.room, self.capacity)

    cdef int append(self, const int32_t* values, size_t n) except -1 nogil:
        if n > 0:
            reserve_values(self, n)
            memcpy(self.data + self.size, values, n * sizeof(int32_t))
            self.size += n
        return 0

    cdef void clear(self) noexcept nogil:
        """Remove all values and give the memory back."""
        if self.block.size:
            self.budget.free_block(self.block)
        else:
            free(self.data)
        self.data = NULL
        self.block = Block(NULL, 0, 0)
        self.size = self.room = self.capacity = 0

    def __len__(self):
        return <Py_ssize_t> self.size

    def view(self):
        """The values, to read and to write, without a copy."""
        return memoryview(self)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        self.shape = <Py_ssize_t> self.size
        fill_buffer(buffer, flags, self.data, &self.shape, &INT32_SIZE, b"i")
        buffer.obj = self


@cython.final
cdef class Int64Array:
    """Owner of int64 values; `view` shows them."""

    cdef void add_up(self) noexcept nogil:
        """Counts -> running totals."""
        cdef size_t i
        for i in range(1, self.data.size()):
            self.data[i] += self.data[i - 1]

    def __len__(self):
        return <Py_ssize_t> self.data.size()

    def view(self):
        """The values, to read and to write, without a copy."""
        return memoryview(self)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        self.shape = <Py_ssize_t> self.data.size()
        fill_buffer(buffer, flags, self.data.data(), &self.shape, &INT64_SIZE, b"q")
        buffer.obj = self
