"""Decode batches: many sequences of ids to texts, on several threads."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libcpp.vector cimport vector

from spm_lite.base.system.thread_tasks cimport Worker
from spm_lite.decode.decoder cimport Decoder


@cython.final
cdef class DecodeWorker(Worker):
    cdef Decoder decoder
    cdef const int32_t* ids             # of the whole batch
    cdef const int64_t* offsets         # text i has ids[offsets[i] : offsets[i + 1]]
    cdef Py_ssize_t begin
    cdef Py_ssize_t end
    cdef bint raw                       # texts are bytes; ill-formed bytes stay as they are
    cdef bint in_units                  # texts are written by a StrDecoder; else as UTF-8
    cdef vector[uint16_t] room          # buffer for one text
    cdef vector[uint16_t] units         # texts of a StrDecoder, one after the other
    cdef vector[uint8_t] out            # texts as UTF-8, one after the other
    cdef vector[int64_t] sizes          # per text: UTF-16 units, or bytes
    cdef vector[int32_t] traits         # per text, if in_units: as `StrDecoder.write` returns them

    cdef int write_units(self, Py_ssize_t i) except -1 nogil
    cdef int write_bytes(self, Py_ssize_t i) except -1 nogil
    cdef int append_strings(self, list texts) except -1
    cdef int append_texts(self, list texts) except -1
