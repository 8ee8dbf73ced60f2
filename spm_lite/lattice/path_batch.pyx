"""N-best lists, samples, entropies, log-probabilities and expected counts of many texts, on several threads.

`PathWorker.work` is the loop over texts. `results_of` takes texts block by block and makes the Python objects.
Header: path_batch.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport Random, RandomStream, open_stream
from spm_lite.base.system.arrays cimport Int32Array, Int64Array
from spm_lite.encode.shares cimport TextWorker, run_block
from spm_lite.lattice.distribution cimport Distribution, as_dict
from spm_lite.texts.id_lists cimport list_of
from spm_lite.texts.text_view cimport Texts, TextView


@cython.final
cdef class PathWorker(TextWorker):
    """Does the job for texts [begin, end) of a block."""

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i, place
        cdef RandomStream stream
        self.ids.clear()
        self.sizes.clear()
        self.n_items.clear()
        self.numbers.clear()
        self.counts.clear()
        for i in range(self.begin, self.end):
            place = self.first_text + i
            if self.job.task == EXPECT:
                self.expect_pieces(&self.texts[i])
            elif self.job.task == ENTROPY or self.job.task == LOG_PROB or self.job.task == LOG_PROB_OF_IDS:
                self.find_number(&self.texts[i], place)
            else:
                open_stream(self.job.seed, self.job.first_stream + <uint64_t> place, &stream)
                self.find_paths(&self.texts[i], &stream)
        return 0

    cdef int find_paths(self, const TextView* view, RandomStream* stream) except -1 nogil:
        """Add the paths of one text to the result."""
        cdef Job* job = &self.job
        cdef size_t first = 0, n_paths, i
        if job.task == NBEST:
            self.distribution.paths.normalize_plain(view[0], self.scratch)
            self.distribution.list_best(job.n, self.scratch)
        elif job.task == SAMPLES or job.task == DISTINCT_SAMPLES:
            self.distribution.draw_many(view[0], job.n, job.alpha, job.task == SAMPLES, stream, self.scratch)
        elif job.task == SAMPLE_LISTED:
            self.distribution.draw_from_list(view[0], job.n, job.alpha, stream, self.scratch)
            first = self.scratch.paths.ends.size() - 1
        else:
            self.distribution.draw_one(view[0], job.alpha, job.task == DROP_MERGES, stream, self.scratch)
        n_paths = self.scratch.paths.ends.size()
        for i in range(first, n_paths):
            self.keep_path(i)
        self.n_items.push_back(n_paths - first)
        return 0

    cdef int keep_path(self, size_t i) except -1 nogil:
        """Add the ids of path i to the result."""
        cdef size_t n_before = self.ids.size()
        self.scratch.paths.copy(i, self.scratch.tokens)
        if self.job.bos_id >= 0:
            self.ids.push_back(self.job.bos_id)
        self.distribution.encoder.emit_ids(self.scratch.normalized, self.scratch.tokens, self.ids)
        if self.job.eos_id >= 0:
            self.ids.push_back(self.job.eos_id)
        self.sizes.push_back(PathSize(<int64_t> (self.ids.size() - n_before), self.scratch.paths.scores[i]))
        return 0

    cdef int find_number(self, const TextView* view, Py_ssize_t place) except -1 nogil:
        """Add the entropy or log-probability of one text to the result. place: of the text in the batch."""
        cdef int64_t first
        if self.job.task == LOG_PROB_OF_IDS:
            first = self.job.wanted_offsets[place]
            self.numbers.push_back(self.distribution.log_prob_of_ids(
                view[0], self.job.wanted + first, <int32_t> (self.job.wanted_offsets[place + 1] - first), self.scratch,
            ))
            return 0
        self.distribution.fill(view[0], self.job.alpha, self.scratch)
        if self.job.task == ENTROPY:
            self.numbers.push_back(self.scratch.sampler.entropy(self.scratch.lattice))
        else:
            self.numbers.push_back(self.scratch.sampler.sums[self.scratch.lattice.n_places])
        return 0

    cdef int expect_pieces(self, const TextView* view) except -1 nogil:
        """Add the expected counts of one text to the result."""
        cdef size_t n_before = self.counts.size()
        self.scratch.counts.clear()
        self.distribution.count_expected(view[0], self.job.alpha, self.scratch)
        self.counts.insert(self.counts.end(), self.scratch.counts.begin(), self.scratch.counts.end())
        self.n_items.push_back(self.counts.size() - n_before)
        return 0


cdef list new_workers(Distribution distribution, const Job* job, int num_threads):
    """Return `num_threads` workers, at least one, each with the job and its own buffers."""
    cdef PathWorker worker
    cdef list workers = []
    for _ in range(max(1, num_threads)):
        worker = PathWorker()
        worker.distribution = distribution
        worker.job = job[0]
        worker.scratch = distribution.paths.new_scratch()
        workers.append(worker)
    return workers


cdef list do_block(list workers, Texts texts, Py_ssize_t* begin, Py_ssize_t n):
    """Do a job with `n` paths for a block of texts, as `run_block` does: about LATTICE_BLOCK_BYTES per worker."""
    cdef int64_t times = max(1, n)
    return run_block(workers, texts, begin, max(1, LATTICE_BLOCK_BYTES // times), LATTICE_SHARE_BYTES, times)


ctypedef int (*Collect)(PathWorker worker, list results) except -1


cdef Job new_job(Task task, Py_ssize_t n, double alpha) noexcept:
    return Job(task, n, alpha, 0, 0, -1, -1, NULL, NULL)


def nbest_batch(Distribution distribution not None, Texts texts not None, Py_ssize_t n, int num_threads):
    """Return for each text the list of (ids, score) of `Distribution.nbest`."""
    cdef Job job = new_job(NBEST, n, 0)
    return results_of(distribution, texts, &job, num_threads, &append_paths)


def samples_batch(
    Distribution distribution not None, Texts texts not None, Py_ssize_t n, double alpha, bint replace,
    Random random not None, int num_threads,
):
    """Return for each text the list of (ids, score) of `Distribution.samples`; takes a random stream per text."""
    cdef Job job = new_job(SAMPLES if replace else DISTINCT_SAMPLES, n, alpha)
    job.seed = random.seed
    job.first_stream = random.take(<uint64_t> texts.n)
    return results_of(distribution, texts, &job, num_threads, &append_paths)


def sample_batch(
    Distribution distribution not None, Texts texts not None, Py_ssize_t n, double alpha, bint drops_merges,
    Random random not None, int num_threads, int bos_id, int eos_id,
):
    """Return (ids, offsets), as `Encoder.encode_batch` does, of one sample per text; takes a random stream per text.

    The result does not depend on the number of threads. n: draw from the n best; 0: from all. bos_id, eos_id: put
    before and after the ids of each text; -1: none.
    """
    cdef PathWorker worker
    cdef list workers
    cdef Job job = new_job(DROP_MERGES if drops_merges else SAMPLE_LISTED if n else SAMPLE, n, alpha)
    cdef Int32Array ids = Int32Array()
    cdef Int64Array offsets = Int64Array()
    cdef Py_ssize_t begin = 0
    cdef size_t i
    distribution.check(drops_merges)
    job.seed = random.seed
    job.first_stream = random.take(<uint64_t> texts.n)
    job.bos_id, job.eos_id = bos_id, eos_id
    workers = new_workers(distribution, &job, num_threads)
    offsets.data.push_back(0)
    while begin < texts.n:
        for worker in do_block(workers, texts, &begin, n):
            ids.append(worker.ids.data(), worker.ids.size())
            for i in range(worker.sizes.size()):
                offsets.data.push_back(offsets.data.back() + worker.sizes[i].n_ids)
    return ids, offsets


def entropy_batch(Distribution distribution not None, Texts texts not None, double alpha, int num_threads):
    """Return for each text its `Distribution.entropy`."""
    cdef Job job = new_job(ENTROPY, 1, alpha)
    return results_of(distribution, texts, &job, num_threads, &append_numbers)


def log_prob_batch(Distribution distribution not None, Texts texts not None, int num_threads):
    """Return for each text its `Distribution.log_prob`."""
    cdef Job job = new_job(LOG_PROB, 1, 1.0)
    return results_of(distribution, texts, &job, num_threads, &append_numbers)


def log_prob_of_batch(Distribution distribution not None, Texts texts not None, list ids not None, int num_threads):
    """Return for each text its `Distribution.log_prob_of`. ids: one list of ids per text."""
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
    """Return for each text its `Distribution.expected_counts`."""
    cdef Job job = new_job(EXPECT, 1, alpha)
    return results_of(distribution, texts, &job, num_threads, &append_counts)


cdef list results_of(Distribution distribution, Texts texts, const Job* job, int num_threads, Collect collect):
    """Do the job block by block; `collect` appends the results of a worker."""
    cdef list results = [], workers = new_workers(distribution, job, num_threads)
    cdef Py_ssize_t begin = 0
    distribution.check(False)
    while begin < texts.n:
        for worker in do_block(workers, texts, &begin, job.n):
            collect(worker, results)
    return results


cdef int append_paths(PathWorker worker, list results) except -1:
    """Append for each text its list of (ids, score)."""
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
    """Append for each text its number."""
    cdef size_t i
    for i in range(worker.numbers.size()):
        results.append(worker.numbers[i])
    return 0


cdef int append_counts(PathWorker worker, list results) except -1:
    """Append for each text its {id: count}."""
    cdef size_t text, n_counts = 0
    for text in range(worker.n_items.size()):
        results.append(as_dict(worker.counts.data() + n_counts, worker.n_items[text]))
        n_counts += worker.n_items[text]
    return 0
