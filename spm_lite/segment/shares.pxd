"""Texts of a block in shares for workers, of about the same bytes each and in their order."""

from libc.stdint cimport int64_t

from spm_lite.segment.texts cimport TextView, memory_of
from spm_lite.segment.workers cimport Worker


cdef class TextWorker(Worker):
    """A worker for texts [begin, end) of a block."""

    cdef const TextView* texts          # of the block
    cdef Py_ssize_t first_text          # the place of its first one in the batch
    cdef Py_ssize_t begin
    cdef Py_ssize_t end


cdef inline int64_t total_size(const TextView* texts, Py_ssize_t n_texts) noexcept nogil:
    """Bytes of some texts, and one more for each, which stands for its cost."""
    cdef int64_t total = 0
    cdef Py_ssize_t i
    for i in range(n_texts):
        total += memory_of(&texts[i]) + 1
    return total


cdef list share_texts(
    list workers, const TextView* texts, Py_ssize_t n_texts, Py_ssize_t first_text, int64_t n_shares,
)       # those with a share: at most `n_shares`, at least one
