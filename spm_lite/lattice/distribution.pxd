"""The segmentations of a text as a probability distribution, without SentencePiece's limits; Unigram and BPE."""

cimport cython
from libc.stdint cimport int32_t

from spm_lite.base.structures.random cimport Random, RandomStream
from spm_lite.encode.encoder cimport Encoder
from spm_lite.lattice.expected_counts cimport ExpectedCount
from spm_lite.lattice.reference_paths cimport PathScratch, ReferencePaths
from spm_lite.texts.text_view cimport TextView


@cython.final
cdef class Distribution:
    cdef ReferencePaths paths
    cdef Encoder encoder
    cdef list spare_workers    # of `likelihood`, with their caches, between calls

    cdef int list_best(self, Py_ssize_t n, PathScratch scratch) except -1 nogil
    cdef double plain_score(self, PathScratch scratch) noexcept nogil
    cdef int fill(self, TextView view, double alpha, PathScratch scratch) except -1 nogil
    cdef int draw_one(
        self, TextView view, double alpha, bint drops_merges, RandomStream* stream, PathScratch scratch,
    ) except -1 nogil
    cdef int draw_from_list(
        self, TextView view, Py_ssize_t n, double alpha, RandomStream* stream, PathScratch scratch,
    ) except -1 nogil
    cdef int draw_many(
        self, TextView view, Py_ssize_t n, double alpha, bint replace, RandomStream* stream, PathScratch scratch,
    ) except -1 nogil
    cdef int count_expected(self, TextView view, double alpha, PathScratch scratch) except -1 nogil
    cdef double log_prob_of_ids(
        self, TextView view, const int32_t* ids, int32_t n_ids, PathScratch scratch,
    ) except? 1.0 nogil
    cdef list sample_one(self, object text, Py_ssize_t n, double alpha, bint drops_merges, Random random)
    cdef list segmentations(self, PathScratch scratch)


cdef dict as_dict(const ExpectedCount* counts, size_t n_counts)
