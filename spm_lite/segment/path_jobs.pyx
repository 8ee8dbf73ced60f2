cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.segment.arrays cimport Int32Array, Int64Array, IntMaker
from spm_lite.segment.distribution cimport Distribution
from spm_lite.segment.random cimport Random, Stream, open_stream
from spm_lite.segment.texts cimport TextView, view_text
from spm_lite.segment.workers cimport Worker, run_workers


@cython.final
cdef class PathWorker(Worker):
    """Does a job for texts [begin, end) of a block."""

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i
        self.ids.clear()
        self.sizes.clear()
        self.n_paths.clear()
        self.numbers.clear()
        for i in range(self.begin, self.end):
            self.do_text(&self.texts[i], self.first_stream + <uint64_t> i)
        return 0

    cdef int do_text(self, const TextView* view, uint64_t stream_number) except -1 nogil:
        cdef Stream stream
        if self.job.task == NBEST:
            self.distribution.normalize(view[0], self.scratch)
            self.distribution.list_best(self.job.n, self.scratch)
            return self.keep_paths()
        if self.job.task == SAMPLE or self.job.task == DROP_MERGES:
            open_stream(self.job.seed, stream_number, &stream)
            self.distribution.draw_one(
                view[0], self.job.alpha, self.job.task == DROP_MERGES, &stream, self.scratch,
            )
            return self.keep_paths()
        self.distribution.fill(view[0], self.job.alpha, self.scratch)
        if self.job.task == ENTROPY:
            self.numbers.push_back(self.scratch.sampler.entropy(self.scratch.lattice))
        else:
            self.numbers.push_back(self.scratch.sampler.sums[self.scratch.lattice.n_places])
        return 0

    cdef int keep_paths(self) except -1 nogil:
        """Add the paths of one text to the result."""
        cdef size_t n_before, i
        for i in range(self.scratch.paths.ends.size()):
            n_before = self.ids.size()
            self.scratch.paths.copy(i, self.scratch.tokens)
            if self.job.bos_id >= 0:
                self.ids.push_back(self.job.bos_id)
            self.distribution.encoder.emit_ids(self.scratch.normalized, self.scratch.tokens, self.ids)
            if self.job.eos_id >= 0:
                self.ids.push_back(self.job.eos_id)
            self.sizes.push_back(PathSize(<int64_t> (self.ids.size() - n_before), self.scratch.paths.scores[i]))
        self.n_paths.push_back(<int64_t> self.scratch.paths.ends.size())
        return 0


def nbest_batch(Distribution distribution not None, tuple texts not None, Py_ssize_t n, int num_threads):
    """For each text a list of (ids, score), as `Distribution.nbest` gives it."""
    cdef PathWorker worker
    cdef list results = [], workers = new_workers(distribution, num_threads)
    cdef Job job = Job(NBEST, n, 0, 0, 0, -1, -1)
    cdef Py_ssize_t begin = 0
    distribution.check(False)
    while begin < len(texts):
        begin = do_block(workers, texts, begin, &job)
        for worker in workers:
            append_lists(worker, results)
    return results


def sample_batch(
    Distribution distribution not None, tuple texts not None, double alpha, bint drops_merges, Random random not None,
    int num_threads, int bos_id, int eos_id,
):
    """(ids, offsets) as `Encoder.encode_batch` gives them, of one sample of each text; takes a stream for each.

    The same whatever the number of threads. bos_id, eos_id: added to each text; -1: not.
    """
    cdef PathWorker worker
    cdef list workers = new_workers(distribution, num_threads)
    cdef Job job = Job(DROP_MERGES if drops_merges else SAMPLE, 1, alpha, random.seed, 0, bos_id, eos_id)
    cdef Int32Array ids = Int32Array()
    cdef Int64Array offsets = Int64Array()
    cdef Py_ssize_t begin = 0
    cdef size_t i
    distribution.check(drops_merges)
    job.first_stream = random.take(<uint64_t> len(texts))
    offsets.data.push_back(0)
    while begin < len(texts):
        begin = do_block(workers, texts, begin, &job)
        for worker in workers:
            ids.data.insert(ids.data.end(), worker.ids.begin(), worker.ids.end())
            for i in range(worker.sizes.size()):
                offsets.data.push_back(offsets.data.back() + worker.sizes[i].n_ids)
    return ids, offsets


def entropy_batch(Distribution distribution not None, tuple texts not None, double alpha, int num_threads):
    """For each text what `Distribution.entropy` gives."""
    return numbers_of(distribution, texts, Job(ENTROPY, 0, alpha, 0, 0, -1, -1), num_threads)


def log_prob_batch(Distribution distribution not None, tuple texts not None, int num_threads):
    """For each text what `Distribution.log_prob` gives."""
    return numbers_of(distribution, texts, Job(LOG_PROB, 0, 1.0, 0, 0, -1, -1), num_threads)


cdef list numbers_of(Distribution distribution, tuple texts, Job job, int num_threads):
    cdef PathWorker worker
    cdef list results = [], workers = new_workers(distribution, num_threads)
    cdef Py_ssize_t begin = 0
    cdef size_t i
    distribution.check(False)
    while begin < len(texts):
        begin = do_block(workers, texts, begin, &job)
        for worker in workers:
            results += [worker.numbers[i] for i in range(worker.numbers.size())]
    return results


cdef list new_workers(Distribution distribution, int num_threads):
    """Workers with buffers of their own, at least one."""
    cdef PathWorker worker
    cdef list workers = []
    for _ in range(max(1, num_threads)):
        worker = PathWorker()
        worker.distribution = distribution
        worker.scratch = distribution.paths.new_scratch()
        workers.append(worker)
    return workers


cdef Py_ssize_t do_block(list workers, tuple texts, Py_ssize_t begin, const Job* job) except -1:
    """Do texts from `begin` on, about as many bytes as are set for a block; the end is returned.

    Each worker has a share of about the same bytes, in the order of the texts.
    """
    cdef vector[TextView] views
    cdef TextView view
    cdef PathWorker worker
    cdef int64_t total = 0, seen = 0
    cdef Py_ssize_t i = begin, n_workers, k = 0
    while i < len(texts) and total < <int64_t> LATTICE_BLOCK_BYTES * len(workers):
        view_text(texts[i], i, &view)
        views.push_back(view)
        total += view.size + 1
        i += 1
    n_workers = max(1, min(len(workers), total // LATTICE_SHARE_BYTES))
    for w in range(len(workers)):
        worker = workers[w]
        worker.job = job[0]
        worker.texts = views.data()
        worker.first_stream = job.first_stream + <uint64_t> begin
        worker.begin = k
        while w < n_workers and k < <Py_ssize_t> views.size() and seen < total * (w + 1) // n_workers:
            seen += views[k].size + 1
            k += 1
        worker.end = k
    run_workers(workers[:n_workers])
    for w in range(n_workers, len(workers)):
        worker = workers[w]
        worker.work()  # it has no text: forget those of the last block
    PyErr_CheckSignals()
    return i


cdef int append_lists(PathWorker worker, list results) except -1:
    """Append the paths of each text of a worker as a list of (ids, score)."""
    cdef IntMaker ints = IntMaker()
    cdef size_t text, path, n_sizes = 0, n_ids = 0
    cdef list found
    for text in range(worker.n_paths.size()):
        found = []
        for path in range(n_sizes, n_sizes + <size_t> worker.n_paths[text]):
            ids = ints.list_of(worker.ids.data() + n_ids, <Py_ssize_t> worker.sizes[path].n_ids)
            found.append((ids, worker.sizes[path].score))
            n_ids += <size_t> worker.sizes[path].n_ids
        n_sizes += <size_t> worker.n_paths[text]
        results.append(found)
    return 0
