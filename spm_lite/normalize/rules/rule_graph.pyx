from libc.stdint cimport uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport IS_VALUE, unit_offset
from spm_lite.base.system.heap cimport refill


cdef class RuleGraph:
    """Edges and reachable nodes of one array; linear in its units, whatever they hold."""

    cdef int find_edges(self, const vector[uint32_t]& units) except -1 nogil:
        """Sort the units by the base they hang on (a counting sort)."""
        cdef uint32_t n_units = <uint32_t> units.size()
        cdef uint32_t i, base
        cdef vector[uint32_t] next_edge
        refill(self.first, n_units + 1, 0)
        for i in range(n_units):
            if not units[i] & <uint32_t> IS_VALUE:
                self.first[(i ^ (units[i] & 0xFF)) + 1] += 1
        for base in range(n_units):
            self.first[base + 1] += self.first[base]
        self.edges.resize(self.first[n_units])
        next_edge.assign(self.first.begin(), self.first.end())
        for i in range(n_units):
            if not units[i] & <uint32_t> IS_VALUE:
                base = i ^ (units[i] & 0xFF)
                self.edges[next_edge[base]] = i
                next_edge[base] += 1
        return 0

    cdef int sort_bases(self, const vector[uint32_t]& units) except -1 nogil:
        """Topological order of the bases that the root reaches (Kahn 1962), with the longest walk to each."""
        cdef vector[uint32_t] n_parents, reached
        cdef vector[uint8_t] is_reached
        cdef uint32_t base, child, k
        cdef size_t done = 0
        refill(n_parents, units.size(), 0)
        refill(is_reached, units.size(), 0)
        refill(self.depth, units.size(), 0)
        self.order.clear()
        base = unit_offset(units[0])
        reached.push_back(base)
        is_reached[base] = 1
        while done < reached.size():
            base = reached[done]
            done += 1
            for k in range(self.first[base], self.first[base + 1]):
                child = self.edges[k] ^ unit_offset(units[self.edges[k]])
                n_parents[child] += 1
                if not is_reached[child]:
                    is_reached[child] = 1
                    reached.push_back(child)
        self.max_depth = 0
        if n_parents[reached[0]] == 0:
            self.order.push_back(reached[0])
        done = 0
        while done < self.order.size():
            base = self.order[done]
            done += 1
            self.max_depth = max(self.max_depth, self.depth[base])
            for k in range(self.first[base], self.first[base + 1]):
                child = self.edges[k] ^ unit_offset(units[self.edges[k]])
                self.depth[child] = max(self.depth[child], self.depth[base] + 1)
                n_parents[child] -= 1
                if n_parents[child] == 0:
                    self.order.push_back(child)
        self.is_cyclic = self.order.size() < reached.size()
        return 0


cdef RuleGraph build_graph(const vector[uint32_t]& units):
    """The graph of an array that has passed the load checks: every base lies inside it."""
    cdef RuleGraph graph = RuleGraph()
    with nogil:
        graph.find_edges(units)
        graph.sort_bases(units)
    return graph
