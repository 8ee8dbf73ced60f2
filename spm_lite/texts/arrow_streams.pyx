"""Asks the producer for one array after the other, and holds the next one ready. Header: arrow_streams.pxd."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memset

from spm_lite.texts.arrow_streams cimport ArrowArrayStream

from spm_lite.errors import TextError


@cython.final
cdef class ArrowStream:
    """Reads an object with `__arrow_c_stream__` array by array; true as long as there is one more.

    Raises TextError if the producer fails, or was asked before.
    """

    def __cinit__(self, source):
        cdef int error
        self.capsule = source.__arrow_c_stream__()
        self.stream = <ArrowArrayStream*> PyCapsule_GetPointer(self.capsule, b"arrow_array_stream")
        if self.stream.release == NULL:
            raise TextError("texts is an Arrow stream that was released before: make a new one")
        with nogil:
            error = self.stream.get_schema(self.stream, &self.schema)
        if error:
            memset(&self.schema, 0, sizeof(self.schema))
            raise self.failed(error)
        self.read()

    def __dealloc__(self):
        if self.schema.release != NULL:
            self.schema.release(&self.schema)
        if self.next_array.release != NULL:
            self.next_array.release(&self.next_array)

    def __bool__(self):
        return self.has_next

    cdef int read(self) except -1:
        cdef int error
        memset(&self.next_array, 0, sizeof(self.next_array))
        with nogil:  # the producer may need the interpreter, in another thread
            error = self.stream.get_next(self.stream, &self.next_array)
        if error:
            memset(&self.next_array, 0, sizeof(self.next_array))
            self.has_next = False
            raise self.failed(error)
        self.has_next = self.next_array.release != NULL
        PyErr_CheckSignals()
        return 0

    cdef object failed(self, int error):
        """Return the error of a stream that gave an error number."""
        cdef const char* reason = self.stream.get_last_error(self.stream)
        shown = (<bytes> reason).decode("utf-8", "replace") if reason != NULL else f"error {error}"
        return TextError(f"the Arrow stream of texts cannot be read: {shown}")
