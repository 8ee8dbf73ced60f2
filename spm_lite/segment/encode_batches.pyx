cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.machine cimport prefetch
from spm_lite.segment.arrays cimport Int32Array, Int64Array
from spm_lite.segment.encoder cimport Encoder
from spm_lite.segment.long_text cimport add_long_text, is_for_all
from spm_lite.segment.shares cimport cut_shares, total_size
from spm_lite.segment.texts cimport Texts, TextView, memory_of
from spm_lite.segment.workers cimport Worker, run_workers

from spm_lite.arguments import usable_cpus

cdef enum Shares:
    SHARE_BYTES = 1 << 16   # of text: less is not worth a thread
    BLOCK_BYTES = 1 << 22   # of text for each of several threads, after which the driver looks for signals
    ALONE_BYTES = 1 << 18   # of text for a thread alone: most of what is seen stays in the cache until it is encoded
    SHARES_EACH = 32        # for each worker: some are slower than others

cdef enum Fetching:
    AHEAD = 4               # texts
    FETCHED_BYTES = 512     # of each; the others follow by themselves
    CACHE_LINE = 64


def encode_batch(Encoder encoder not None, Texts texts not None, int num_threads, int bos_id, int eos_id):
    """(ids, offsets) of many texts: flat int32 ids; text i has ids[offsets[i] : offsets[i + 1]].

    num_threads: at least 1. bos_id, eos_id: added to each text; -1: not.
    """
    cdef Int64Array offsets = Int64Array()
    cdef EncodeWorker first = new_worker(encoder, bos_id, eos_id, False)
    offsets.data.resize(texts.n + 1, 0)
    first.ids.budget = encoder.budget  # not those of the others: they would take the largest block before it does
    work_through(texts, first, num_threads, offsets.data.data() + 1)
    first.ids.trim()
    offsets.add_up()
    return first.ids, offsets


def count_batch(Encoder encoder not None, Texts texts not None, int num_threads):
    """The number of ids of each of many texts."""
    cdef Int64Array counts = Int64Array()
    counts.data.resize(texts.n, 0)
    work_through(texts, new_worker(encoder, -1, -1, True), num_threads, counts.data.data())
    return counts


cdef EncodeWorker new_worker(Encoder encoder, int bos_id, int eos_id, bint is_counting):
    """A worker with buffers of its own."""
    worker = EncodeWorker()
    worker.encoder = encoder
    worker.ids = Int32Array()
    worker.scratch = encoder.take_scratch()
    worker.bos_id = bos_id
    worker.eos_id = eos_id
    worker.is_counting = is_counting
    return worker


cdef int work_through(Texts texts, EncodeWorker first, int num_threads, int64_t* counts) except -1:
    """Encode all texts in blocks, by as many workers as the largest block is worth; the ids end up with `first`."""
    cdef vector[TextView] views
    cdef Py_ssize_t begin = 0, end, n_workers
    cdef EncodeWorker worker
    cdef list workers = [first]
    cdef int64_t block = ALONE_BYTES, largest = 0, size
    if num_threads > 1:
        block = BLOCK_BYTES * <int64_t> min(num_threads, usable_cpus())
    try:
        while begin < texts.n:
            end = texts.view_block(begin, block, views)
            size = total_size(views.data(), <Py_ssize_t> views.size())
            largest = max(largest, size)
            n_workers = min(<int64_t> num_threads, size // SHARE_BYTES)
            while len(workers) < n_workers:
                worker = new_worker(first.encoder, first.bos_id, first.eos_id, first.is_counting)
                worker.number = <int32_t> len(workers)
                workers.append(worker)
            encode_block(workers, views, size, begin, counts + begin)
            begin = end
            PyErr_CheckSignals()
    finally:
        for worker in reversed(workers):  # so that each gets its own cache again if the same texts come once more
            worker.encoder.give_back(worker.scratch, largest)
    return 0


@cython.final
cdef class EncodeWorker(Worker):
    """Encodes shares of a block, or only counts their ids."""

    cdef int work(self) except -1 nogil:
        cdef Share* share = self.take_share()
        cdef bint is_done
        while share != NULL:
            share.worker = self.number
            share.first_id = self.ids.size
            self.at = share.begin
            is_done = False
            try:
                self.encode_share(share)
                is_done = True
            finally:
                if not is_done and self.at < self.block.failed.load():
                    self.block.failed.store(self.at)
            share.n_ids = self.ids.size - share.first_id
            share = self.take_share()
        return 0

    cdef Share* take_share(self) noexcept nogil:
        """The next share that is needed; NULL: there is none."""
        cdef Share* share = self.next_share()
        while share != NULL and share.begin > self.block.failed.load():
            share = self.next_share()
        return share

    cdef Share* next_share(self) noexcept nogil:
        """The next share that nobody has; NULL: there is none."""
        cdef Block* block = self.block
        cdef int64_t n_shares = <int64_t> block.shares.size(), n_taken = block.n_taken.fetch_add(1), n_behind
        if n_taken >= n_shares:
            return NULL
        if self.number == 0:
            self.n_before += 1
            return &block.shares[self.n_before - 1]
        n_behind = block.n_behind.fetch_add(1)
        return &block.shares[n_shares - 1 - n_behind]

    cdef int encode_share(self, const Share* share) except -1 nogil:
        cdef const TextView* texts = self.block.texts
        cdef int64_t* counts = self.block.counts
        cdef Py_ssize_t i, first_text = self.block.first_text
        cdef size_t n_before
        for i in range(share.begin, share.end):
            if i + AHEAD < share.end:
                fetch_ahead(&texts[i + AHEAD])
            if self.is_counting:
                counts[i] = self.encoder.count_ids(&texts[i], first_text + i, self.scratch)
                continue
            n_before = self.ids.size
            if self.bos_id >= 0:
                self.ids.append(&self.bos_id, 1)
            self.encoder.append_ids(&texts[i], first_text + i, self.scratch, self.ids)
            if self.eos_id >= 0:
                self.ids.append(&self.eos_id, 1)
            counts[i] = <int64_t> (self.ids.size - n_before)
        return 0


cdef inline void fetch_ahead(const TextView* view) noexcept nogil:
    """Let the beginning of a text come from memory: texts lie all over it, and the processor does not guess where."""
    cdef int64_t pos = 0, end = min(memory_of(view), <int64_t> FETCHED_BYTES)
    while pos < end:
        prefetch(view.data + pos)
        pos += CACHE_LINE


cdef int encode_block(
    list workers, vector[TextView]& views, int64_t n_bytes, Py_ssize_t first_text, int64_t* counts,
) except -1:
    """Let the workers encode a block, of texts from `first_text` on; the ids end up with the first.

    n_bytes: `total_size`.
    """
    cdef EncodeWorker first = workers[0]
    cdef Py_ssize_t n = <Py_ssize_t> views.size(), begin = 0, end
    while begin < n:
        end = begin
        while end < n and not is_for_all(first.encoder.chunks, memory_of(&views[end]), n_bytes, len(workers)):
            end += 1
        if end > begin:
            share_out(workers, views.data() + begin, end - begin, first_text + begin, counts + begin)
        if end < n:
            counts[end] = add_long(workers, &views[end], first_text + end)
        begin = end + 1
    return 0


cdef int share_out(
    list workers, const TextView* texts, Py_ssize_t n_texts, Py_ssize_t first_text, int64_t* counts,
) except -1:
    """Let the workers take shares until all texts are done."""
    cdef EncodeWorker worker
    cdef Block block
    cdef vector[Py_ssize_t] ends
    cdef Py_ssize_t begin = 0, end
    cdef int64_t n_bytes = total_size(texts, n_texts) if len(workers) > 1 else 0
    cdef Py_ssize_t n_workers = max(1, min(<int64_t> len(workers), n_bytes // SHARE_BYTES))
    cdef list busy = workers[:n_workers]
    block.texts = texts
    block.first_text = first_text
    block.counts = counts
    block.n_taken.store(0)
    block.n_behind.store(0)
    block.failed.store(n_texts)
    cut_shares(texts, n_texts, n_bytes, 1 if n_workers == 1 else n_workers * SHARES_EACH, ends)
    for end in ends:
        block.shares.push_back(Share(begin, end, -1, 0, 0))
        begin = end
    for worker in busy:
        worker.block = &block
        worker.n_before = 0
    try:
        run_workers(busy)
    except BaseException as error:
        raise first_error(busy) or error from None
    finally:
        for worker in busy:
            worker.block = NULL
    return gather(workers, block.shares)


cdef object first_error(list workers):
    """What was raised at the first text of all at which something was; None: nothing."""
    cdef EncodeWorker worker
    cdef Py_ssize_t at = -1
    error = None
    for worker in workers:
        if worker.error is not None and (error is None or worker.at < at):
            error, at = worker.error, worker.at
    return error


cdef int gather(list workers, const vector[Share]& shares) except -1:
    """Add the ids of the other workers to those of the first, in the order of the texts."""
    cdef EncodeWorker worker, first = workers[0]
    cdef size_t i
    for i in range(shares.size()):
        if shares[i].worker > 0:
            worker = workers[shares[i].worker]
            first.ids.append(worker.ids.data + shares[i].first_id, shares[i].n_ids)
    for worker in workers[1:]:
        worker.ids.size = 0
    return 0


cdef int64_t add_long(list workers, const TextView* text, Py_ssize_t index) except -1:
    """Let all workers encode one text of a batch together; the number of its ids is returned."""
    cdef EncodeWorker worker, first = workers[0]
    cdef size_t n_before = first.ids.size
    cdef int64_t n_ids = -1
    cdef bint is_started
    if first.bos_id >= 0:
        first.ids.append(&first.bos_id, 1)
    with nogil:
        is_started = first.scratch.text.start(text, index)
    if is_started:
        scratches = [worker.scratch.chunks for worker in workers]
        n_ids = add_long_text(first.encoder.chunks, first.scratch.text, scratches, first.ids, first.is_counting)
    if first.is_counting:
        first.ids.size = 0
        return n_ids if n_ids >= 0 else first.encoder.count_ids(text, index, first.scratch)
    if n_ids < 0:
        first.encoder.append_ids(text, index, first.scratch, first.ids)
    if first.eos_id >= 0:
        first.ids.append(&first.eos_id, 1)
    return <int64_t> (first.ids.size - n_before)
