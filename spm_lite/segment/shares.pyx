from libc.stdint cimport int64_t

from spm_lite.segment.texts cimport TextView, memory_of
from spm_lite.segment.workers cimport Worker


cdef class TextWorker(Worker):
    """A worker for texts [begin, end) of a block."""


cdef list share_texts(
    list workers, const TextView* texts, Py_ssize_t n_texts, Py_ssize_t first_text, int64_t n_shares,
):
    """Give each worker its share; those that come too late have none."""
    cdef TextWorker worker
    cdef Py_ssize_t n_workers = max(1, min(len(workers), n_shares)), w, k = 0
    cdef int64_t total = total_size(texts, n_texts), seen = 0, wanted
    for w in range(len(workers)):
        wanted = total * (w + 1) // n_workers
        worker = workers[w]
        worker.texts = texts
        worker.first_text = first_text
        worker.begin = k
        while k < n_texts and seen < wanted:
            seen += memory_of(&texts[k]) + 1
            k += 1
        worker.end = k
    return workers[:n_workers]
