"""Spans of given ids: the part of the decoded text that each id stands for, for one text or many, on many threads."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.thread_tasks cimport Worker
from spm_lite.base.unicode.utf8 cimport BYTE_UNIT, UTF16_UNIT, Unit, char_size, may_become_char
from spm_lite.decode.decoder cimport Decoder, DecodeState


cdef enum:
    REPLACEMENT_BYTES = 3       # of U+FFFD in UTF-8


cdef inline int64_t read_units(const uint8_t* text, int64_t size, Unit unit, int64_t* n_units) noexcept nogil:
    """Return the bytes of the first character of `text` (1 byte or more), and fill the units that it takes in a str.

    Ill-formed bytes that begin a character are one U+FFFD together, each other one is one: as Python decodes them.
    """
    cdef int64_t n_bytes = char_size(text, size)
    n_units[0] = n_bytes if unit == BYTE_UNIT else 2 if n_bytes == 4 and unit == UTF16_UNIT else 1
    if n_bytes:
        return n_bytes
    n_units[0] = REPLACEMENT_BYTES if unit == BYTE_UNIT else 1
    n_bytes = 1
    while n_bytes < size and may_become_char(text, n_bytes + 1):
        n_bytes += 1
    return n_bytes


@cython.final
cdef class DecodedSpanWorker(Worker):
    """Finds the spans of the ids of texts [begin, end)."""

    cdef Decoder decoder
    cdef Unit unit
    cdef const int32_t* ids             # of the whole batch
    cdef const int64_t* offsets         # text i has ids[offsets[i] : offsets[i + 1]]
    cdef int32_t* places                # two per id of the batch: begin, end, in `unit`
    cdef Py_ssize_t begin
    cdef Py_ssize_t end
    cdef vector[uint8_t] text           # of the current text
    cdef vector[int64_t] ends           # per id of it: the byte where it ends, and the next one begins

    cdef int fill_text(self, const int32_t* ids, int64_t n_ids) except -1 nogil
    cdef int fill_bytes(self, const int32_t* ids, int64_t n_ids) except -1 nogil
    cdef int end_run(self, DecodeState* state) except -1 nogil
    cdef int denormalize(self) except -1 nogil
    cdef int fill_places(self, int32_t* places) except -1 nogil
