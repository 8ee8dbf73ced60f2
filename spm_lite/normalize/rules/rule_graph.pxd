"""What a checked double array spells: its nodes, and which leads to which.

A node is named by its base, the place where its children start; nodes with the same children share one. The child on
byte `b` is the unit `base ^ b`, so each unit knows its parent, and one pass over the units finds every edge.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector


cdef class RuleGraph:
    cdef vector[uint32_t] first         # of base b: edges[first[b] : first[b + 1]]; n_units + 1 entries
    cdef vector[uint32_t] edges         # the units that lead away from a base
    cdef vector[uint32_t] order         # bases reachable from the root, parents before children
    cdef vector[int32_t] depth          # of a reachable base: bytes of the longest walk from the root
    cdef bint is_cyclic                 # some walk has no end: `order` and `depth` are not to be used
    cdef int32_t max_depth              # bytes of the longest walk that ends

    cdef int find_edges(self, const vector[uint32_t]& units) except -1 nogil
    cdef int sort_bases(self, const vector[uint32_t]& units) except -1 nogil


cdef RuleGraph build_graph(const vector[uint32_t]& units)


cdef list decompile_rules(const vector[uint32_t]& units, const vector[uint8_t]& targets)
