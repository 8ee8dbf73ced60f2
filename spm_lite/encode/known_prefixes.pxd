"""A prefix cache: the ids of texts seen before, up to places from which the encoding of other texts can go on."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.encoder cimport Encoder
from spm_lite.encode.resume_points cimport ResumePoint


cdef enum:
    BLOCK = 1 << 11         # bytes of a node's text, in the form in which Python has it
    NODE_BYTES = 512        # of memory of a node, beside its text and ids
    NO_NODE = -1


@cython.final
cdef class KnownPrefixes:
    # Nodes stand for blocks of text; the path from a root to a node is a text. Each list has an item for each node.
    cdef readonly int64_t limit, used       # bytes
    cdef readonly int64_t n_calls, n_bytes, n_known     # calls; bytes of their texts, and those that were known
    cdef uint64_t seed                      # of the hashes
    cdef list encoders                      # each has roots of its own
    cdef vector[int32_t] parents
    cdef vector[int32_t] owners             # numbers of encoders and of the bytes of a character
    cdef vector[int32_t] earlier, later     # neighbors in the order of use
    cdef vector[uint64_t] hashes            # of all text up to the end of the block
    cdef vector[int64_t] ends               # bytes of that text
    cdef vector[vector[uint8_t]] texts
    cdef vector[vector[int32_t]] ids
    cdef list points                        # ResumePoint at the end of the block
    cdef vector[int32_t] free               # nodes that are not used now
    cdef unordered_map[uint64_t, int32_t] by_hash
    cdef int32_t oldest, newest
    cdef int64_t version                    # rises with each node that is added or dropped

    cdef int32_t owner_of(self, Encoder encoder) except -1
    cdef int32_t node_at(self, uint64_t hashed, int32_t owner, const uint8_t* text, int64_t end) noexcept
    cdef int32_t find(
        self, int32_t owner, const uint8_t* text, const vector[int64_t]& ends, const vector[uint64_t]& hashes,
    ) noexcept
    cdef int take(self, int32_t node, Int32Array ids) except -1
    cdef void unlink(self, int32_t node) noexcept
    cdef void link(self, int32_t node) noexcept
    cdef int32_t add(
        self, int32_t parent, int32_t owner, uint64_t hashed, const uint8_t* text, int64_t end, ResumePoint point,
        const int32_t* ids,
    ) except -2
    cdef int32_t after(self, int32_t parent, uint64_t hashed) noexcept
    cdef void touch(self, int32_t node) noexcept
    cdef int64_t bytes_of(self, int32_t node) noexcept
    cdef int drop_oldest(self) except -1
