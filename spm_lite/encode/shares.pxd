"""Texts of a block in shares for workers, of about the same bytes each and in their order."""

from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.tasks cimport Worker
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView, memory_of


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


# Look at texts from `begin` on, about `n_bytes` of them for each of the workers, and give these their shares: for each
# `share_bytes` of the texts, `times` over, one worker at most and at least one. Those with a share are returned.
cdef list share_block(
    list workers, Texts texts, Py_ssize_t begin, int64_t n_bytes, int64_t share_bytes, int64_t times, TextBlock block,
)
