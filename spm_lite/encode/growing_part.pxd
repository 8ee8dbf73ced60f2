"""A text that grows and is edited, with its ids: only what may change is encoded anew."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.resume_points cimport ResumePoint
from spm_lite.texts.text_view cimport TextView


cdef enum:
    POINT_BYTES = 1 << 13       # of text between two points that are kept


@cython.final
cdef class IdBlock:
    # Memory of ids. It never moves; whoever needs more takes another one.
    cdef int32_t* data
    cdef Py_ssize_t capacity


@cython.final
cdef class Run:
    # A stretch of a text and its ids. A shared one is never changed.
    cdef int64_t begin          # its first byte in the text
    cdef int64_t first_id
    cdef vector[uint8_t] text   # from `begin` on
    cdef IdBlock block
    cdef int64_t n_ids          # in `block`; those from `point.n_ids` on may change
    cdef ResumePoint first      # where the run begins
    cdef ResumePoint point      # where its encoding goes on
    cdef list points            # kept ones, at least POINT_BYTES apart
    cdef bint is_shared

    cdef int put(self, int64_t at, const int32_t* ids, int64_t n) except -1


@cython.final
cdef class GrowingPart:
    cdef Encoder encoder
    cdef int64_t point_bytes
    cdef readonly int64_t n_chars
    cdef bint is_busy               # another call is not done yet
    cdef readonly bint resumes      # else each change encodes all of the text
    cdef list older             # shared runs before `run`; of each, what comes before the next one counts
    cdef Run run

    cdef list stretches(self)
    cdef int begin_call(self) except -1
    cdef int open_run(self) except -1
    cdef int join(self) except -1
    cdef int64_t encode_on(self) except -1
    cdef int encode_to_end(
        self, ResumePoint point, int64_t last_kept, list points, EncodeScratch scratch, Int32Array found,
    ) except -1
    cdef int advance_to(self, ResumePoint point, int64_t end, EncodeScratch scratch, Int32Array found) except -1
    cdef tuple replace_bytes(self, int64_t begin, int64_t end, const TextView* view, int64_t n_chars)
    cdef tuple encode_edited(self, ResumePoint start, Py_ssize_t n_kept, int64_t end, int64_t n_more)
