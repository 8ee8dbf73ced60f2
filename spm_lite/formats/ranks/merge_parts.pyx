"""Merges of byte-level pieces: the two parts that the merges before a piece leave of its bytes."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport char_size
from spm_lite.formats.ranks.rank_table cimport RankTable

cdef enum:
    NO_RANK = 0x7FFFFFFF
    SINGLE = -1     # a part that is one byte, or one character
    UNMADE = -2     # a part that no merge before makes

cdef struct Made:
    # How a piece is made.
    int32_t rank        # of its merge, plus 1; 0: it is not made yet
    int32_t left        # bytes of the first part
    int64_t first       # index of each part; SINGLE
    int64_t second


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


def first_unmade(RankTable table not None, list order not None, list lefts not None, bint by_chars=False):
    """The index of the first piece of which the merges of lower ranks do not leave two parts; -1: there is none.

    order: indexes of pieces of two bytes or more in the table, by rank, each once; the others of the table merge to
    nothing. lefts: for each, the bytes that the first part must have. by_chars: characters of UTF-8 are merged, not
    bytes.
    """
    cdef int64_t rank, i, k, n = <int64_t> len(order)
    cdef vector[Made] made = vector[Made](len(table))
    for rank in range(n):
        i = order[rank]
        k = lefts[rank]
        if not is_made(table, i, k, <int32_t> rank + 1, by_chars, made):
            return i
    return -1


cdef bint is_made(
    RankTable table, int64_t i, int64_t left, int32_t rank, bint by_chars, vector[Made]& made,
) except -1:
    """Whether merges of lower ranks leave two parts of a piece, the first of `left` bytes. If so, note it in `made`.

    Each part comes to be as it does alone, unless a merge joins bytes on both sides of the cut before that. So the
    parts beside the cut are followed backwards: the one that was made last is taken apart, until both are single.
    """
    cdef const uint8_t* piece = table.texts.data() + table.begins[i]
    cdef int64_t begin = 0, end = table.begins[i + 1] - table.begins[i], found
    cdef int64_t before = made_part(table, piece, left, by_chars, made)
    cdef int64_t after = made_part(table, piece + left, end - left, by_chars, made)
    cdef int32_t limit  # a merge of the two parts comes first if its rank is below
    if before == UNMADE or after == UNMADE:
        return False
    made[i] = Made(rank, <int32_t> left, before, after)
    while before != SINGLE or after != SINGLE:
        # Of equal ranks, the left one is merged first.
        if before != SINGLE and (after == SINGLE or made[before].rank > made[after].rank):
            limit = made[before].rank
            begin += made[before].left
            before = made[before].second
        else:
            limit = made[after].rank + 1
            end = left + made[after].left
            after = made[after].first
        found = table.find(piece + begin, end - begin)
        if found >= 0 and 0 < made[found].rank < limit:
            return False
    return True


cdef int64_t made_part(
    RankTable table, const uint8_t* text, int64_t size, bint by_chars, const vector[Made]& made,
) except -3:
    """The index of a part of a piece, SINGLE, or UNMADE."""
    cdef int64_t found
    if size == 1 or (by_chars and size > 1 and char_size(text, size) == size):
        return SINGLE
    found = table.find(text, size) if size > 0 else -1
    return found if found >= 0 and made[found].rank > 0 else <int64_t> UNMADE
