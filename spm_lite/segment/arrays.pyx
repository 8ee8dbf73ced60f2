cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_STRIDES
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.long cimport PyLong_FromLong
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t


cdef Py_ssize_t INT32_SIZE = sizeof(int32_t)
cdef Py_ssize_t INT64_SIZE = sizeof(int64_t)


cdef void fill_buffer(
    Py_buffer* buffer, int flags, void* data, Py_ssize_t* shape, Py_ssize_t* item_size, char* form,
):
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
cdef class Int32Array:
    """Owner of int32 values; `view` shows them."""

    def __len__(self):
        return <Py_ssize_t> self.data.size()

    def view(self):
        """The values, to read and to write, without a copy."""
        return memoryview(self)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        self.shape = <Py_ssize_t> self.data.size()
        fill_buffer(buffer, flags, self.data.data(), &self.shape, &INT32_SIZE, b"i")
        buffer.obj = self


@cython.final
cdef class Int64Array:
    """Owner of int64 values; `view` shows them."""

    def __len__(self):
        return <Py_ssize_t> self.data.size()

    def view(self):
        """The values, to read and to write, without a copy."""
        return memoryview(self)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        self.shape = <Py_ssize_t> self.data.size()
        fill_buffer(buffer, flags, self.data.data(), &self.shape, &INT64_SIZE, b"q")
        buffer.obj = self


@cython.final
cdef class IntMaker:
    """Makes lists of ints, which share their ints where values repeat: making those takes most of the time."""

    def __cinit__(self):
        cdef int32_t i
        self.ints = [0] * N_SHARED
        for i in range(N_SHARED):
            self.values[i] = 0

    cdef list list_of(self, const int32_t* values, Py_ssize_t n):
        cdef list items = PyList_New(n)
        cdef object item
        cdef Py_ssize_t i, place
        for i in range(n):
            place = values[i] & (N_SHARED - 1)
            if self.values[place] != values[i]:
                self.ints[place] = PyLong_FromLong(values[i])
                self.values[place] = values[i]
            item = self.ints[place]
            Py_INCREF(item)  # the list takes over a reference
            PyList_SET_ITEM(items, i, item)
        return items
