"""Reads a list of plain ints in one loop, and looks closer at all else, item by item.

The hot loop is that of `read_plain`. Header: id_reader.pxd.
"""

cimport cython
from cpython.list cimport PyList_CheckExact, PyList_GET_SIZE
from cpython.long cimport PyLong_CheckExact
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport prefetch

from operator import index as as_index

from spm_lite.errors import ArgumentTypeError, IdError

cdef extern from *:
    """
    /* The value of an int of one digit at most; below 0: it is negative, longer or no int. */
    static inline int32_t spm_lite_small_int(PyObject* item) {
        if (!PyLong_CheckExact(item))
            return -1;
    #if PY_VERSION_HEX >= 0x030C0000
        if (!PyUnstable_Long_IsCompact((PyLongObject*) item))
            return -1;
        return (int32_t) PyUnstable_Long_CompactValue((PyLongObject*) item);
    #else
        if (Py_SIZE(item) == 1)
            return (int32_t) ((PyLongObject*) item)->ob_digit[0];
        return Py_SIZE(item) == 0 ? 0 : -1;
    #endif
    }
    """
    int32_t small_int "spm_lite_small_int"(PyObject* item) noexcept

cdef extern from "Python.h":
    PyObject* PyList_GET_ITEM(object items, Py_ssize_t i) noexcept      # borrowed
    PyObject** items_of "PySequence_Fast_ITEMS"(object sequence) noexcept       # of a tuple or list

cdef enum:
    LISTS_AHEAD = 2         # distance of the list whose items are prefetched: 5 % of decoding English lines
    FETCHED_BYTES = 1 << 10


cdef int read_ids(object sequence, Py_ssize_t text_index, int32_t vocab_size, vector[int32_t]& ids) except -1:
    """Check a sequence of ids and add them to `ids`. Raises ArgumentTypeError, IdError."""
    cdef Py_ssize_t position = 0
    cdef int32_t number
    if PyList_CheckExact(sequence):
        position = read_list(sequence, vocab_size, ids)
        if position == PyList_GET_SIZE(sequence):
            return 0
        sequence = sequence[position:]  # some are no plain ints: asking them for their value may change the list
    for item in sequence:
        if not PyLong_CheckExact(item):
            item = as_id(item, text_index, position)
        if not 0 <= item < vocab_size:
            refuse(item, text_index, position, vocab_size)
        number = item
        ids.push_back(number)
        position += 1
    return 0


cdef Py_ssize_t read_list(list items, int32_t vocab_size, vector[int32_t]& ids) except -1:
    """Add the ids of a list up to the first that needs a closer look; return their number."""
    # Without the GIL another thread may shorten the list meanwhile.
    with cython.critical_section(items):
        return read_plain(items, vocab_size, ids)


cdef Py_ssize_t read_plain(list items, int32_t vocab_size, vector[int32_t]& ids) except -1:
    cdef Py_ssize_t n_items = PyList_GET_SIZE(items), i = 0
    cdef size_t n_before = ids.size()
    cdef int32_t* out
    ids.resize(n_before + <size_t> n_items)
    out = ids.data() + n_before
    while i < n_items:
        out[i] = small_int(PyList_GET_ITEM(items, i))
        if <uint32_t> out[i] >= <uint32_t> vocab_size:
            break
        i += 1
    ids.resize(n_before + <size_t> i)
    return i


cdef void fetch_list(list lists, Py_ssize_t i) noexcept:
    """Prefetch the items of the list LISTS_AHEAD after list `i`, which is read next."""
    cdef PyObject* other
    cdef const char* items
    cdef int k
    if i + <int> LISTS_AHEAD >= PyList_GET_SIZE(lists):
        return
    other = PyList_GET_ITEM(lists, i + <int> LISTS_AHEAD)
    if PyList_CheckExact(<object> other):
        items = <const char*> items_of(<object> other)  # only prefetched, not read: another thread may change the list
        for k in range(0, FETCHED_BYTES, 64):
            prefetch(items + k)


cdef int check_ids(const int32_t* ids, int64_t n_ids, Py_ssize_t text_index, int32_t vocab_size) except -1:
    """Raise IdError for the first id outside the vocabulary."""
    cdef int64_t i
    for i in range(n_ids):
        if ids[i] < 0 or ids[i] >= vocab_size:
            refuse(ids[i], text_index, i, vocab_size)
    return 0


def refuse(number, text_index, position, vocab_size):
    """Raise the IdError of an id outside the vocabulary."""
    raise IdError(f"id {number} {place(text_index, position)} is outside the vocabulary: ids are 0 to {vocab_size - 1}")


def as_id(item, text_index, position):
    """Return an integer of another type as an int; raise ArgumentTypeError for bool and all else."""
    if not isinstance(item, bool) and type(item).__name__ not in ("bool", "bool_"):
        try:
            return int(as_index(item))
        except TypeError:
            pass
    where = place(text_index, position)
    remedy = ": pass the ids of one text, or all lists to decode_batch" if isinstance(item, (list, tuple)) else ""
    raise ArgumentTypeError(f"the id {where} is {type(item).__name__} {item!r:.40}, not an integer{remedy}")


def place(text_index, position):
    """Return where an id stands, for a message."""
    return f"at position {position}" if text_index < 0 else f"at position {position} of text {text_index}"
