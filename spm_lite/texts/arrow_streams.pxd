"""The Arrow C data interface: structs through which libraries of one process share columns, and a reader of streams.

A stream has arrays of one type, which the producer makes one by one.
Source: "The Arrow C data interface", "The Arrow C stream interface", "The Arrow PyCapsule Interface",
https://arrow.apache.org/docs/format/.
"""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from libc.stdlib cimport free


cdef enum:
    ARROW_FLAG_NULLABLE = 2

cdef struct ArrowSchema:
    # The type of a column.
    const char* format          # "u": UTF-8 strings ...
    const char* name
    const char* metadata
    int64_t flags
    int64_t n_children
    ArrowSchema** children
    ArrowSchema* dictionary     # NULL: the column holds the values themselves
    void (*release)(ArrowSchema*) noexcept nogil    # frees all of it; NULL: freed, or moved elsewhere
    void* private_data          # of the producer

cdef struct ArrowArray:
    # The values of a column.
    int64_t length
    int64_t null_count          # -1: not known
    int64_t offset              # values before the first in all buffers
    int64_t n_buffers
    int64_t n_children
    const void** buffers        # which ones depends on the type
    ArrowArray** children
    ArrowArray* dictionary
    void (*release)(ArrowArray*) noexcept nogil
    void* private_data

cdef struct ArrowArrayStream:
    # Columns of one type, one after the other. The functions return 0 or an error number.
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*) noexcept nogil
    int (*get_next)(ArrowArrayStream*, ArrowArray*) noexcept nogil      # a released array: the end
    const char* (*get_last_error)(ArrowArrayStream*) noexcept nogil     # may be NULL
    void (*release)(ArrowArrayStream*) noexcept nogil
    void* private_data


cdef extern from "Python.h":
    # A capsule that is being destroyed is no `object`: its references must not be counted.
    object PyCapsule_New(void* pointer, const char* name, void (*destructor)(PyObject*) noexcept)
    void* PyCapsule_GetPointer(PyObject* capsule, const char* name) noexcept


cdef inline void drop_schema(PyObject* capsule) noexcept:
    """Free the schema of a capsule that is being destroyed."""
    cdef ArrowSchema* schema = <ArrowSchema*> PyCapsule_GetPointer(capsule, b"arrow_schema")
    if schema.release != NULL:
        schema.release(schema)
    free(schema)


cdef class ArrowStream:
    cdef object capsule         # keeps the stream alive
    cdef ArrowArrayStream* stream
    cdef ArrowSchema schema     # of the arrays
    cdef bint has_next          # `next_array` holds one
    cdef ArrowArray next_array  # who takes it sets its `release` to NULL, and calls `read`

    cdef int read(self) except -1                       # the next array into `next_array`
    cdef object failed(self, int error)
