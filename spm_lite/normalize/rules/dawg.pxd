"""DAWG (minimal acyclic automaton) of sorted keys: prefixes with equal continuations share one state."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieKey


cdef struct Arc:
    # An edge: one byte of a key.
    uint8_t label
    uint32_t state


cdef struct State:
    # Everything that can follow some prefix.
    uint32_t first_edge     # edges[first_edge : first_edge + n_edges], labels ascending
    int32_t n_edges
    int32_t value           # of the key that ends here; -1: none


cdef class WordGraph:
    cdef vector[State] states
    cdef vector[Arc] edges
    cdef vector[uint32_t] slots         # hash table, open addressing: indices of `states`; 2^32 - 1: free
    cdef uint32_t root

    cdef int add_keys(self, const TrieKey* keys, size_t n_keys) except -1 nogil
    cdef int freeze(self, const vector[Arc]& edges, int32_t value, uint32_t* state) except -1 nogil
    cdef int grow_slots(self) except -1 nogil
    cdef bint is_equal(self, uint32_t state, const vector[Arc]& edges, int32_t value) noexcept nogil
