"""Merges of byte-level pieces: the two parts that the merges before a piece leave of its bytes."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

cdef enum:
    NO_RANK = 0x7FFFFFFF


cdef int32_t rank_between(bytes piece, int32_t begin, int32_t end, dict ranks, int32_t limit) except -1:
    """The rank of some bytes of a piece; NO_RANK: they are no piece, or one of rank `limit` or above."""
    found = ranks.get(piece[begin:end])
    return <int32_t> NO_RANK if found is None or found >= limit else <int32_t> found


def merge_parts(bytes piece not None, dict ranks not None, int32_t limit):
    """The bytes of a piece in the parts that merging leaves: neighbours of the lowest rank first, the leftmost first.

    ranks: piece -> rank, also of single bytes, which merge with nothing. limit: only pieces of lower ranks are merged.
    """
    cdef vector[int32_t] begins, pair_ranks
    cdef int32_t n = <int32_t> len(piece), k, best
    for k in range(n + 1):
        begins.push_back(k)
    for k in range(n - 1):
        pair_ranks.push_back(rank_between(piece, k, k + 2, ranks, limit))
    while not pair_ranks.empty():
        best = 0
        for k in range(1, <int32_t> pair_ranks.size()):
            if pair_ranks[k] < pair_ranks[best]:
                best = k
        if pair_ranks[best] == NO_RANK:
            break
        begins.erase(begins.begin() + best + 1)
        pair_ranks.erase(pair_ranks.begin() + best)
        if best:
            pair_ranks[best - 1] = rank_between(piece, begins[best - 1], begins[best + 1], ranks, limit)
        if best < <int32_t> pair_ranks.size():
            pair_ranks[best] = rank_between(piece, begins[best], begins[best + 2], ranks, limit)
    return [piece[begins[k] : begins[k + 1]] for k in range(<int32_t> begins.size() - 1)]
