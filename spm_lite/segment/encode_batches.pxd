"""Many texts -> ids on many threads: each takes one share of the texts after the other, until none is left."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.atomics cimport atomic
from spm_lite.segment.arrays cimport Int32Array
from spm_lite.segment.encoder cimport EncodeScratch, Encoder
from spm_lite.segment.texts cimport TextView
from spm_lite.segment.workers cimport Worker


cdef struct Share:
    # Texts [begin, end) of a block.
    Py_ssize_t begin
    Py_ssize_t end
    int32_t worker              # who encoded them; -1: nobody so far
    size_t first_id             # where their ids begin in that worker's
    size_t n_ids


cdef struct Block:
    # What the workers have in common. The first worker takes shares from the front, so that its ids are where they
    # belong; the others take them from the back.
    const TextView* texts
    Py_ssize_t first_text       # the place of its first text in the batch
    int64_t* counts             # per text: ids made of it
    vector[Share] shares
    atomic[int64_t] n_taken     # shares, by all
    atomic[int64_t] n_behind    # shares, by all but the first
    atomic[int64_t] failed      # the text where a share begins in which something was raised: none behind is needed


@cython.final
cdef class EncodeWorker(Worker):
    cdef Encoder encoder
    cdef EncodeScratch scratch
    cdef bint is_counting       # no ids are kept
    cdef int32_t bos_id         # put before each text; -1: none
    cdef int32_t eos_id         # put after each text; -1: none
    cdef int32_t number         # among the workers
    cdef Block* block
    cdef Py_ssize_t n_before    # shares it has taken from the front
    cdef Py_ssize_t at          # the text where the share begins that it is at, or was when it raised
    cdef Int32Array ids         # of all its shares, one after the other

    cdef Share* take_share(self) noexcept nogil
    cdef Share* next_share(self) noexcept nogil
    cdef int encode_share(self, const Share* share) except -1 nogil
