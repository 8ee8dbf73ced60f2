"""Adds up the log-probabilities of chunks; a chunk that is not cached gets a lattice and forward sums.

`text_log_prob` is the loop over chunks. `log_likelihood` adds up texts by a compensated sum. Header: likelihood.pxd.
"""

cimport cython
from libc.math cimport fabs
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy

from spm_lite.encode.chunks.chunk_cache cimport LONG_BYTES, CacheView, Entry, Key, find_entry, find_home, view_of
from spm_lite.encode.chunks.chunk_cutter cimport is_cut
from spm_lite.encode.shares cimport TextWorker, run_block
from spm_lite.lattice.distribution cimport Distribution
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.sampling cimport Sampler
from spm_lite.normalize.normalized_text cimport NormalizedText
from spm_lite.texts.text_view cimport Texts

cdef enum:
    SHARE_BYTES = 1 << 14       # of text: less is not worth a thread
    BLOCK_BYTES = 1 << 21       # of text for each thread, then the driver looks for signals
    MOST_SPARE = 8              # workers that wait for the next call
    DOUBLE_IDS = 2              # ids that hold the bits of a double


@cython.final
cdef class LikelihoodWorker(TextWorker):
    """Finds the log-likelihoods of texts [begin, end) of a block."""

    cdef int work(self) except -1 nogil:
        cdef int32_t n_bytes
        cdef Py_ssize_t i
        self.sums.clear()
        for i in range(self.begin, self.end):
            n_bytes = self.text.take(&self.texts[i], self.first_text + i)
            self.sums.push_back(self.text_log_prob(self.text.bytes.data(), n_bytes))
        return 0

    cdef double text_log_prob(self, const uint8_t* text, int32_t size) except? 1.0 nogil:
        """The log-probability of a normalized text: the sum over its chunks, from left to right."""
        cdef CacheView cache
        cdef Key* key
        cdef const Entry* entry
        cdef double sum = 0, value = 0
        cdef int n_chunks, k
        self.chunks.start()
        while not is_cut(&self.chunks.cut, size):
            cache = view_of(self.chunks.cache)
            n_chunks = self.cutter.next_keys(text, size, &cache, &self.chunks.cut, self.chunks.keys)
            for k in range(n_chunks):
                key = &self.chunks.keys[k]
                entry = key.home  # not to be read once the table has grown: that may have moved it
                if cache.shift == self.chunks.cache.shift and entry.low == key.low and entry.high == key.high:
                    memcpy(&value, entry.ids, sizeof(double))
                else:
                    value = self.chunk_log_prob(key, text)
                sum += value
        return sum

    cdef double chunk_log_prob(self, Key* key, const uint8_t* text) except? 1.0 nogil:
        """The log-probability of a chunk: log of the sum over its paths; from the cache, or put into it.

        key: its slot is found again.
        """
        cdef const Entry* entry = NULL
        cdef bint is_kept = key.size <= LONG_BYTES and self.chunks.cache.entries != NULL
        cdef CacheView cache
        cdef int32_t ids[DOUBLE_IDS]
        cdef double value = 0
        if is_kept:
            cache = view_of(self.chunks.cache)
            find_home(&cache, key)  # the table may have grown since
            entry = find_entry(cache.entries, cache.shift, self.chunks.cache.pool.data, key, text)
        if entry != NULL:
            memcpy(&value, entry.ids, sizeof(double))
            return value
        self.lattice.fill(self.scores, text + key.begin, key.size)
        self.sampler.fill(self.lattice, 1.0)
        value = self.sampler.sums[self.lattice.n_places]
        if is_kept:
            memcpy(ids, &value, sizeof(double))
            self.chunks.cache.put(key, text, ids, DOUBLE_IDS, 0, 0, &entry)
        return value


cdef LikelihoodWorker take_worker(Distribution distribution):
    """A worker that no other call uses, with what its cache holds; or a new one."""
    cdef LikelihoodWorker worker
    try:
        return distribution.spare_workers.pop()
    except IndexError:
        pass
    worker = LikelihoodWorker()
    worker.scores = distribution.paths.vocab
    worker.chunks = distribution.encoder.chunks.new_scratch()
    worker.cutter = distribution.encoder.chunks.cutter
    worker.text = NormalizedText(distribution.encoder.normalizer)
    worker.lattice, worker.sampler = Lattice(), Sampler()
    return worker


def log_likelihood(Distribution distribution not None, Texts texts not None, int num_threads):
    """The sum of the log-probabilities of some texts, in nats, as two doubles: the sum, and what rounding took of it.

    The model is cut into chunks (`encoder.chunks`).

    num_threads: at least 1; the sum does not depend on it. What is found of chunks is kept for the next call, within
    the memory that the encoder may use (`cache_bytes`). Source of the sum: Neumaier 1974.
    """
    cdef LikelihoodWorker worker
    cdef Py_ssize_t begin = 0
    cdef double sum = 0, error = 0, next
    cdef size_t i
    cdef list workers = [], busy
    for _ in range(num_threads):
        workers.append(take_worker(distribution))
    while begin < texts.n:
        busy = run_block(workers, texts, &begin, BLOCK_BYTES, SHARE_BYTES, 1)
        for worker in busy:
            for i in range(worker.sums.size()):
                next = sum + worker.sums[i]
                if fabs(sum) >= fabs(worker.sums[i]):
                    error += (sum - next) + worker.sums[i]
                else:
                    error += (worker.sums[i] - next) + sum
                sum = next
    for worker in reversed(workers):
        if len(distribution.spare_workers) < MOST_SPARE:
            worker.text.forget()
            distribution.spare_workers.append(worker)
    return sum, error
