"""Sorted runs of counted chunks in files: written, read and merged.

A run holds each chunk once, bytes ascending. One chunk is its size (4 bytes), its count (8) and its text, numbers as
the machine has them: runs never leave it.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef struct Run:
    # How far one run has been read, and its present chunk.
    uint64_t begin          # in the run's buffer, of what is not read yet
    uint64_t end
    const uint8_t* text     # in the buffer too: valid until the next chunk is read
    uint32_t size
    uint64_t count
    uint64_t prefix         # its first 8 bytes, as in SortKey


cdef class RunWriter:
    """Appends chunks to a raw file."""

    cdef object file
    cdef vector[uint8_t] buffer
    cdef readonly uint64_t n_written    # bytes that are in the file

    cdef int put(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil
    cdef int write_buffer(self) except -1 nogil


cdef class RunReader:
    """Some raw files, each read chunk by chunk."""

    cdef list files
    cdef vector[Run] runs
    cdef vector[vector[uint8_t]] buffers
    cdef readonly uint64_t n_read       # bytes of the chunks so far

    cdef bint next(self, uint32_t number) except -1 nogil           # False: this run is at its end
    cdef bint fill(self, uint32_t number, uint64_t n_needed) except -1 nogil
