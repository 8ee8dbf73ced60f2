"""Binary heap of merge candidates, the smallest order first."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector


cdef struct Candidate:
    # Two neighbours that form a piece; the smallest `order` goes first.
    uint64_t order          # rank of the piece, then index of the left symbol
    int32_t piece_id
    int32_t size            # bytes of both; if their sizes now have another sum, the candidate is stale


cdef inline int push_merge(vector[Candidate]& heap, Candidate merge) except -1 nogil:
    """Add a candidate."""
    cdef size_t child = heap.size(), parent
    cdef Candidate* entries
    heap.push_back(merge)
    entries = heap.data()
    while child:
        parent = (child - 1) >> 1
        if entries[parent].order <= merge.order:
            break
        entries[child] = entries[parent]
        child = parent
    entries[child] = merge
    return 0


cdef inline void pop_merge(vector[Candidate]& heap, Candidate* merge) noexcept nogil:
    """Remove the candidate with the smallest order; the heap must not be empty."""
    cdef Candidate* entries = heap.data()
    cdef size_t n_entries = heap.size() - 1
    cdef size_t parent = 0, child = 1
    cdef Candidate last = entries[n_entries]
    merge[0] = entries[0]
    heap.pop_back()
    while child < n_entries:
        if child + 1 < n_entries and entries[child + 1].order < entries[child].order:
            child += 1
        if last.order <= entries[child].order:
            break
        entries[parent] = entries[child]
        parent = child
        child = 2 * parent + 1
    if n_entries:
        entries[parent] = last
