"""Best-first search from the end of the text; the best score of each prefix is the exact estimate.

`search` is the loop. `push_entry` and `pop_entry` decide ties, and `shrink` keeps the best of a large heap.
Header: astar.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.lattice.lattice cimport TEXT_END, TEXT_START, Edge, Lattice
from spm_lite.lattice.path_list cimport PathList

cdef extern from *:
    """
    #include <chrono>
    static inline int64_t spm_lite_now_ms() {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    """
    int64_t now_ms "spm_lite_now_ms"() nogil

cdef enum:
    MAX_MADE = 500000           # hypotheses; at this number the search gives up
    MAX_WAITING = 10000         # a heap of this size is shrunk
    MAX_POOL_GROWTH = 100000    # new hypotheses since the last shrinking after which a smaller heap is shrunk too
    MAX_SHRINKINGS = 10
    MAX_KEPT = 512              # entries left by shrinking: at most these, and at most KEPT_PER_PATH per path
    KEPT_PER_PATH = 10
    POPS_PER_CHECK = 4096       # between two looks at the clock


@cython.final
cdef class AStar:
    """A pool of hypotheses and a heap of those to be extended. Order, ties and limits are SentencePiece's.

    Source: Nagata 1994 (forward dynamic programming, backward A*).
    """

    cdef int search(self, Lattice lattice, int64_t n, int64_t timeout_ms, PathList paths) except -1 nogil:
        """Overwrite `paths` with the `n` (at least 1) best paths, or all if there are fewer.

        Scores are added from the last piece to the first. If a limit is hit, only the best path is listed.
        timeout_ms: limit in milliseconds; 0 or less: none.
        """
        cdef int64_t deadline = now_ms() + timeout_ms if timeout_ms > 0 else 0
        cdef size_t n_kept = <size_t> min(<int64_t> MAX_KEPT, KEPT_PER_PATH * min(n, <int64_t> MAX_KEPT))
        cdef size_t pool_limit = MAX_POOL_GROWTH
        cdef int64_t n_pops = 0
        cdef int n_shrinkings = 0
        cdef AgendaEntry entry
        cdef int32_t edge
        paths.clear()
        self.pool.clear()
        self.heap.clear()
        self.n_made = 0
        self.add(lattice.bests[lattice.n_places], Hypothesis(TEXT_END, -1, 0.0))
        while not self.heap.empty():
            pop_entry(self.heap, &entry)
            n_pops += 1
            if n_pops % POPS_PER_CHECK == 0 and deadline and now_ms() >= deadline:
                return self.give_up(lattice, paths)
            edge = self.pool[entry.hypothesis].edge
            if edge == TEXT_START:
                self.append_path(lattice, entry.hypothesis, paths)
                if <int64_t> paths.ends.size() == n:
                    break
                continue
            self.expand(lattice, entry.hypothesis)
            if self.n_made >= MAX_MADE or self.pool.size() >= MAX_MADE:
                return self.give_up(lattice, paths)
            if self.heap.size() >= MAX_WAITING or (self.heap.size() > n_kept and self.pool.size() >= pool_limit):
                if n_shrinkings == MAX_SHRINKINGS or (deadline and now_ms() >= deadline):
                    return self.give_up(lattice, paths)
                n_shrinkings += 1
                self.shrink(n_kept)
                pool_limit = self.pool.size() + MAX_POOL_GROWTH
        return 0

    cdef int give_up(self, Lattice lattice, PathList paths) except -1 nogil:
        paths.clear()
        lattice.append_best(paths.tokens)
        return paths.close(lattice.bests[lattice.n_places])

    cdef int expand(self, Lattice lattice, int32_t parent) except -1 nogil:
        """Add a hypothesis for each edge that ends where the parent begins; at the text's start, the complete path."""
        cdef int32_t parent_edge = self.pool[parent].edge
        cdef float onward = self.pool[parent].onward
        cdef int32_t place = lattice.place_before(parent_edge)
        cdef const Edge* edges = lattice.edges.data()
        cdef int32_t i
        if place == 0:
            return self.add(<float> 0.0 + onward, Hypothesis(TEXT_START, parent, <float> 0.0 + onward))
        for i in range(lattice.firsts[place], lattice.firsts[place + 1]):
            self.add(edges[i].best + onward, Hypothesis(i, parent, edges[i].score + onward))
        return 0

    cdef int add(self, float priority, Hypothesis hypothesis) except -1 nogil:
        """Add a hypothesis. priority: score of the best complete path through it, in single precision."""
        self.pool.push_back(hypothesis)
        self.n_made += 1
        return push_entry(self.heap, AgendaEntry(priority, <int32_t> self.pool.size() - 1))

    cdef int shrink(self, size_t n_kept) except -1 nogil:
        """Keep the best `n_kept` entries of the heap, pushed anew in their order, and the hypotheses that they need."""
        cdef Hypothesis* pool = self.pool.data()
        cdef AgendaEntry entry
        cdef int32_t n_left = 0, i
        self.kept.clear()
        refill(self.new_places, self.pool.size(), -1)
        while self.kept.size() < n_kept and not self.heap.empty():
            pop_entry(self.heap, &entry)
            self.kept.push_back(entry)
            i = entry.hypothesis
            while i >= 0 and self.new_places[i] < 0:
                self.new_places[i] = 0
                i = pool[i].next
        for i in range(<int32_t> self.pool.size()):
            if self.new_places[i] < 0:
                continue
            pool[n_left] = pool[i]
            if pool[i].next >= 0:
                pool[n_left].next = self.new_places[pool[i].next]
            self.new_places[i] = n_left
            n_left += 1
        self.pool.resize(n_left)
        self.heap.clear()
        for i in range(<int32_t> self.kept.size()):
            entry = self.kept[i]
            push_entry(self.heap, AgendaEntry(entry.priority, self.new_places[entry.hypothesis]))
        return 0

    cdef int append_path(self, Lattice lattice, int32_t hypothesis, PathList paths) except -1 nogil:
        """Append the path of a complete hypothesis."""
        cdef float score = self.pool[hypothesis].onward
        cdef int32_t i = self.pool[hypothesis].next, edge
        while self.pool[i].edge != TEXT_END:
            edge = self.pool[i].edge
            i = self.pool[i].next
            lattice.append_edge(edge, self.pool[i].edge, paths.tokens)
        return paths.close(score)


cdef int push_entry(vector[AgendaEntry]& heap, AgendaEntry entry) except -1 nogil:
    """Push onto a binary max-heap. The order of entries with equal priority is part of the contract."""
    heap.push_back(entry)
    sift_up(heap.data(), heap.size() - 1, entry)
    return 0


cdef inline void sift_up(AgendaEntry* entries, size_t child, AgendaEntry entry) noexcept nogil:
    cdef size_t parent
    while child:
        parent = (child - 1) >> 1
        if not entries[parent].priority < entry.priority:
            break
        entries[child] = entries[parent]
        child = parent
    entries[child] = entry


cdef void pop_entry(vector[AgendaEntry]& heap, AgendaEntry* front) noexcept nogil:
    """Pop the front of a heap that is not empty: the gap sinks to a leaf, and the last entry rises from there."""
    cdef AgendaEntry* entries = heap.data()
    cdef size_t n_entries = heap.size() - 1
    cdef AgendaEntry last = entries[n_entries]
    cdef size_t parent = 0, child
    front[0] = entries[0]
    heap.pop_back()
    if n_entries == 0:
        return
    while 2 * parent + 2 < n_entries:
        child = 2 * parent + 2
        if entries[child].priority < entries[child - 1].priority:
            child -= 1
        entries[parent] = entries[child]
        parent = child
    if 2 * parent + 1 < n_entries:
        entries[parent] = entries[2 * parent + 1]
        parent = 2 * parent + 1
    sift_up(entries, parent, last)
