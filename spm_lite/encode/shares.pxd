"""Texts are taken block by block; workers get consecutive shares of a block, of about equal bytes."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.thread_tasks cimport Worker
from spm_lite.texts.text_view cimport Texts, TextView, memory_of


cdef class TextWorker(Worker):
    """A worker for texts [begin, end) of a block."""

    cdef const TextView* texts          # all views of the block
    cdef Py_ssize_t first_text          # index in the batch of the block's first text
    cdef Py_ssize_t begin
    cdef Py_ssize_t end


cdef inline int64_t total_size(const TextView* texts, Py_ssize_t n_texts) noexcept nogil:
    """Return the bytes of some texts, plus one per text for its fixed cost."""
    cdef int64_t total = 0
    cdef Py_ssize_t i
    for i in range(n_texts):
        total += memory_of(&texts[i]) + 1
    return total


# Append to `ends` the index at which each of `n_shares` (at least 1) ends. n_bytes: `total_size` of the texts.
cdef int cut_shares(
    const TextView* texts, Py_ssize_t n_texts, int64_t n_bytes, Py_ssize_t n_shares, vector[Py_ssize_t]& ends,
) except -1

# Run the workers on the texts from `begin` on, about `n_bytes` for each worker, and set `begin` after the last one.
# Return the workers with a share: at least one, and at most `times` workers for each `share_bytes` of text.
cdef list run_block(
    list workers, Texts texts, Py_ssize_t* begin, int64_t n_bytes, int64_t share_bytes, int64_t times,
)
