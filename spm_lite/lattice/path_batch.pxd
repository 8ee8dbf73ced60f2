"""A worker that lists, samples or sums up the paths of a share of texts, and the job that says which of these it does.

Its results are flat: those of all texts stand one after the other, with their number for each text.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport RandomStream
from spm_lite.encode.shares cimport TextWorker
from spm_lite.lattice.distribution cimport Distribution
from spm_lite.lattice.expected_counts cimport ExpectedCount
from spm_lite.lattice.reference_paths cimport PathScratch
from spm_lite.texts.text_view cimport TextView


cdef enum Task:
    NBEST
    SAMPLE              # one sample, at inverse temperature alpha
    SAMPLE_LISTED       # one sample from the n best
    DROP_MERGES         # one sample by BPE dropout with probability alpha
    SAMPLES             # n independent samples
    DISTINCT_SAMPLES    # n samples without replacement
    ENTROPY
    LOG_PROB
    LOG_PROB_OF_IDS
    EXPECT              # expected counts


cdef enum:
    LATTICE_SHARE_BYTES = 1 << 12       # bytes of text times paths: less is not worth a thread
    LATTICE_BLOCK_BYTES = 1 << 20       # bytes of text times paths per thread, between two checks for signals


cdef struct Job:
    # The task for each text.
    Task task
    Py_ssize_t n                    # number of paths
    double alpha
    uint64_t seed
    uint64_t first_stream           # random stream of the first text of the batch; text i has first_stream + i
    int32_t bos_id                  # put before each path; -1: none
    int32_t eos_id                  # put after each path; -1: none
    const int32_t* wanted           # LOG_PROB_OF_IDS: text i has ids wanted[wanted_offsets[i] : wanted_offsets[i + 1]]
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
    cdef vector[size_t] n_items         # per text: number of paths or counts
    cdef vector[double] numbers         # per text: entropy or log-probability
    cdef vector[ExpectedCount] counts   # of all texts, one after the other

    cdef int find_paths(self, const TextView* view, RandomStream* stream) except -1 nogil
    cdef int keep_path(self, size_t i) except -1 nogil
    cdef int find_number(self, const TextView* view, Py_ssize_t place) except -1 nogil
    cdef int expect_pieces(self, const TextView* view) except -1 nogil
