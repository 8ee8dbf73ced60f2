"""Texts of a block in shares for workers, of about the same bytes each and in their order; header only."""

from libc.stdint cimport int64_t

from spm_lite.segment.texts cimport TextView


cdef inline int64_t total_size(const TextView* texts, Py_ssize_t n_texts) noexcept nogil:
    """Bytes of some texts, and one more for each, which stands for its cost."""
    cdef int64_t total = 0
    cdef Py_ssize_t i
    for i in range(n_texts):
        total += texts[i].size + 1
    return total


cdef inline Py_ssize_t end_of_share(
    const TextView* texts, Py_ssize_t n_texts, Py_ssize_t begin, int64_t wanted, int64_t* seen,
) noexcept nogil:
    """The end of the share that begins at text `begin`: where all texts so far have `wanted` or more, as `total_size`.

    seen: what those before it have; then what it has with them.
    """
    cdef Py_ssize_t end = begin
    while end < n_texts and seen[0] < wanted:
        seen[0] += texts[end].size + 1
        end += 1
    return end
