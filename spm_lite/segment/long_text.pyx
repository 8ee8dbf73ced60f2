cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from spm_lite.atomics cimport atomic
from spm_lite.segment.workers cimport run_workers


@cython.final
cdef class PartWorker(Worker):
    """Encodes a part of a normalized text."""

    cdef int work(self) except -1 nogil:
        return self.chunks.append_ids(self.text, self.size, self.scratch, self.ids)


cdef bint can_share(ChunkEncoder chunks, int64_t size, Py_ssize_t n_workers):
    """Whether a text of `size` bytes is for several workers. chunks: None where texts are not cut.

    Not in Unigram models: there each part would have to know the sum of the scores before it, rounded as the original
    rounds it.
    """
    return n_workers > 1 and size >= LONG_BYTES and chunks is not None and chunks.unigram is None


cdef PartWorker new_part(ChunkEncoder chunks, ChunkScratch scratch, Int32Array ids):
    """A worker that adds to `ids`."""
    worker = PartWorker()
    worker.chunks = chunks
    worker.scratch = scratch
    worker.ids = ids
    return worker


cdef int append_parts(list workers, const uint8_t* text, int32_t size) except -1:
    """Encode a normalized text on all workers, each a part of about the same bytes."""
    cdef PartWorker worker, first = workers[0]
    cdef int32_t begin = 0, end
    cdef Py_ssize_t i, n_workers = len(workers)
    cdef atomic[int64_t] n_stopped
    n_stopped.store(0)
    for i in range(n_workers):
        worker = workers[i]
        end = max(begin, <int32_t> (<int64_t> size * (i + 1) // n_workers))
        worker.text = text + begin
        worker.scratch.n_stopped = &n_stopped
        with nogil:
            end = worker.chunks.next_cut(text, size, end)
        worker.size = end - begin
        begin = end
    try:
        run_workers(workers)
    finally:
        for i in range(n_workers):
            worker = workers[i]
            worker.scratch.n_stopped = NULL
    for i in range(1, n_workers):
        worker = workers[i]
        add_part(worker.chunks, first.ids, worker.ids)
    return 0


cdef int add_part(ChunkEncoder chunks, Int32Array ids, Int32Array more) except -1:
    """Move the ids of a part behind those before it; a run of unknown characters across the cut stays one id."""
    cdef int32_t unknown = chunks.segmenter.vocab.unknown_index
    cdef size_t n_shared = 0
    if chunks.emitter.merges_unknown and ids.size and more.size:
        n_shared = ids.data[ids.size - 1] == unknown and more.data[0] == unknown
    ids.append(more.data + n_shared, more.size - n_shared)
    more.size = 0
    return 0
