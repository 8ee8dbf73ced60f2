"""A batch of ids as an Arrow column of lists, without a copy."""

from spm_lite.texts.arrow_streams cimport ArrowArray, ArrowSchema


cdef struct SchemaParts:
    # The memory that the schema of a list points to.
    ArrowSchema item
    ArrowSchema* children[1]

cdef struct ArrayParts:
    # The memory that an array points to, and the buffer that it keeps alive.
    ArrowArray item             # of a list: its values
    ArrowArray* children[1]
    const void* buffers[2]      # no validity bits, then numbers
    Py_buffer numbers
