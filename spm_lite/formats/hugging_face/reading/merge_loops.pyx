"""The loops over the merges of a file. They know the usual case alone: slower code in Python finds what is wrong."""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t

cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view()
        string_view(const char*, size_t)

cdef extern from "<unordered_set>" namespace "std" nogil:
    cdef cppclass unordered_set[T]:
        void reserve(size_t)
        size_t count(const T&)
        void insert(const T&)


def ranks_of_merges(list pairs not None, dict known not None, bint by_value):
    """The rank of each piece that merges make; None: a merge is no list of two known pieces whose join is one, merges
    of one piece do not stand together, or a merge stands there twice.

    known: text of each piece -> a value that is not None. by_value: the result has the values as keys, not the texts.
    """
    cdef dict ranks = {}
    cdef uint64_t lengths = 0   # of the left parts of the merges of `last`
    cdef Py_ssize_t size
    cdef object pair, left, right, whole, value, last = None
    for pair in pairs:
        if type(pair) is not list or len(<list> pair) != 2:
            return None
        left, right = (<list> pair)[0], (<list> pair)[1]
        if type(left) is not str or type(right) is not str or left not in known or right not in known:
            return None
        whole = left + right
        size = len(<str> left)
        if size >= 64:
            return None
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
            lengths = 0
        if lengths >> size & 1:
            return None
        lengths |= (<uint64_t> 1) << size
    return ranks


def count_splits(list known not None, list pieces not None):
    """How many ways there are to cut one of some pieces, bytes, into two known ones."""
    cdef unordered_set[string_view] texts
    cdef int64_t found = 0
    cdef const char* data
    cdef size_t size, k
    texts.reserve(len(known))
    for piece in known:
        texts.insert(string_view(<bytes> piece, len(<bytes> piece)))
    for piece in pieces:
        data, size = <bytes> piece, len(<bytes> piece)
        with nogil:
            for k in range(1, size):
                if texts.count(string_view(data, k)) and texts.count(string_view(data + k, size - k)):
                    found += 1
    return found
