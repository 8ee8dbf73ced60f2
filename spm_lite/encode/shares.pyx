"""Cuts a block of texts into shares of about equal bytes, and runs one worker for each. Header: shares.pxd."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.thread_tasks cimport Worker, run_workers
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView, memory_of
from spm_lite.texts.transcode cimport transcode_views


cdef class TextWorker(Worker):
    """A worker for texts [begin, end) of a block."""


cdef int cut_shares(
    const TextView* texts, Py_ssize_t n_texts, int64_t n_bytes, Py_ssize_t n_shares, vector[Py_ssize_t]& ends,
) except -1:
    """Append to `ends` the index at which each of `n_shares` (at least 1) ends. n_bytes: `total_size` of the texts."""
    cdef Py_ssize_t k, end = 0
    cdef int64_t seen = 0
    for k in range(1, n_shares):
        while end < n_texts and seen < n_bytes * k // n_shares:
            seen += memory_of(&texts[end]) + 1
            end += 1
        ends.push_back(end)
    ends.push_back(n_texts)
    return 0


cdef list run_block(
    list workers, Texts texts, Py_ssize_t* begin, int64_t n_bytes, int64_t share_bytes, int64_t times,
):
    cdef TextBlock block = TextBlock()
    cdef TextWorker worker
    cdef list busy
    cdef Py_ssize_t n_texts, n_shares, first = 0, k
    cdef vector[Py_ssize_t] ends
    texts.view_block(begin[0], n_bytes * len(workers), block)
    transcode_views(block.views, begin[0], block.transcoded)
    n_texts = <Py_ssize_t> block.views.size()
    n_bytes = total_size(block.views.data(), n_texts)
    n_shares = max(1, min(<int64_t> len(workers), n_bytes * times // share_bytes))
    cut_shares(block.views.data(), n_texts, n_bytes, n_shares, ends)
    busy = workers[:n_shares]
    for k in range(n_shares):
        worker = busy[k]
        worker.texts = block.views.data()
        worker.first_text = begin[0]
        worker.begin = first
        worker.end = first = ends[k]
    run_workers(busy)
    begin[0] += n_texts
    PyErr_CheckSignals()
    return busy
