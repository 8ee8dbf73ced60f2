"""Adds sorted keys: a state that no later key can change is frozen, and joined with an equal one (Daciuk 2000).

Header: dawg.pxd.
"""

from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieKey
from spm_lite.base.system.heap cimport refill

cdef uint32_t NONE = <uint32_t> -1


cdef class WordGraph:
    """A minimal acyclic automaton with a value per key. Source: Daciuk et al. 2000, the algorithm for sorted keys."""

    cdef int add_keys(self, const TrieKey* keys, size_t n_keys) except -1 nogil:
        """Build the graph of `keys`: sorted by bytes (as unsigned), distinct."""
        cdef vector[vector[Arc]] open_edges    # per depth: edges of the state that the last key passes
        cdef vector[int32_t] open_values
        cdef size_t k
        cdef int32_t depth, shared, last_size = 0
        cdef uint32_t state = 0
        refill(self.slots, 1 << 12, NONE)
        open_edges.resize(1)
        refill(open_values, 1, -1)
        for k in range(n_keys):
            shared = common_prefix(&keys[k - 1], &keys[k]) if k else 0
            for depth in range(last_size, shared, -1):
                self.freeze(open_edges[depth], open_values[depth], &state)
                open_edges[depth - 1].back().state = state
            if open_edges.size() <= <size_t> keys[k].size:
                open_edges.resize(keys[k].size + 1)
                open_values.resize(keys[k].size + 1)
            for depth in range(shared, keys[k].size):
                open_edges[depth].push_back(Arc(keys[k].data[depth], 0))
                open_edges[depth + 1].clear()
                open_values[depth + 1] = -1
            open_values[keys[k].size] = keys[k].value
            last_size = keys[k].size
        for depth in range(last_size, 0, -1):
            self.freeze(open_edges[depth], open_values[depth], &state)
            open_edges[depth - 1].back().state = state
        return self.freeze(open_edges[0], open_values[0], &self.root)

    cdef int freeze(self, const vector[Arc]& edges, int32_t value, uint32_t* state) except -1 nogil:
        """Find the state with these edges and value, or add it."""
        cdef uint32_t mask = <uint32_t> self.slots.size() - 1
        cdef uint32_t slot = hash_state(edges.data(), <int32_t> edges.size(), value) & mask
        cdef size_t k
        while self.slots[slot] != NONE:
            if self.is_equal(self.slots[slot], edges, value):
                state[0] = self.slots[slot]
                return 0
            slot = (slot + 1) & mask
        state[0] = self.slots[slot] = <uint32_t> self.states.size()
        self.states.push_back(State(<uint32_t> self.edges.size(), <int32_t> edges.size(), value))
        for k in range(edges.size()):
            self.edges.push_back(edges[k])
        if 2 * self.states.size() > self.slots.size():
            self.grow_slots()
        return 0

    cdef int grow_slots(self) except -1 nogil:
        """Double the hash table."""
        cdef uint32_t mask = <uint32_t> (2 * self.slots.size() - 1)
        cdef uint32_t k, slot
        cdef State state
        refill(self.slots, <size_t> mask + 1, NONE)
        for k in range(<uint32_t> self.states.size()):
            state = self.states[k]
            slot = hash_state(self.edges.data() + state.first_edge, state.n_edges, state.value) & mask
            while self.slots[slot] != NONE:
                slot = (slot + 1) & mask
            self.slots[slot] = k
        return 0

    cdef bint is_equal(self, uint32_t state, const vector[Arc]& edges, int32_t value) noexcept nogil:
        cdef const Arc* own = self.edges.data() + self.states[state].first_edge
        cdef size_t k
        if self.states[state].value != value or <size_t> self.states[state].n_edges != edges.size():
            return False
        for k in range(edges.size()):
            if own[k].label != edges[k].label or own[k].state != edges[k].state:
                return False
        return True


cdef int32_t common_prefix(const TrieKey* a, const TrieKey* b) noexcept nogil:
    cdef int32_t size = 0
    while size < a.size and size < b.size and a.data[size] == b.data[size]:
        size += 1
    return size


cdef uint32_t hash_state(const Arc* edges, int32_t n_edges, int32_t value) noexcept nogil:
    """FNV-1a over whole words, with the high bits mixed in at the end."""
    cdef uint32_t key = (<uint32_t> 2166136261 ^ <uint32_t> value) * 16777619
    cdef int32_t k
    for k in range(n_edges):
        key = (key ^ edges[k].label) * 16777619
        key = (key ^ edges[k].state) * 16777619
    return key ^ key >> 15
