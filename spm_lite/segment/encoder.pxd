"""The driver: normalize, segment, post-process; one text, or many on many threads."""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.segment.arrays cimport Int64Array
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.segment.texts cimport TextView
from spm_lite.segment.workers cimport Worker
from spm_lite.vocab.vocab cimport Vocab


cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass atomic[T]:
        T exchange(T)


cdef enum Shares:
    SPARE_BYTES = 1 << 16   # of text: the buffers of longer ones are not kept
    SHARE_BYTES = 1 << 16   # of text: less is not worth a thread
    BLOCK_BYTES = 1 << 22   # of text for each thread, after which the driver looks for signals


cdef struct Span:
    # One piece of the result.
    int32_t piece_id        # -1: unknown, in a model without unknown piece
    int32_t byte            # its value when byte fallback made the piece; -1: an ordinary one
    int32_t text_begin      # what it stands for, in the normalized text; byte pieces: the whole unknown
    int32_t text_end
    int32_t begin           # byte offsets into the input
    int32_t end
    bint has_surface        # input[begin:end] is its surface; False: it has none, not even an empty one


@cython.final
cdef class EncodeScratch:
    """Buffers of one call or one thread."""

    cdef vector[uint8_t] normalized
    cdef vector[int32_t] align
    cdef vector[Token] tokens
    cdef Scratch scratch                # of the segmenter


@cython.final
cdef class Encoder:
    cdef readonly Normalizer normalizer
    cdef readonly Segmenter segmenter
    cdef readonly Vocab vocab
    cdef int32_t space_id       # piece of an escaped space inside unknown text; -1: it is spelled in bytes
    cdef atomic[PyObject*] spare    # an EncodeScratch between calls, owned; NULL: in use, or none so far

    cdef EncodeScratch take_scratch(self)
    cdef int give_back(self, EncodeScratch scratch, int32_t size) except -1
    cdef EncodeScratch new_scratch(self)
    cdef int append_ids(
        self, const uint8_t* text, int32_t size, EncodeScratch scratch, vector[int32_t]& ids,
    ) except -1 nogil
    cdef int append_spans(
        self, const uint8_t* text, int32_t size, EncodeScratch scratch, vector[Span]& spans,
    ) except -1 nogil
    cdef int append_unknown(
        self, const uint8_t* text, int32_t size, vector[int32_t]& ids,
    ) except -1 nogil
    cdef int append_byte_spans(
        self, const uint8_t* text, const int32_t* align, Token token, vector[Span]& spans,
    ) except -1 nogil


@cython.final
cdef class EncodeWorker(Worker):
    """Encodes texts [begin, end) of a block."""

    cdef Encoder encoder
    cdef EncodeScratch scratch
    cdef const TextView* texts
    cdef int64_t* counts                # per text: ids made of it
    cdef Py_ssize_t begin
    cdef Py_ssize_t end
    cdef int32_t bos_id                 # put before each text; -1: none
    cdef int32_t eos_id                 # put after each text; -1: none
    cdef vector[int32_t] ids            # of all its texts, one after the other
