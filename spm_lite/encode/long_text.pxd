"""One long text on several threads: cut where no piece can span, each part encoded by itself."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.chunks.chunk_encoder cimport ChunkEncoder
from spm_lite.chunks.chunk_solver cimport ChunkScratch, RunningScore
from spm_lite.chunks.speculative cimport SpeculativeRun
from spm_lite.normalize.normalized_text cimport NormalizedText
from spm_lite.texts.text_view cimport TextBlock, TextView


@cython.final
cdef class BatchPart:
    cdef int64_t number             # among the parts of the batch
    cdef bint is_waiting            # it is encoded, but others are due before
    cdef Int32Array ids
    cdef Py_ssize_t begin           # the first text, or the long one
    cdef TextBlock block            # the texts
    cdef bint is_long
    cdef bint is_first              # of the parts of the long text
    cdef bint is_last
    cdef vector[uint8_t] text       # of it, normalized; bytes behind are readable, as of a whole text
    cdef int32_t size
    cdef vector[SpeculativeRun] runs  # of it, Unigram


cdef enum:
    LONG_BYTES = 1 << 20    # of text: from here on it is worth to share it out
    PART_BYTES = 1 << 17    # of normalized text, or some more: it and its ids stay in the cache until all is done


@cython.final
cdef class LongText:
    cdef ChunkEncoder chunks
    # Where the parts come from; of one thread at a time:
    cdef NormalizedText source
    cdef bint is_open               # there are more parts
    cdef bint is_refused            # it cannot come in parts after all
    cdef int64_t n_parts
    cdef int32_t n_searched         # bytes of the next one that cannot be cut
    # Where their ids go; of one thread at a time, but another one perhaps, and with another text:
    cdef Int32Array ids             # behind those of the texts before
    cdef size_t n_first
    cdef int64_t n_counted          # ids that are not kept
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
