"""Threads take numbered parts of a batch, encode them, and add the ids of each part when it is due.

`work_through` is the driver. `EncodeJob` is what threads share, and `EncodeWorker.encode_texts` the loop over texts.
Header: encode_batch.pxd.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT64_MAX, int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array, Int64Array
from spm_lite.base.system.atomics cimport atomic
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.system.signals cimport stay_if_ending
from spm_lite.base.system.thread_tasks cimport Worker, run_workers
from spm_lite.encode.chunks.chunk_cache cimport ChunkCache
from spm_lite.encode.encode_batch cimport GilQueue, SourceLock, StopGuard, now
from spm_lite.encode.encoder cimport Encoder
from spm_lite.encode.long_text cimport LONG_BYTES, BatchPart, LongText
from spm_lite.encode.segment.segmenter cimport Scratch, go_on, look_around
from spm_lite.encode.shares cimport total_size
from spm_lite.normalize.normalized_text cimport NormalizedText
from spm_lite.texts.id_lists cimport append_lists
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView, memory_of

from spm_lite.encode.segment.segmenter import Stopped
from spm_lite.errors import TextError

cdef enum:
    SHARE_BYTES = 1 << 16   # of text: a thread for less is not worth it
    # Bytes of text in a block, which one of several threads takes at a time:
    BLOCK_BYTES = 1 << 17   # a block and its ids stay in the processor's cache
    BLOCKS_EACH = 4         # blocks are smaller if a thread would get fewer: some threads are slower than others
    LEAST_BYTES = 1 << 13   # but no smaller than this
    # The size of a batch is guessed:
    FEW_TEXTS = 256         # up to so many texts, the sizes of all are added up
    N_SAMPLES = 5           # of more texts, samples are taken at so many places
    SAMPLE_BYTES = 1 << 14  # of text in each sample
    ALONE_BYTES = 1 << 18   # block of a single thread: most views stay in the cache until their text is encoded
    # Viewing texts needs the GIL; where other threads hold it for long, blocks grow:
    MOST_BYTES = 1 << 23    # up to this
    MOST_PART = 2           # and up to a thread's share of the text divided by this
    # Threads exchange the chunks in their caches at the end of a batch:
    FEW_WORKERS = 4         # if there are at most so many threads
    PLACES_A_CHUNK = 8      # and a cache has met more than one new chunk for each so many of its entries

cdef double LONG_WAIT = 0.001   # for the GIL, seconds

cdef enum:
    AHEAD = 4               # texts between the one that is encoded and the one that is prefetched
    FETCHED_BYTES = 512     # of each text; the hardware prefetcher fetches the rest
    CACHE_LINE = 64


def encode_batch(Encoder encoder not None, Texts texts not None, int num_threads, int bos_id, int eos_id):
    """Return (ids, offsets) of many texts: flat int32 ids; text i has ids[offsets[i] : offsets[i + 1]].

    num_threads: at least 1. bos_id, eos_id: put before and after each text; -1: none.
    """
    cdef Int64Array offsets = Int64Array()
    cdef EncodeJob job = new_job(encoder, texts, bos_id, eos_id)
    job.ids.budget = encoder.budget
    offsets.data.resize(texts.n + 1, 0)
    job.counts = offsets.data.data() + 1
    work_through(job, num_threads)
    job.ids.trim()
    offsets.add_up()
    return job.ids, offsets


def encode_lists(Encoder encoder not None, Texts texts not None, int num_threads, int bos_id, int eos_id):
    """Return one list of ids per text; parameters as in `encode_batch`.

    No array holds the ids of all texts: the lists of a block are made while its ids are in the processor's cache.
    With several threads, one makes lists, which needs the GIL, while the others encode.
    """
    cdef vector[int64_t] counts
    cdef EncodeJob job = new_job(encoder, texts, bos_id, eos_id)
    job.lists = []
    counts.resize(texts.n, 0)
    job.counts = counts.data()
    work_through(job, num_threads)
    return job.lists


def count_batch(Encoder encoder not None, Texts texts not None, int num_threads):
    """Return the number of ids of each text."""
    cdef Int64Array counts = Int64Array()
    cdef EncodeJob job = new_job(encoder, texts, -1, -1)
    job.is_counting = True
    counts.data.resize(texts.n, 0)
    job.counts = counts.data.data()
    work_through(job, num_threads)
    return counts


cdef EncodeJob new_job(Encoder encoder, Texts texts, int bos_id, int eos_id):
    job = EncodeJob()
    job.encoder = encoder
    job.texts = texts
    job.bos_id = bos_id
    job.eos_id = eos_id
    job.ids = Int32Array()
    return job


cdef EncodeWorker new_worker(EncodeJob job):
    """Return a worker with its own buffers."""
    worker = EncodeWorker()
    worker.job = job
    worker.scratch = job.encoder.take_scratch()
    return worker


cdef int work_through(EncodeJob job, int num_threads) except -1:
    """Encode all texts with at most `num_threads` workers: one for each SHARE_BYTES of text, at least one."""
    cdef int64_t n_bytes = guess_bytes(job) if num_threads > 1 and job.texts.n else 0
    cdef Py_ssize_t n_workers = max(1, min(<int64_t> num_threads, n_bytes // SHARE_BYTES))
    cdef list workers = [new_worker(job)]
    while len(workers) < n_workers:
        workers.append(new_worker(job))
    try:
        if n_workers > 1:
            job.block_bytes = max(LEAST_BYTES, min(<int64_t> BLOCK_BYTES, n_bytes // (n_workers * BLOCKS_EACH)))
            job.most_bytes = min(<int64_t> MOST_BYTES, n_bytes // (n_workers * MOST_PART))
            work_together(workers)
            share_chunks(job, workers)
        else:
            work_alone(workers[0])
    except TextError:
        give_all_back(job, workers)
        raise
    give_all_back(job, workers)
    return 0


cdef int give_all_back(EncodeJob job, list workers) except -1:
    """Keep the buffers of all workers for the next batch."""
    cdef EncodeWorker worker
    cdef int64_t largest = 0
    for worker in workers:
        largest = max(largest, worker.largest)
    for worker in reversed(workers):  # last in, first out: each gets its own cache again for the next batch
        job.encoder.give_back(worker.scratch, largest)
    return 0


cdef int share_chunks(EncodeJob job, list workers) except -1:
    """Copy new chunks between the caches of a few workers; the threads of the next batch get these caches.

    This takes some ms, so it is done only if a cache has met many new chunks. No Python container is created here: it
    could start a garbage collection, which goes through all new lists.
    """
    cdef ChunkCache cache
    cdef bint is_worth_it = False
    cdef Py_ssize_t n = len(workers), k
    if job.encoder.chunks is None or n > FEW_WORKERS:
        return 0
    for k in range(n):
        cache = cache_of(workers[k])
        is_worth_it |= not cache.is_grown and cache.n_new > cache.n_entries // PLACES_A_CHUNK
    if is_worth_it:
        for k in range(1, n):
            copy_entries(cache_of(workers[k]), cache_of(workers[0]))
        for k in range(1, n):
            copy_entries(cache_of(workers[0]), cache_of(workers[k]))
    return 0


cdef int copy_entries(ChunkCache cache, ChunkCache other) except -1:
    """Add the entries of `cache` to `other`."""
    PyErr_CheckSignals()
    with nogil:
        other.merge_from(cache)
    cache.n_new = 0
    return 0


cdef inline ChunkCache cache_of(EncodeWorker worker):
    return worker.scratch.chunks.cache


cdef int64_t guess_bytes(EncodeJob job) except -1:
    """Return the bytes of all texts; of more than FEW_TEXTS, an estimate from samples; 0: a text is invalid."""
    cdef TextBlock block = TextBlock()
    cdef Py_ssize_t n = job.texts.n, k
    cdef double mean = 0
    try:
        if n <= FEW_TEXTS:
            job.texts.view_block(0, INT64_MAX, block)
            return total_size(block.views.data(), <Py_ssize_t> block.views.size())
        for k in range(N_SAMPLES):
            job.texts.view_block((n - 1) * k // (<int> N_SAMPLES - 1), SAMPLE_BYTES, block)
            mean += <double> total_size(block.views.data(), <Py_ssize_t> block.views.size()) / block.views.size()
    except Exception:  # the worker that reaches the invalid text raises the error
        return 0
    return <int64_t> min(mean / N_SAMPLES * <double> n, 1e18)


cdef int work_alone(EncodeWorker worker) except -1:
    cdef EncodeJob job = worker.job
    cdef TextBlock block = TextBlock()
    cdef Py_ssize_t end
    cdef double done
    job.block_bytes = ALONE_BYTES
    job.most_bytes = MOST_BYTES
    while job.at < job.texts.n:
        PyErr_CheckSignals()
        end = job.texts.view_block(job.at, job.block_bytes, block)
        with nogil:
            worker.encode_texts(block.views, job.at, job.ids)
            done = now()
        job.widen_blocks_if_gil_was_slow(done)
        if job.lists is not None:
            job.list_ids(job.ids, job.at, end - job.at)
        job.at = end
    return 0


cdef int work_together(list workers) except -1:
    cdef EncodeWorker worker, first = workers[0]
    cdef EncodeJob job = first.job
    job.long_text = LongText(job.encoder.chunks, NormalizedText(job.encoder.normalizer), job.ids)
    job.long_block = TextBlock()
    first.is_first = True
    for worker in workers:
        worker.one, worker.other = BatchPart(), BatchPart()
    while True:
        share_stop(workers, &job.turns.n_stopped)
        try:
            run_workers(workers)
        except BaseException as error:
            raise first_error(workers) or error from None
        finally:
            share_stop(workers, NULL)
        if not job.long_text.is_refused:
            return 0
        job.long_text.is_refused = False
        if job.long_text.n_parts > 0:
            job.ids.size = job.long_text.n_first - <size_t> (job.bos_id >= 0)
        with nogil:
            first.encode_texts(job.long_block.views, job.long_at, job.ids)
        if job.lists is not None:
            job.list_ids(job.ids, job.long_at, 1)


cdef int share_stop(list workers, atomic[int64_t]* n_stopped) except -1:
    """Show the number of stopped threads to the searches of all workers, so that long ones stop too; NULL: hide it."""
    cdef EncodeWorker worker
    for worker in workers:
        worker.scratch.scratch.n_stopped = n_stopped
        if worker.scratch.chunks is not None:
            worker.scratch.chunks.scratch.n_stopped = n_stopped
    return 0


cdef object first_error(list workers):
    """Return the error of the earliest part that raised one, `Stopped` aside; None: no error."""
    cdef EncodeWorker worker
    cdef int64_t number = -1
    error = None
    for worker in workers:
        if worker.error is None or isinstance(worker.error, Stopped):
            continue
        if error is None or worker.number < number:
            error, number = worker.error, worker.number
    return error


@cython.final
cdef class EncodeJob:
    """The state that threads share: the source of the next texts, and the ids of all texts."""

    cdef bint take(self, BatchPart part, int64_t* number, Scratch scratch) except -1 nogil:
        """Fill `part` with the next part and `number` with its number; False: none is left, or a thread has stopped."""
        cdef SourceLock lock
        cdef bint is_taken
        while not lock.take(&self.turns):
            look_around(scratch)
        number[0] = part.number = self.n_taken
        is_taken = not self.turns.n_stopped.load() and self.take_next(part)
        self.n_taken += is_taken
        lock.leave()
        return is_taken

    cdef bint take_next(self, BatchPart part) except -1 nogil:
        """Fill `part` with the next part; False: none is left. The caller holds the source lock."""
        part.is_long = self.long_text.is_open
        if not part.is_long:
            if self.long_text.is_refused or self.at >= self.texts.n:
                return False
            part.is_long = not self.take_with_gil(part)
            if part.is_long and not self.long_text.start(self.long_block.views.data(), self.long_at):
                part.is_long = False
                part.begin = self.long_at
                part.block.views.resize(1)
        if part.is_long:
            part.begin = self.long_at
            self.long_text.take(part)
        return not self.long_text.is_refused

    cdef bint take_with_gil(self, BatchPart part) except -1 nogil:
        """Wait for the GIL, then call `take_texts`."""
        cdef GilQueue place
        cdef double asked = now()
        place.take(&self.turns)
        stay_if_ending()
        with gil:
            self.widen_blocks_if_gil_was_slow(asked)
            return self.take_texts(part)

    cdef bint take_texts(self, BatchPart part) except -1:
        """Fill `part` with the next texts up to a long one; False: the next one is long and is put in `long_block`."""
        cdef vector[TextView]* views = &part.block.views
        cdef size_t n = 0
        PyErr_CheckSignals()
        self.texts.view_block(self.at, self.block_bytes, part.block)
        while n < views.size() and memory_of(&views.data()[n]) < LONG_BYTES:
            n += 1
        if n == 0:
            self.texts.view_block(self.at, 1, self.long_block)
            self.long_at = self.at
            self.at += 1
            return False
        views.resize(n)
        part.begin = self.at
        self.at += <Py_ssize_t> n
        return True

    cdef void widen_blocks_if_gil_was_slow(self, double since) noexcept nogil:
        """Take more text at a time if the GIL, asked for at time `since`, took longer than LONG_WAIT."""
        if now() - since > LONG_WAIT:
            self.block_bytes = max(self.block_bytes, min(4 * self.block_bytes, self.most_bytes))

    cdef int add(self, BatchPart part, EncodeScratch scratch) except -1 nogil:
        """Add the ids of the part that is due; then the next is due. scratch: buffers of this thread."""
        if not part.is_long:
            if self.lists is None:
                self.ids.append(part.ids.data, part.ids.size)
            else:
                self.list_with_gil(part.ids, part.begin, <Py_ssize_t> part.block.views.size())
        else:
            if part.is_first:
                if self.bos_id >= 0:
                    self.ids.append(&self.bos_id, 1)
                self.long_text.begin_ids()
            self.long_text.add(part, scratch.chunks, self.is_counting)
            if part.is_last:
                self.counts[part.begin] = self.long_text.n_ids() + <int64_t> (self.bos_id >= 0)
                if self.eos_id >= 0:
                    self.ids.append(&self.eos_id, 1)
                    self.counts[part.begin] += 1
                if self.lists is not None:
                    self.list_with_gil(self.ids, part.begin, 1)
        part.ids.size = 0
        part.is_waiting = False
        self.turns.advance()
        return 0

    cdef int list_ids(self, Int32Array ids, Py_ssize_t first_text, Py_ssize_t n_texts) except -1:
        """Move all of `ids`, which belong to the next `n_texts` texts, to lists; `ids` is empty afterwards."""
        append_lists(self.lists, ids.data, self.counts + first_text, n_texts)
        ids.size = 0
        return 0

    cdef int list_with_gil(self, Int32Array ids, Py_ssize_t first_text, Py_ssize_t n_texts) except -1 nogil:
        """Wait for the GIL, then call `list_ids`."""
        cdef GilQueue place
        place.take(&self.turns)
        stay_if_ending()
        with gil:
            self.list_ids(ids, first_text, n_texts)
        return 0


@cython.final
cdef class EncodeWorker(Worker):
    """Encodes one part after another and adds the ids of each when it is due."""

    cdef int work(self) except -1 nogil:
        cdef StopGuard presence
        cdef int64_t n_parts
        presence.enter(&self.job.turns)
        while self.encode_next(self.one, self.other) and self.encode_next(self.other, self.one):
            pass
        n_parts = self.number
        if self.one.number < self.other.number:
            self.add_in_turn(self.one)
            self.add_in_turn(self.other)
        else:
            self.add_in_turn(self.other)
            self.add_in_turn(self.one)
        if self.is_first:  # only the caller's thread receives signals, so it waits for the others
            self.await_turn(n_parts)
        presence.leave()
        return 0

    cdef bint encode_next(self, BatchPart part, BatchPart before) except -1 nogil:
        """Encode the next part; False: none is left, or a thread has stopped. before: the part taken last."""
        self.add_in_turn(part)
        if not self.job.take(part, &self.number, self.scratch.scratch):
            return False
        if part.is_long:
            self.encode_long(part)
        else:
            self.encode_texts(part.block.views, part.begin, part.ids)
        part.is_waiting = True
        self.add_if_due(before)
        self.add_if_due(part)
        return True

    cdef int encode_texts(self, vector[TextView]& views, Py_ssize_t first_text, Int32Array ids) except -1 nogil:
        """Add the ids of some texts to `ids`, or only count them; fill `counts`."""
        cdef const TextView* texts = views.data()
        cdef int64_t* counts = self.job.counts + first_text
        cdef Py_ssize_t i, n = <Py_ssize_t> views.size()
        cdef size_t n_before
        for i in range(n):
            if i + AHEAD < n:
                fetch_ahead(&texts[i + AHEAD])
            self.largest = max(self.largest, memory_of(&texts[i]))
            if self.job.is_counting:
                counts[i] = self.job.encoder.count_ids(&texts[i], first_text + i, self.scratch)
                continue
            n_before = ids.size
            if self.job.bos_id >= 0:
                ids.append(&self.job.bos_id, 1)
            self.job.encoder.append_ids(&texts[i], first_text + i, self.scratch, ids)
            if self.job.eos_id >= 0:
                ids.append(&self.job.eos_id, 1)
            counts[i] = <int64_t> (ids.size - n_before)
        return 0

    cdef int encode_long(self, BatchPart part) except -1 nogil:
        """Fill `part.ids` with the ids of a part of a long text."""
        self.largest = max(self.largest, <int64_t> part.size)
        go_on(self.scratch.scratch, part.size)
        return self.job.long_text.encode(part, self.scratch.chunks)

    cdef int add_if_due(self, BatchPart part) except -1 nogil:
        if part.is_waiting and self.job.turns.due.load() == part.number:
            self.number = part.number
            self.job.add(part, self.scratch)
        return 0

    cdef int add_in_turn(self, BatchPart part) except -1 nogil:
        """Add the ids of a waiting part as soon as it is due."""
        if part.is_waiting:
            self.await_turn(part.number)
            self.add_if_due(part)
        return 0

    cdef int await_turn(self, int64_t number) except -1 nogil:
        """Wait until the part with this number is due."""
        while not self.job.turns.wait(number):
            look_around(self.scratch.scratch)
        return 0


cdef inline void fetch_ahead(const TextView* view) noexcept nogil:
    """Prefetch the beginning of a text: texts are scattered in memory, where the hardware cannot predict them."""
    cdef int64_t pos = 0, end = min(memory_of(view), <int64_t> FETCHED_BYTES)
    while pos < end:
        prefetch(view.data + pos)
        pos += CACHE_LINE
