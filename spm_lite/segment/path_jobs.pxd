"""Jobs over many texts: n-best lists, samples, numbers, on several threads."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.segment.distribution cimport Distribution
from spm_lite.segment.paths cimport PathScratch
from spm_lite.segment.texts cimport TextView
from spm_lite.segment.workers cimport Worker


cdef enum Task:
    NBEST
    SAMPLE              # at inverse temperature alpha
    DROP_MERGES         # alpha is the probability; BPE only
    ENTROPY
    LOG_PROB


cdef enum Loads:
    LATTICE_SHARE_BYTES = 1 << 12       # of text: less is not worth a thread
    LATTICE_BLOCK_BYTES = 1 << 20       # of text for each thread, after which the driver looks for signals


cdef struct Job:
    # What is wanted of each text.
    Task task
    Py_ssize_t n            # paths
    double alpha
    uint64_t seed
    uint64_t first_stream   # of the first text; the others have those that follow
    int32_t bos_id          # put before each path; -1: none
    int32_t eos_id          # put after each path; -1: none


cdef struct PathSize:
    # One path of a result.
    int64_t n_ids
    double score


@cython.final
cdef class PathWorker(Worker):
    """Does a job for texts [begin, end) of a block."""

    cdef Distribution distribution
    cdef PathScratch scratch
    cdef Job job
    cdef const TextView* texts
    cdef uint64_t first_stream          # of texts[0]
    cdef Py_ssize_t begin
    cdef Py_ssize_t end
    cdef vector[int32_t] ids            # of all paths, one after the other
    cdef vector[PathSize] sizes         # per path
    cdef vector[int64_t] n_paths        # per text
    cdef vector[double] numbers         # per text, if that is what was wanted

    cdef int do_text(self, const TextView* view, uint64_t stream_number) except -1 nogil
    cdef int keep_paths(self) except -1 nogil
