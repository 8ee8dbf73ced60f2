"""The segmentations of a text as a probability distribution, without the original's limits; Unigram and BPE."""

cimport cython
from spm_lite.segment.encoder cimport Encoder
from spm_lite.segment.paths cimport Paths, PathScratch
from spm_lite.segment.random cimport Stream
from spm_lite.segment.texts cimport TextView


@cython.final
cdef class Distribution:
    cdef Paths paths
    cdef Encoder encoder

    cdef int list_best(self, Py_ssize_t n, PathScratch scratch) except -1 nogil
    cdef double plain_score(self, PathScratch scratch) noexcept nogil
    cdef int normalize(self, TextView view, PathScratch scratch) except -1 nogil
    cdef int fill(self, TextView view, double alpha, PathScratch scratch) except -1 nogil
    cdef int draw_one(
        self, TextView view, double alpha, bint drops_merges, Stream* stream, PathScratch scratch,
    ) except -1 nogil
    cdef list segmentations(self, PathScratch scratch)
