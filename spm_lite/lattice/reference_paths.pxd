"""N-best lists, samples and entropy of single texts, by SentencePiece's rules and limits."""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport RandomStream
from spm_lite.base.system.atomics cimport atomic
from spm_lite.encode.encoder cimport Encoder
from spm_lite.encode.segment.segmenter cimport Scratch, Token
from spm_lite.lattice.astar cimport AStar
from spm_lite.lattice.expected_counts cimport ExpectedCount, ExpectedCounter
from spm_lite.lattice.gumbel cimport GumbelSearch
from spm_lite.lattice.kbest cimport BestSuffixes
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.lattice.path_scores cimport PathScores
from spm_lite.lattice.sampling cimport Sampler
from spm_lite.texts.text_view cimport TextView


@cython.final
cdef class PathScratch:
    # Buffers of one call.
    cdef vector[uint8_t] normalized
    cdef vector[int32_t] align
    cdef vector[Token] tokens
    cdef Scratch scratch                # buffers of the segmenter
    cdef Lattice lattice
    cdef AStar agenda
    cdef Sampler sampler
    cdef GumbelSearch gumbel
    cdef BestSuffixes best_suffixes
    cdef PathList paths
    cdef ExpectedCounter expectation
    cdef vector[ExpectedCount] counts

    cdef size_t n_held(self) noexcept nogil


@cython.final
cdef class ReferencePaths:
    cdef readonly bint can_list         # has n-best lists, scored samples, entropy
    cdef readonly bint can_sample       # has unscored samples
    cdef Encoder encoder
    cdef PathScores vocab
    cdef atomic[PyObject*] spare        # owned PathScratch for the next call; NULL: in use, or none yet

    cdef PathScratch take_scratch(self)
    cdef PathScratch new_scratch(self)
    cdef int give_back(self, PathScratch scratch) except -1
    cdef int normalize(self, TextView view, PathScratch scratch) except -1 nogil
    cdef int normalize_plain(self, TextView view, PathScratch scratch) except -1 nogil
    cdef int fill_lattice(self, PathScratch scratch) except -1 nogil
    cdef int segment(self, PathScratch scratch) except -1 nogil
    cdef int search(self, int64_t n, int64_t timeout_ms, PathScratch scratch) except -1 nogil
    cdef int sample(
        self, Py_ssize_t n_candidates, double alpha, RandomStream* stream, int64_t timeout_ms, PathScratch scratch,
    ) except -1 nogil
    cdef int sample_many(
        self, Py_ssize_t n_samples, double alpha, bint without_replacement, bint include_best, RandomStream* stream,
        PathScratch scratch,
    ) except -1 nogil
    cdef int check(self, bint can) except -1
    cdef list emit_paths(self, object text, PathScratch scratch)
    cdef list list_ids(self, PathScratch scratch)
