"""The loops over the merges of a file. They know the usual case alone: slower code in Python finds what is wrong."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

from spm_lite.formats.rank_table cimport RankTable
from spm_lite.vocab.vocab cimport NORMAL

cdef enum:
    BITS = 64


def ranks_of_merges(list pairs not None, dict known not None, bint by_value):
    """The rank of each piece that merges make; None: a merge is no list of two known pieces whose join is one, merges
    of one piece do not stand together, or a merge stands there twice.

    known: text of each piece -> a value that is not None. by_value: the result has the values as keys, not the texts.
    """
    cdef dict ranks = {}
    cdef uint64_t lengths = 0           # of the left parts of the merges of `last`, those below BITS
    cdef Py_ssize_t size, longest = 0   # longest: of these left parts, if BITS at least
    cdef object pair, left, right, whole, value, last = None
    for pair in pairs:
        if type(pair) is not list or len(<list> pair) != 2:
            return None
        left, right = (<list> pair)[0], (<list> pair)[1]
        if type(left) is not str or type(right) is not str or left not in known or right not in known:
            return None
        whole = left + right
        size = len(<str> left)
        if whole != last:
            value = known.get(whole)
            if value is None:
                return None
            if not by_value:
                value = whole
            if value in ranks:
                return None
            ranks[value] = len(ranks)
            last = whole
            lengths, longest = 0, 0
        if size >= BITS:  # usual files have the left parts in the order of their lengths
            if size <= longest:
                return None
            longest = size
        elif lengths >> size & 1:
            return None
        else:
            lengths |= (<uint64_t> 1) << size
    return ranks


def count_splits(RankTable known not None, list pieces not None):
    """How many ways there are to cut one of some pieces, bytes, into two known ones."""
    cdef int64_t found = 0
    cdef const uint8_t* data
    cdef int64_t size, k
    for piece in pieces:
        data, size = <const uint8_t*> <const char*> <bytes> piece, len(<bytes> piece)
        with nogil:
            for k in range(1, size):
                if known.find(data, k) >= 0 and known.find(data + k, size - k) >= 0:
                    found += 1
    return found


def scored(list texts not None, list kinds not None, dict ranks not None):
    """(text, score, type) of each piece: the normal ones by rank, those without a rank lower, in their order."""
    cdef int64_t lower = len(ranks)
    cdef Py_ssize_t i
    cdef list entries = []
    for i in range(len(texts)):
        text, kind = texts[i], kinds[i]
        if <int> kind != NORMAL:
            entries.append((text, 0.0, kind))
            continue
        rank = ranks.get(text)
        if rank is None:
            rank = lower
        entries.append((text, -<double> rank, kind))
        lower += 1
    return entries
