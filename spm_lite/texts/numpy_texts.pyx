"""Finds the size of each entry without the NULs at its end, a block of 64 bytes at a time. Header: numpy_texts.pxd."""

cimport cython
from cpython.buffer cimport PyBUF_ND, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int64_t, uint8_t

from spm_lite.texts.text_view cimport ARRAY_UNITS, TextBlock, TextView, memory_of, view_bytes

cdef enum:
    CODE_POINT = 4          # bytes

cdef enum:
    # Tested together: compilers vectorize such loops.
    BLOCK_BYTES = 64


cdef class PaddedTexts(Texts):
    """Texts in the memory of a flat, contiguous array, which is held while this object lives."""

    def __cinit__(self, array):
        PyObject_GetBuffer(array, &self.buffer, PyBUF_ND)
        if self.buffer.ndim != 1:
            raise ValueError(f"the array has {self.buffer.ndim} dimensions: must have one, such as after ravel()")
        self.data = <const uint8_t*> self.buffer.buf
        self.item_size = self.buffer.itemsize
        self.n = self.buffer.shape[0]

    def __dealloc__(self):
        PyBuffer_Release(&self.buffer)


@cython.final
cdef class PaddedBytes(PaddedTexts):

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, TextBlock block) except -1:
        cdef const uint8_t* item
        cdef TextView view
        cdef Py_ssize_t i = begin, size
        block.clear()
        while i < self.n and (n_bytes > 0 or i == begin):
            item = self.data + i * self.item_size
            size = size_without_padding(item, self.item_size)
            view_bytes(item, size, i, &view)
            block.views.push_back(view)
            n_bytes -= size + 1
            i += 1
        return i


@cython.final
cdef class PaddedStrings(PaddedTexts):

    def __cinit__(self, array):
        if self.item_size % CODE_POINT:
            raise ValueError(f"entries of {self.item_size} bytes: must be code points of {CODE_POINT}")

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, TextBlock block) except -1:
        cdef const uint8_t* item
        cdef TextView view
        cdef Py_ssize_t i = begin, length
        block.clear()
        while i < self.n and (n_bytes > 0 or i == begin):
            item = self.data + i * self.item_size
            length = (size_without_padding(item, self.item_size) + CODE_POINT - 1) // CODE_POINT
            view_bytes(item, length, i, &view)
            view.form = ARRAY_UNITS
            block.views.push_back(view)
            n_bytes -= memory_of(&view) + 1
            i += 1
        return i


cdef inline Py_ssize_t size_without_padding(const uint8_t* item, Py_ssize_t size) noexcept nogil:
    """Return the bytes of an entry without the NULs at its end."""
    while size >= BLOCK_BYTES and is_all_nul(item + size - BLOCK_BYTES):
        size -= BLOCK_BYTES
    while size > 0 and item[size - 1] == 0:
        size -= 1
    return size


cdef inline bint is_all_nul(const uint8_t* block) noexcept nogil:
    cdef uint8_t found = 0
    cdef int k
    for k in range(BLOCK_BYTES):
        found |= block[k]
    return found == 0
