"""N-best lists, samples and numbers of many texts, on several threads."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport Random
from spm_lite.base.system.arrays cimport Int32Array, Int64Array
from spm_lite.ids.lists cimport list_of
from spm_lite.lattice.distribution cimport Distribution, as_dict
from spm_lite.lattice.path_worker cimport (
    DISTINCT_SAMPLES, DROP_MERGES, ENTROPY, EXPECT, LOG_PROB, LOG_PROB_OF_IDS, NBEST, SAMPLE, SAMPLE_LISTED, SAMPLES,
    Job, PathWorker, Task, do_block, new_workers,
)
from spm_lite.texts.text_view cimport Texts

ctypedef int (*Collect)(PathWorker worker, list results) except -1


cdef Job new_job(Task task, Py_ssize_t n, double alpha) noexcept:
    return Job(task, n, alpha, 0, 0, -1, -1, NULL, NULL)


def nbest_batch(Distribution distribution not None, Texts texts not None, Py_ssize_t n, int num_threads):
    """For each text a list of (ids, score), as `Distribution.nbest` gives it."""
    cdef Job job = new_job(NBEST, n, 0)
    return results_of(distribution, texts, &job, num_threads, &append_paths)


def samples_batch(
    Distribution distribution not None, Texts texts not None, Py_ssize_t n, double alpha, bint replace,
    Random random not None, int num_threads,
):
    """For each text a list of (ids, score), as `Distribution.samples` gives it; takes a stream for each."""
    cdef Job job = new_job(SAMPLES if replace else DISTINCT_SAMPLES, n, alpha)
    job.seed = random.seed
    job.first_stream = random.take(<uint64_t> texts.n)
    return results_of(distribution, texts, &job, num_threads, &append_paths)


def sample_batch(
    Distribution distribution not None, Texts texts not None, Py_ssize_t n, double alpha, bint drops_merges,
    Random random not None, int num_threads, int bos_id, int eos_id,
):
    """(ids, offsets) as `Encoder.encode_batch` gives them, of one sample of each text; takes a stream for each.

    The same whatever the number of threads. n: from the n best; 0: from all. bos_id, eos_id: added to each text;
    -1: not.
    """
    cdef PathWorker worker
    cdef list workers = new_workers(distribution, num_threads)
    cdef Job job = new_job(DROP_MERGES if drops_merges else SAMPLE_LISTED if n else SAMPLE, n, alpha)
    cdef Int32Array ids = Int32Array()
    cdef Int64Array offsets = Int64Array()
    cdef Py_ssize_t begin = 0
    cdef size_t i
    distribution.check(drops_merges)
    job.seed = random.seed
    job.first_stream = random.take(<uint64_t> texts.n)
    job.bos_id, job.eos_id = bos_id, eos_id
    offsets.data.push_back(0)
    while begin < texts.n:
        begin = do_block(workers, texts, begin, &job)
        for worker in workers:
            ids.append(worker.ids.data(), worker.ids.size())
            for i in range(worker.sizes.size()):
                offsets.data.push_back(offsets.data.back() + worker.sizes[i].n_ids)
    return ids, offsets


def entropy_batch(Distribution distribution not None, Texts texts not None, double alpha, int num_threads):
    """For each text what `Distribution.entropy` gives."""
    cdef Job job = new_job(ENTROPY, 1, alpha)
    return results_of(distribution, texts, &job, num_threads, &append_numbers)


def log_prob_batch(Distribution distribution not None, Texts texts not None, int num_threads):
    """For each text what `Distribution.log_prob` gives."""
    cdef Job job = new_job(LOG_PROB, 1, 1.0)
    return results_of(distribution, texts, &job, num_threads, &append_numbers)


def log_prob_of_batch(Distribution distribution not None, Texts texts not None, list ids not None, int num_threads):
    """For each text what `Distribution.log_prob_of` gives. ids: a list of ids for each."""
    cdef vector[int32_t] wanted
    cdef vector[int64_t] offsets
    cdef Job job = new_job(LOG_PROB_OF_IDS, 1, 1.0)
    offsets.push_back(0)
    for row in ids:
        for piece_id in row:
            wanted.push_back(piece_id)
        offsets.push_back(<int64_t> wanted.size())
    job.wanted, job.wanted_offsets = wanted.data(), offsets.data()
    return results_of(distribution, texts, &job, num_threads, &append_numbers)


def expected_counts_batch(Distribution distribution not None, Texts texts not None, double alpha, int num_threads):
    """For each text what `Distribution.expected_counts` gives."""
    cdef Job job = new_job(EXPECT, 1, alpha)
    return results_of(distribution, texts, &job, num_threads, &append_counts)


cdef list results_of(Distribution distribution, Texts texts, const Job* job, int num_threads, Collect collect):
    """Do a job block by block; `collect` appends what a worker has found."""
    cdef list results = [], workers = new_workers(distribution, num_threads)
    cdef Py_ssize_t begin = 0
    distribution.check(False)
    while begin < texts.n:
        begin = do_block(workers, texts, begin, job)
        for worker in workers:
            collect(worker, results)
    return results


cdef int append_paths(PathWorker worker, list results) except -1:
    """For each text a list of (ids, score)."""
    cdef size_t text, path, n_sizes = 0, n_ids = 0
    cdef list found
    for text in range(worker.n_items.size()):
        found = []
        for path in range(n_sizes, n_sizes + worker.n_items[text]):
            ids = list_of(worker.ids.data() + n_ids, <Py_ssize_t> worker.sizes[path].n_ids)
            found.append((ids, worker.sizes[path].score))
            n_ids += <size_t> worker.sizes[path].n_ids
        n_sizes += worker.n_items[text]
        results.append(found)
    return 0


cdef int append_numbers(PathWorker worker, list results) except -1:
    """For each text a number."""
    cdef size_t i
    for i in range(worker.numbers.size()):
        results.append(worker.numbers[i])
    return 0


cdef int append_counts(PathWorker worker, list results) except -1:
    """For each text a dict."""
    cdef size_t text, n_counts = 0
    for text in range(worker.n_items.size()):
        results.append(as_dict(worker.counts.data() + n_counts, worker.n_items[text]))
        n_counts += worker.n_items[text]
    return 0
