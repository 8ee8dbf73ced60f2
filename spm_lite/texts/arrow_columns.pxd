"""One column of an Arrow table: a table is an array of structs, and its columns are the children."""

from libc.stdint cimport int64_t, uint8_t

from spm_lite.texts.arrow_streams cimport ArrowArray, ArrowSchema


cdef enum:
    NO_TABLE = -1


cdef int find_column(const ArrowSchema* schema, object column) except -2    # its place; NO_TABLE: one column alone
cdef int take_column(ArrowArray* table, int place, ArrowArray* column) except -1
cdef int64_t first_null(const uint8_t* bits, int64_t offset, int64_t length) noexcept nogil
cdef object damaged(reason)
