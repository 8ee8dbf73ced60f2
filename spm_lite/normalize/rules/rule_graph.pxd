"""The graph of a checked double array (nodes, edges, a topological order), and the list of all rules in it.

A node is identified by its base, from which its children are found; nodes with the same children share a base. The
child on byte `b` is the unit `base ^ b`. So each unit gives its parent's base, and one pass over the units finds
every edge.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector


cdef class RuleGraph:
    cdef vector[uint32_t] first         # base b has edges[first[b] : first[b + 1]]; n_units + 1 entries
    cdef vector[uint32_t] edges         # children (indices of units), ordered by their parent's base
    cdef vector[uint32_t] order         # bases reachable from the root, parents before children
    cdef vector[int32_t] depth          # of a reachable base: bytes of the longest walk from the root
    cdef bint is_cyclic                 # some walk is endless: `order`, `depth` and `max_depth` are not valid
    cdef int32_t max_depth              # bytes of the longest walk

    cdef int find_edges(self, const vector[uint32_t]& units) except -1 nogil
    cdef int sort_bases(self, const vector[uint32_t]& units) except -1 nogil


cdef RuleGraph build_graph(const vector[uint32_t]& units)


cdef list decompile_rules(const vector[uint32_t]& units, const vector[uint8_t]& targets)
cdef tuple count_targets(const vector[uint32_t]& units, const vector[uint8_t]& targets)
