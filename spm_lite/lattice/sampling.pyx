"""Sums the weights of the edges into each place, and draws one edge at each place from the end back.

The hot loop is `sum_forward`. Header: sampling.pxd.
"""

cimport cython
from libc.math cimport exp, isfinite, log
from libc.stdint cimport int32_t
from libcpp.algorithm cimport reverse

from spm_lite.base.structures.random cimport RandomStream, next_uniform
from spm_lite.encode.segment.segmenter cimport Token
from spm_lite.lattice.lattice cimport Edge, Lattice
from spm_lite.lattice.path_list cimport PathList

cdef double NEVER = -1e308


@cython.final
cdef class Sampler:
    """Forward filtering, backward sampling: `fill` sums from the start of the text, `draw` walks back from its end.

    One `fill` serves any number of draws. Where no edge to a place has a finite weight, the first has probability 1.
    Source: Kudo 2018; Scott 2002.
    """

    cdef int fill(self, Lattice lattice, double alpha) except -1 nogil:
        """Fill `sums` of each place and `running` of each edge."""
        self.alpha = alpha
        self.sums.resize(lattice.n_places + 1)
        self.running.resize(lattice.edges.size())
        sum_forward(
            lattice.edges.data(), lattice.firsts.data(), lattice.n_places, alpha, self.sums.data(), self.running.data(),
        )
        return 0

    cdef int draw(self, Lattice lattice, RandomStream* stream, PathList paths) except -1 nogil:
        """Append a random path; its score is the logarithm of its probability."""
        cdef const int32_t* firsts = lattice.firsts.data()
        cdef size_t n_before = paths.tokens.size()
        cdef int32_t end = lattice.n_places, i
        cdef double log_probability = 0
        cdef const Edge* edge
        while end > 0:
            i = draw_edge(self.running.data(), firsts[end], firsts[end + 1], stream)
            edge = lattice.edges.data() + i
            log_probability += self.log_weight(lattice, end, i)
            paths.tokens.push_back(Token(edge.piece_id, lattice.offsets[edge.begin], lattice.offsets[end]))
            end = edge.begin
        reverse(paths.tokens.begin() + n_before, paths.tokens.end())
        return paths.close(log_probability)

    cdef double log_weight(self, Lattice lattice, int end, int i) noexcept nogil:
        """Return the logarithm of the probability that a path through place `end` takes edge `i` to it."""
        cdef const Edge* edge = lattice.edges.data() + i
        cdef double weight = self.sums[edge.begin] + self.alpha * edge.score - self.sums[end]
        return weight if isfinite(weight) else 0.0

    cdef double entropy(self, Lattice lattice) except? -1.0 nogil:
        """Return the entropy of the paths in nats; 0 if there is only one."""
        cdef const int32_t* firsts = lattice.firsts.data()
        cdef int32_t end, i
        cdef double probability, total
        self.entropies.resize(lattice.n_places + 1)
        self.entropies[0] = 0
        for end in range(1, lattice.n_places + 1):
            total = 0
            for i in range(firsts[end], firsts[end + 1]):
                probability = edge_probability(self.running.data(), firsts[end], firsts[end + 1], i)
                if probability > 0:
                    total += probability * (
                        self.entropies[lattice.edges[i].begin] - self.log_weight(lattice, end, i)
                    )
            self.entropies[end] = total
        return self.entropies[lattice.n_places]


cdef void sum_forward(
    const Edge* edges, const int32_t* firsts, int32_t n_places, double alpha, double* sums, double* running,
) noexcept nogil:
    """Fill `sums` (n_places + 1 entries) and `running` (per edge, at most about the number of edges with its end)."""
    cdef int32_t end, i, first, after
    cdef double greatest, weight, total
    sums[0] = 0
    for end in range(1, n_places + 1):
        first, after = firsts[end], firsts[end + 1]
        greatest = NEVER
        for i in range(first, after):
            weight = sums[edges[i].begin] + alpha * edges[i].score
            running[i] = weight
            if weight > greatest and isfinite(weight):
                greatest = weight
        total = 0
        for i in range(first, after):
            # Relative to the greatest, so the total cannot vanish. A weight that is not finite counts 0.
            if running[i] == greatest:
                total += 1
            elif running[i] < greatest:
                total += exp(running[i] - greatest)
            running[i] = total
        sums[end] = greatest + log(total) if total > 0 else NEVER


cdef inline int32_t draw_edge(const double* running, int32_t first, int32_t after, RandomStream* stream) noexcept nogil:
    """Return a random edge of [first, after), drawn by weight."""
    cdef int32_t last = after - 1, i
    cdef double place
    if first == last:
        return first
    place = next_uniform(stream) * running[last]
    for i in range(first, last):
        if place < running[i]:
            return i
    return last if running[last] > 0 else first


cdef inline double edge_probability(const double* running, int32_t first, int32_t after, int32_t i) noexcept nogil:
    """Return the share of edge `i` in the weight of the edges [first, after)."""
    cdef double total = running[after - 1]
    if not total > 0:
        return 1.0 if i == first else 0.0
    return (running[i] - (running[i - 1] if i > first else 0.0)) / total


cdef size_t draw_listed(PathList paths, double alpha, RandomStream* stream) noexcept nogil:
    """Return the index of a random path, drawn by exp(alpha * score). There must be at least one path."""
    cdef double greatest = NEVER, total = 0, place, weight
    cdef size_t n_paths = paths.scores.size(), i
    for i in range(n_paths):
        weight = alpha * paths.scores[i]
        if weight > greatest and isfinite(weight):
            greatest = weight
    for i in range(n_paths):
        total += listed_weight(alpha * paths.scores[i] - greatest)
    place = next_uniform(stream) * total
    total = 0
    for i in range(n_paths):
        total += listed_weight(alpha * paths.scores[i] - greatest)
        if place < total:
            return i
    return 0


cdef inline double listed_weight(double weight) noexcept nogil:
    return exp(weight) if isfinite(weight) and weight <= 0 else 0.0
