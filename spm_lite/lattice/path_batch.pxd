cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport RandomStream
from spm_lite.encode.shares cimport TextWorker
from spm_lite.lattice.distribution cimport Distribution
from spm_lite.lattice.expected_counts cimport ExpectedCount
from spm_lite.lattice.reference_paths cimport PathScratch
from spm_lite.texts.text_view cimport Texts, TextView


cdef enum Task:
    NBEST
    SAMPLE              # at inverse temperature alpha
    SAMPLE_LISTED       # likewise, from the n best
    DROP_MERGES         # alpha is the probability; BPE only
    SAMPLES             # n of each
    DISTINCT_SAMPLES    # likewise, without replacement
    ENTROPY
    LOG_PROB
    LOG_PROB_OF_IDS
    EXPECT


cdef enum:
    LATTICE_SHARE_BYTES = 1 << 12       # of text: less is not worth a thread
    LATTICE_BLOCK_BYTES = 1 << 20       # of text for each thread, times the paths, then the driver looks for signals


cdef struct Job:
    # What is wanted of each text.
    Task task
    Py_ssize_t n                    # paths
    double alpha
    uint64_t seed
    uint64_t first_stream           # of the first text; the others have those that follow
    int32_t bos_id                  # put before each path; -1: none
    int32_t eos_id                  # put after each path; -1: none
    const int32_t* wanted           # LOG_PROB_OF_IDS: of text i, wanted[wanted_offsets[i] : wanted_offsets[i + 1]]
    const int64_t* wanted_offsets


cdef struct PathSize:
    # One path of a result.
    int64_t n_ids
    double score


@cython.final
cdef class PathWorker(TextWorker):
    cdef Distribution distribution
    cdef PathScratch scratch
    cdef Job job
    cdef vector[int32_t] ids            # of all paths, one after the other
    cdef vector[PathSize] sizes         # per path
    cdef vector[size_t] n_items         # per text: paths or counts
    cdef vector[double] numbers         # per text
    cdef vector[ExpectedCount] counts   # of all texts

    cdef int find_paths(self, const TextView* view, RandomStream* stream) except -1 nogil
    cdef int keep_path(self, size_t i) except -1 nogil
    cdef int find_number(self, const TextView* view, Py_ssize_t place) except -1 nogil
    cdef int expect_pieces(self, const TextView* view) except -1 nogil


cdef list new_workers(Distribution distribution, int num_threads)
cdef Py_ssize_t do_block(list workers, Texts texts, Py_ssize_t begin, const Job* job) except -1
