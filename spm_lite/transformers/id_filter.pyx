"""Ids without special tokens, before they are decoded; a look at each id, since lists of ids are long."""

cimport cython
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_AsLong
from libc.stdint cimport uint8_t
from libcpp.vector cimport vector

cdef enum:
    SKIPPED = 1     # a special token
    UNSURE = 2      # the caller asks the original tokenizer


@cython.final
cdef class IdFilter:
    """Which ids are special tokens, and which ones our decoder does not know as the original does.

    Args:
        size: of the vocabulary.
        special: ids of special tokens.
        unsure: other ids that are not decoded here.
    """

    cdef vector[uint8_t] kinds

    def __init__(self, Py_ssize_t size, list special not None, list unsure not None):
        cdef Py_ssize_t i
        self.kinds.assign(size, 0)
        for i in special:
            if 0 <= i < size:
                self.kinds[i] |= SKIPPED
        for i in unsure:
            if 0 <= i < size:
                self.kinds[i] |= UNSURE

    def kept(self, object given, bint skips_special):
        """The ids that are decoded, as a list; None: an id is not known, or is not a plain integer.

        skips_special: leave special tokens out.
        """
        cdef list ids = given if type(given) is list else list(given)
        cdef Py_ssize_t n = PyList_GET_SIZE(ids), i, size = <Py_ssize_t> self.kinds.size(), n_skipped = 0
        cdef const uint8_t* kinds = self.kinds.data()
        cdef long value
        cdef uint8_t kind
        cdef object one
        for i in range(n):
            one = <object> PyList_GET_ITEM(ids, i)
            if type(one) is not int:
                return None
            try:
                value = PyLong_AsLong(one)
            except OverflowError:
                return None
            if value < 0 or value >= size:
                return None
            kind = kinds[value]
            if kind & SKIPPED and skips_special:
                n_skipped += 1
            elif kind & UNSURE:
                return None
        if n_skipped == 0:
            return ids
        return [one for one in ids if not kinds[<Py_ssize_t> one] & SKIPPED]
