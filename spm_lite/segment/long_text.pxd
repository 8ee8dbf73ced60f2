"""One long text on several threads: cut where no piece can span, each part encoded by itself."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from spm_lite.segment.arrays cimport Int32Array
from spm_lite.segment.chunks cimport ChunkEncoder, ChunkScratch
from spm_lite.segment.workers cimport Worker


cdef enum LongTexts:
    LONG_BYTES = 1 << 20    # of text: from here on it is worth to share it out


@cython.final
cdef class PartWorker(Worker):
    """Encodes a part of a normalized text."""

    cdef ChunkEncoder chunks
    cdef ChunkScratch scratch
    cdef const uint8_t* text    # bytes behind it must be readable, as of a whole text
    cdef int32_t size
    cdef Int32Array ids


cdef bint can_share(ChunkEncoder chunks, int64_t size, Py_ssize_t n_workers)
cdef PartWorker new_part(ChunkEncoder chunks, ChunkScratch scratch, Int32Array ids)
cdef int append_parts(list workers, const uint8_t* text, int32_t size) except -1     # the ids end up with the first
