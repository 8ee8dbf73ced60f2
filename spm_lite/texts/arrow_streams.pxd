"""An Arrow stream: arrays of one type, which the producer makes one by one."""

from spm_lite.texts.arrow cimport ArrowArray, ArrowArrayStream, ArrowSchema


cdef class ArrowStream:
    cdef object capsule         # keeps the stream alive
    cdef ArrowArrayStream* stream
    cdef ArrowSchema schema     # of the arrays
    cdef bint has_next          # `next_array` holds one
    cdef ArrowArray next_array  # who takes it sets its `release` to NULL, and calls `read`

    cdef int read(self) except -1                       # the next array into `next_array`
    cdef object failed(self, int error)
