"""Batch encoding on many threads: each takes the next texts, or the next part of a long text, until none is left."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.ordered_parts cimport PartOrder
from spm_lite.base.system.thread_tasks cimport Worker
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.long_text cimport BatchPart, LongText
from spm_lite.encode.segment.segmenter cimport Scratch
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView


@cython.final
cdef class EncodeJob:
    cdef Encoder encoder
    cdef Texts texts
    cdef Int32Array ids         # of all texts; with `lists`: of the texts that have no list yet
    cdef list lists             # per text: its ids; None: the caller wants an array
    cdef int64_t* counts        # per text: number of ids
    cdef int32_t bos_id         # put before each text; -1: none
    cdef int32_t eos_id         # put after each text; -1: none
    cdef bint is_counting       # ids are counted, not kept
    # All that follows, except `turns`, is used by the thread that holds the source lock:
    cdef Py_ssize_t at          # index of the next text
    cdef int64_t block_bytes    # bytes of text taken at a time
    cdef int64_t most_bytes     # upper limit of `block_bytes`
    cdef int64_t n_taken        # parts taken so far
    cdef LongText long_text
    cdef TextBlock long_block   # the view of the long text
    cdef Py_ssize_t long_at     # its index
    cdef PartOrder turns

    cdef bint take(self, BatchPart part, int64_t* number, Scratch scratch) except -1 nogil
    cdef bint take_next(self, BatchPart part) except -1 nogil
    cdef bint take_with_gil(self, BatchPart part) except -1 nogil
    cdef bint take_texts(self, BatchPart part) except -1
    cdef void widen_blocks_if_gil_was_slow(self, double since) noexcept nogil
    cdef int list_ids(self, Int32Array ids, Py_ssize_t first_text, Py_ssize_t n_texts) except -1
    cdef int list_with_gil(self, Int32Array ids, Py_ssize_t first_text, Py_ssize_t n_texts) except -1 nogil
    cdef int add(self, BatchPart part, EncodeScratch scratch) except -1 nogil


@cython.final
cdef class EncodeWorker(Worker):
    cdef EncodeJob job
    cdef EncodeScratch scratch
    cdef bint is_first          # runs on the caller's thread
    cdef BatchPart one           # while this part waits to be added, the other is encoded
    cdef BatchPart other
    cdef int64_t number         # of the current part, or of the part that raised
    cdef int64_t largest        # bytes of the largest text

    cdef bint encode_next(self, BatchPart part, BatchPart before) except -1 nogil
    cdef int encode_texts(self, vector[TextView]& views, Py_ssize_t first_text, Int32Array ids) except -1 nogil
    cdef int encode_long(self, BatchPart part) except -1 nogil
    cdef int add_if_due(self, BatchPart part) except -1 nogil
    cdef int add_in_turn(self, BatchPart part) except -1 nogil
    cdef int await_turn(self, int64_t number) except -1 nogil
