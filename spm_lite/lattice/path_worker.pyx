cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint64_t

from spm_lite.base.structures.random cimport Stream, open_stream
from spm_lite.base.system.workers cimport run_workers
from spm_lite.encode.shares cimport TextWorker, share_block
from spm_lite.lattice.distribution cimport Distribution
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView


@cython.final
cdef class PathWorker(TextWorker):
    """Does a job for texts [begin, end) of a block."""

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i, place
        cdef Stream stream
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

    cdef int find_paths(self, const TextView* view, Stream* stream) except -1 nogil:
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
        """Add the number of one text to the result."""
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


cdef Py_ssize_t do_block(list workers, Texts texts, Py_ssize_t begin, const Job* job) except -1:
    """Do texts from `begin` on, about as many bytes as are set for a block; the end is returned.

    Each worker has a share of about the same bytes, in the order of the texts.
    """
    cdef TextBlock block = TextBlock()
    cdef PathWorker worker
    cdef int64_t n = max(1, job.n)
    cdef list busy = share_block(
        workers, texts, begin, max(1, LATTICE_BLOCK_BYTES // n), LATTICE_SHARE_BYTES, n, block,
    )
    for worker in workers:
        worker.job = job[0]
    run_workers(busy)
    for worker in workers[len(busy):]:
        worker.work()  # it has no text: forget those of the last block
    PyErr_CheckSignals()
    return begin + <Py_ssize_t> block.views.size()
