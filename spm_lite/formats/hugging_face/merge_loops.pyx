"""The loops over the merges of a file. They know the usual case alone: slower code in Python finds what is wrong."""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.formats.byte_spelling cimport append_unspelled
from spm_lite.formats.ranks.rank_table cimport RankTable
from spm_lite.vocab.merge_list cimport MergeList, new_merge_list
from spm_lite.vocab.vocab cimport CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED

from spm_lite.errors import ModelError

cdef enum:
    BITS = 64


def merged_pieces(list pairs not None, RankTable known not None, bint is_spelled):
    """(pieces that merges make, in their order, each as its index in `known`; bytes of the first part of each).

    The result is None for unusual merges. A usual merge is a list of two known pieces whose join is a known piece too.
    All merges of one piece follow each other, and no merge occurs twice. The first part is that of the first merge.
    known: pieces as UTF-8; is_spelled: pieces as bytes, which the merges spell in the byte alphabet.
    """
    cdef list order = [], lefts = []
    cdef vector[uint8_t] is_merged = vector[uint8_t](len(known), 0)
    cdef vector[uint8_t] whole
    cdef uint64_t sizes = 0             # of the left parts of the merges of `last`, those below BITS
    cdef int64_t size, longest = 0      # longest: of these left parts, if BITS at least
    cdef int64_t found, last = -1
    for pair in pairs:
        if type(pair) is not list or len(<list> pair) != 2:
            return None
        left, right = (<list> pair)[0], (<list> pair)[1]
        if type(left) is not str or type(right) is not str:
            return None
        whole.clear()
        if not append_part(<str> left, is_spelled, whole):
            return None
        size = <int64_t> whole.size()
        if not append_part(<str> right, is_spelled, whole):
            return None
        if known.find(whole.data(), size) < 0 or known.find(whole.data() + size, <int64_t> whole.size() - size) < 0:
            return None
        found = known.find(whole.data(), <int64_t> whole.size())
        if found < 0:
            return None
        if found != last:
            if is_merged[found]:
                return None
            is_merged[found] = True
            order.append(found)
            lefts.append(size)
            last = found
            sizes, longest = 0, 0
        if size >= BITS:  # usual files have the left parts in the order of their sizes
            if size <= longest:
                return None
            longest = size
        elif sizes >> size & 1:
            return None
        else:
            sizes |= (<uint64_t> 1) << size
    return order, lefts


def listed_merges(
    list pairs not None, dict ids not None, Py_ssize_t n_prefix=0, bint fuse_unknown=False, bint whole_pieces=False,
    bytes continuing_prefix not None=b"", bytes word_suffix not None=b"",
):
    """Return the merges of a file as a list by ids, in their order.

    ids: text -> id. n_prefix: characters of the right part that the whole lacks. The others are those of a `MergeList`.
    Raises ModelError for a merge that is not two pieces which become one.
    """
    cdef vector[int32_t] found
    cdef object left_id, right_id, whole_id
    found.reserve(3 * len(pairs))
    for number, pair in enumerate(pairs):
        if type(pair) is not list or len(<list> pair) != 2:
            raise ModelError(f"model.merges[{number}] is {pair!r:.80}: it must be two pieces")
        left, right = (<list> pair)[0], (<list> pair)[1]
        if type(left) is not str or type(right) is not str:
            raise ModelError(f"model.merges[{number}] is {pair!r:.80}: it must be two pieces")
        left_id, right_id = ids.get(left), ids.get(right)
        whole = <str> left + (<str> right if n_prefix == 0 else (<str> right)[n_prefix:])
        whole_id = ids.get(whole)
        if left_id is None or right_id is None or whole_id is None:
            missing = left if left_id is None else right if right_id is None else whole
            raise ModelError(
                f"model.merges[{number}]: {left!r:.40} and {right!r:.40} merge to {whole!r:.40}, but "
                f"{missing!r:.60} is not a piece"
            )
        found.push_back(left_id)
        found.push_back(right_id)
        found.push_back(whole_id)
    return new_merge_list(found, fuse_unknown, whole_pieces, continuing_prefix, word_suffix)


def ranked_entries(list texts not None, list kinds not None, MergeList merges not None):
    """(text, score, type) of each piece; a normal one has the rank of its first merge, or a lower score without one."""
    cdef vector[int64_t] ranks = vector[int64_t](len(texts), -1)
    cdef int64_t lower = <int64_t> merges.merges.size(), rank
    cdef list entries = []
    cdef Py_ssize_t i
    for rank in range(lower):
        i = merges.merges[rank].whole
        if ranks[i] < 0:
            ranks[i] = rank
    for i in range(len(texts)):
        kind = kinds[i]
        if <int> kind != NORMAL:
            entries.append((texts[i], 0.0, kind))
            continue
        rank = ranks[i]
        if rank < 0:
            rank = lower
            lower += 1
        entries.append((texts[i], -<double> rank, kind))
    return entries


cdef bint append_part(str part, bint is_spelled, vector[uint8_t]& out) except -1:
    """Append the bytes of a part of a merge; whether it has some."""
    cdef Py_ssize_t size = 0
    cdef const uint8_t* text
    if is_spelled:
        return append_unspelled(part, out)
    try:
        text = <const uint8_t*> PyUnicode_AsUTF8AndSize(part, &size)
    except UnicodeEncodeError:  # a lone surrogate
        return False
    out.insert(out.end(), text, text + size)
    return True


def are_all_splits(int64_t n, RankTable known not None, order=None):
    """Whether there are n ways to cut one of some pieces into two known ones.

    known: with the ranks 0 to n - 1. order: the ranks of the pieces that are cut; None: all.
    """
    cdef int64_t found = 0, size, k, i
    cdef const uint8_t* data
    for i in range(len(known)) if order is None else order:
        data, size = known.texts.data() + known.begins[i], known.begins[i + 1] - known.begins[i]
        with nogil:
            for k in range(1, size):
                if known.find(data, k) >= 0 and known.find(data + k, size - k) >= 0:
                    found += 1
        if found > n:
            return False
    return found == n


def ranks_by_index(list order not None, Py_ssize_t n):
    """The rank of each of n pieces; -1: no merge makes it. order: indexes of the pieces, by rank."""
    cdef list ranks = [-1] * n
    cdef Py_ssize_t rank
    for rank in range(len(order)):
        ranks[<Py_ssize_t> order[rank]] = rank
    return ranks


def scored(list texts not None, list kinds not None, list ranks not None):
    """(text, score, type) of each piece: the normal ones by rank, those without a rank lower, in their order.

    ranks: of the normal pieces, in their order; -1: none.
    """
    cdef int64_t lower = len(ranks) - ranks.count(-1), rank
    cdef Py_ssize_t i, next_normal = 0
    cdef list entries = []
    for i in range(len(texts)):
        text, kind = texts[i], kinds[i]
        if <int> kind != NORMAL:
            entries.append((text, 0.0, kind))
            continue
        rank = ranks[next_normal]
        entries.append((text, -<double> (lower if rank < 0 else rank), kind))
        lower += 1
        next_normal += 1
    return entries


def scored_bytes(list texts not None, list pieces not None, list ranks not None, unknown, set symbols not None):
    """(text, score, type) of each piece: those without a rank, which are single bytes, have the lowest scores.

    pieces: as bytes, None for special ones, empty for ids without one. ranks: of the pieces that are bytes, in their
    order; -1: none. unknown: the text of the unknown piece, or None. symbols: the user-defined ones.
    """
    cdef int64_t lower = len(ranks) - ranks.count(-1), rank
    cdef Py_ssize_t i, next_known = 0
    cdef list entries = []
    for i in range(len(texts)):
        piece = pieces[i]
        if piece is None:
            entries.append((texts[i], 0.0, <int> UNKNOWN if texts[i] == unknown else <int> CONTROL))
            continue
        if not piece:  # an id without a piece
            entries.append((piece, 0.0, <int> UNUSED))
            continue
        rank = ranks[next_known]
        next_known += 1
        if symbols and piece in symbols:
            entries.append((piece, 0.0, <int> USER_DEFINED))
            continue
        if rank < 0:
            rank = lower
            lower += 1
        entries.append((piece, -<double> rank, <int> NORMAL))
    return entries
