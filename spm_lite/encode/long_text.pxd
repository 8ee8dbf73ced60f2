"""A long text on several threads: cut into parts at places that no piece spans; threads encode the parts."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.chunks.chunk_encoder cimport ChunkEncoder
from spm_lite.encode.chunks.chunk_solver cimport ChunkScratch, RunningScore, SpeculativeRun
from spm_lite.normalize.normalized_text cimport NormalizedText
from spm_lite.texts.text_view cimport TextBlock, TextView


@cython.final
cdef class BatchPart:
    cdef int64_t number             # index among the parts of the batch
    cdef bint is_waiting            # it is encoded, but its ids are not added yet
    cdef Int32Array ids
    cdef Py_ssize_t begin           # index of the first text, or of the long one
    cdef TextBlock block            # views of the texts
    cdef bint is_long
    cdef bint is_first              # part of the long text
    cdef bint is_last
    cdef vector[uint8_t] text       # the part of the long text, normalized; some bytes after it are readable
    cdef int32_t size               # of the part, bytes
    cdef vector[SpeculativeRun] runs  # of the part, Unigram only


cdef enum:
    LONG_BYTES = 1 << 20    # of text: a text of this size is worth sharing among threads
    PART_BYTES = 1 << 17    # of normalized text, at least: a part and its ids stay in the processor's cache


@cython.final
cdef class LongText:
    cdef ChunkEncoder chunks
    # The source of parts, used by one thread at a time:
    cdef NormalizedText source
    cdef bint is_open               # there are more parts
    cdef bint is_refused            # the text cannot be normalized in parts after all
    cdef int64_t n_parts
    cdef int32_t n_searched         # bytes of the next part that were searched and have no cut
    # The output, used by one thread at a time; it may be another thread, and be at an earlier text:
    cdef Int32Array ids             # of all texts; those of this text begin at `n_first`
    cdef size_t n_first
    cdef int64_t n_counted          # ids of this text that were counted and dropped
    cdef RunningScore score
    cdef bint was_unknown           # the last id stands for a run of unknown characters

    cdef bint start(self, const TextView* view, Py_ssize_t index) except -1 nogil
    cdef int take(self, BatchPart part) except -1 nogil
    cdef int encode(self, BatchPart part, ChunkScratch scratch) except -1 nogil
    cdef void begin_ids(self) noexcept nogil
    cdef int add(self, BatchPart part, ChunkScratch scratch, bint is_counting) except -1 nogil
    cdef int64_t n_ids(self) noexcept nogil
    cdef int add_merged(self, BatchPart part) except -1 nogil
    cdef int confirm(self, BatchPart part, ChunkScratch scratch) except -1 nogil
    cdef bint is_confirmed(self, const SpeculativeRun* run, size_t n_ids, ChunkScratch scratch) noexcept nogil
    cdef int add_unknown(
        self, const int32_t* ids, size_t n_ids, int32_t n_unknown, ChunkScratch scratch,
    ) except -1 nogil
