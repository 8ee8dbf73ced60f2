"""Merges of byte-level pieces: the two parts that the merges before a piece leave of its bytes."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.formats.ranks.rank_table cimport RankTable

cdef enum:
    NO_RANK = 0x7FFFFFFF


cdef int32_t rank_between(
    const uint8_t* piece, int32_t begin, int32_t end, RankTable table, dict ranks, int32_t limit,
) except -1:
    """The rank of some bytes of a piece; NO_RANK: they are no piece, or one of rank `limit` or above."""
    cdef int64_t found
    if table is not None:
        found = table.find(piece + begin, end - begin)
        found = table.ranks[found] if found >= 0 else <int64_t> NO_RANK
    else:
        found = ranks.get((<const char*> piece)[begin:end], <int> NO_RANK)
    return <int32_t> NO_RANK if found >= limit else <int32_t> found


cdef int merge(
    const uint8_t* piece, int32_t n, RankTable table, dict ranks, int32_t limit, vector[int32_t]& begins,
) except -1:
    """Merge the bytes of a piece, and set `begins` to the offset of each part that is left, and n at the end.

    table: gives the ranks. None: the dict `ranks` gives them.
    """
    cdef vector[int32_t] pair_ranks
    cdef int32_t k, best
    begins.clear()
    for k in range(n + 1):
        begins.push_back(k)
    for k in range(n - 1):
        pair_ranks.push_back(rank_between(piece, k, k + 2, table, ranks, limit))
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
            pair_ranks[best - 1] = rank_between(piece, begins[best - 1], begins[best + 1], table, ranks, limit)
        if best < <int32_t> pair_ranks.size():
            pair_ranks[best] = rank_between(piece, begins[best], begins[best + 2], table, ranks, limit)
    return 0


def merge_parts(bytes piece not None, dict ranks not None, int32_t limit):
    """The bytes of a piece in the parts that merging leaves: neighbours of the lowest rank first, the leftmost first.

    ranks: piece -> rank, also of single bytes, which merge with nothing. limit: only pieces of lower ranks are merged.
    """
    cdef vector[int32_t] begins
    cdef int32_t k
    merge(<const uint8_t*> <const char*> piece, <int32_t> len(piece), None, ranks, limit, begins)
    return [piece[begins[k] : begins[k + 1]] for k in range(<int32_t> begins.size() - 1)]


def first_unmade(RankTable table not None, lefts):
    """The rank of the first piece of which the merges of lower ranks do not leave two parts; -1: there is none.

    lefts: for each piece, the bytes that the first part must have.
    """
    cdef vector[int32_t] begins
    cdef int32_t left
    cdef int64_t i = 0
    for left in lefts:
        merge(
            table.texts.data() + table.begins[i], <int32_t> (table.begins[i + 1] - table.begins[i]), table, None,
            table.ranks[i], begins,
        )
        if begins.size() != 3 or begins[1] != left:
            return table.ranks[i]
        i += 1
    return -1
