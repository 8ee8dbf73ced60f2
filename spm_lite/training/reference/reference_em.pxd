"""EM of the original's Unigram trainer: E-step and M-step with its arithmetic, in its order of sums."""

from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from spm_lite.base.system.thread_tasks cimport Task
from spm_lite.training.reference.reference_lattices cimport LatticeView, ReferenceLattices


cdef struct LaneJob:
    # The data that the tasks of one pass over the sentences share. Task k sums lane first_lane + k.
    LatticeView view
    uint32_t first_lane
    vector[float]* sums         # per task: the sums of all pieces
    double* log_likelihoods     # per task: of its sentences, in nats; only the E-step fills them


cdef int sum_lanes(
    Task sum_lane, LatticeView view, uint32_t n_threads, vector[float]& sums, double* log_likelihood=*,
) except -1 nogil
cdef int fill_expected(
    ReferenceLattices lattices, uint32_t n_threads, vector[float]& expected, double* log_likelihood,
) except -1 nogil
cdef int update_scores(
    ReferenceLattices lattices, const vector[float]& expected, uint32_t n_threads,
) except -1 nogil
