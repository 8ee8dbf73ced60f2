"""Rows of Arrow tables (text: strings or bytes, count: integers), in any order, added up to a count table."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.texts.arrow_streams cimport ArrowArray, ArrowSchema
from spm_lite.texts.arrow_texts cimport ArrowTexts
from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.counts.cut_rules cimport CutRules


cdef enum NumberForm:
    NO_NUMBERS, INT32, UINT32, INT64, UINT64        # the first: all is null


cdef class NumberColumn:
    """A column of integers, read in place."""

    cdef ArrowArray array       # released with this object
    cdef NumberForm form

    cdef int check(self) except -1
    cdef int64_t value(self, int64_t row) noexcept nogil    # -1: below 0, null, or 2^63 and more


cdef class RowCounter:
    """Adds up rows of texts and counts."""

    cdef object begin           # called with the metadata of each schema, returns `rules`
    cdef CutRules rules         # of the texts; None: they are not checked
    cdef object spill           # a Spill, which takes full tables; None: memory is not limited
    cdef str name               # of the source, for messages
    cdef ChunkTable table
    cdef readonly uint64_t n_rows
    cdef vector[uint8_t] scratch

    cdef int add_array(self, const ArrowSchema* schema, ArrowArray* array) except -1
    cdef int64_t add_rows(self, ArrowTexts texts, NumberColumn counts) except -2
    cdef object fault(self, bytes chunk, int64_t count)
