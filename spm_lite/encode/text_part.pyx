cimport cython


@cython.final
cdef class TextPart:
    """Used for one part after the other."""

    def __cinit__(self):
        self.ids = Int32Array()
        self.block = TextBlock()
