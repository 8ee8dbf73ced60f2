"""External merge sort of counted chunks: sorted runs in files are written, read and merged.

A run holds each chunk once, bytes ascending. A chunk is its size (4 bytes), its count (8 bytes) and its text. In a
table of several sources or of phrases, the highest bit of the size is set, and the origin (24 bytes) stands before the
text. Numbers have the machine's byte order, since runs never leave the machine.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.counts.chunk_table cimport Origin


cdef struct Run:
    # The reading position in one run, and its current chunk.
    uint64_t begin          # buffer[begin : end] is not read yet
    uint64_t end
    const uint8_t* text     # in the buffer: valid until the next chunk is read
    uint32_t size
    uint64_t count
    bint has_origin
    Origin origin
    uint64_t prefix         # the first 8 bytes of the text, as in SortKey


cdef class RunWriter:
    """Appends chunks to a raw (unbuffered) file."""

    cdef object file
    cdef vector[uint8_t] buffer
    cdef readonly uint64_t n_written    # bytes in the file, without the buffer

    cdef int put(self, const uint8_t* text, uint32_t size, uint64_t count, const Origin* origin) except -1 nogil
    cdef int write_buffer(self) except -1 nogil


cdef class RunReader:
    """Reads several raw files, each chunk by chunk."""

    cdef list files
    cdef vector[Run] runs
    cdef vector[vector[uint8_t]] buffers
    cdef readonly uint64_t n_read       # bytes of the chunks read so far, headers included

    cdef bint next(self, uint32_t number) except -1 nogil           # False: this run has ended
    cdef bint fill(self, uint32_t number, uint64_t n_needed) except -1 nogil
