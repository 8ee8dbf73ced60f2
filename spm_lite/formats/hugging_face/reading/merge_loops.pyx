"""The loops over the merges of a file. They know the usual case alone: slower code in Python finds what is wrong."""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.formats.ranks.rank_table cimport RankTable
from spm_lite.vocab.vocab cimport NORMAL

cdef enum:
    BITS = 64


def merged_pieces(list pairs not None, RankTable known not None):
    """The pieces that merges make, in their order, each as its rank in `known`.

    The result is None for unusual merges. A usual merge is a list of two known pieces whose join is a known piece too.
    All merges of one piece follow each other, and no merge is there twice.
    known: pieces as UTF-8, with the ranks 0 to n - 1.
    """
    cdef list order = []
    cdef vector[uint8_t] is_merged = vector[uint8_t](len(known), 0)
    cdef vector[uint8_t] whole
    cdef uint64_t sizes = 0             # of the left parts of the merges of `last`, those below BITS
    cdef Py_ssize_t size = 0, right_size = 0, longest = 0   # longest: of these left parts, if BITS at least
    cdef int64_t found, last = -1
    cdef const uint8_t* left
    cdef const uint8_t* right
    for pair in pairs:
        if type(pair) is not list or len(<list> pair) != 2:
            return None
        if type((<list> pair)[0]) is not str or type((<list> pair)[1]) is not str:
            return None
        try:
            left = <const uint8_t*> PyUnicode_AsUTF8AndSize((<list> pair)[0], &size)
            right = <const uint8_t*> PyUnicode_AsUTF8AndSize((<list> pair)[1], &right_size)
        except UnicodeEncodeError:
            return None
        if known.find(left, size) < 0 or known.find(right, right_size) < 0:
            return None
        whole.assign(left, left + size)
        whole.insert(whole.end(), right, right + right_size)
        found = known.find(whole.data(), <int64_t> whole.size())
        if found < 0:
            return None
        if found != last:
            if is_merged[found]:
                return None
            is_merged[found] = True
            order.append(found)
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
    return order


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
