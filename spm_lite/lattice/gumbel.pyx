"""Best-first search for noisy paths: the greatest noise among the children of a path is its own.

`search` is the loop, and `expand` draws the noise. Scores are log-probabilities of inclusion. Header: gumbel.pxd.
"""

cimport cython
from libc.math cimport HUGE_VAL, exp, expm1, fabs, isfinite, log, log1p
from libc.stdint cimport int32_t

from spm_lite.base.structures.random cimport RandomStream, next_uniform
from spm_lite.lattice.astar cimport AgendaEntry, pop_entry, push_entry
from spm_lite.lattice.lattice cimport TEXT_END, TEXT_START, Edge, Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.lattice.sampling cimport Sampler

from spm_lite.errors import OptionError

cdef size_t MAX_POOL = 1 << 26     # partial paths; 1.6 GB, and 1 GB for the heap
cdef double SMALLEST_UNIFORM = 1e-7
cdef double LN2 = 0.6931471805599453
cdef double SMALL_RATE = -10.0      # logarithm of the rate up to which the series is exact


@cython.final
cdef class GumbelSearch:
    """Best-first search from the end of the text, with noise drawn top-down.

    The noisy value of a suffix is the maximum over the paths that end with it. So the search never turns back on its
    way to the next path.

    Source: Kool, van Hoof, Welling 2019 (stochastic beam search, here without a beam).
    """

    cdef int search(
        self, Lattice lattice, Sampler sampler, Py_ssize_t n, RandomStream* stream, PathList paths,
    ) except -1 nogil:
        """Append `n` (at least 1) different paths, or all if there are fewer; the greatest noisy value first.

        A score is the logarithm of the probability that the path is among the greatest `n`; 0 if all paths are.
        """
        cdef size_t n_before = paths.ends.size(), i
        cdef AgendaEntry entry
        cdef double least = -HUGE_VAL
        self.pool.clear()
        self.heap.clear()
        self.add(NoisyEdge(TEXT_END, -1, 0.0, draw_gumbel(stream)))
        while not self.heap.empty():
            pop_entry(self.heap, &entry)
            if self.pool[entry.hypothesis].edge != TEXT_START:
                self.expand(lattice, sampler, entry.hypothesis, stream)
            elif <Py_ssize_t> (paths.ends.size() - n_before) == n:
                least = entry.priority  # the first path left out is the threshold
                break
            else:
                self.append_path(lattice, entry.hypothesis, paths)
        for i in range(n_before, paths.ends.size()):
            paths.scores[i] = log_inclusion(paths.scores[i] - least)
        return 0

    cdef int expand(self, Lattice lattice, Sampler sampler, int32_t parent, RandomStream* stream) except -1 nogil:
        """Add a suffix for each edge before the parent's; the greatest of their noisy values is the parent's."""
        cdef NoisyEdge above = self.pool[parent]
        cdef int32_t place = lattice.place_before(above.edge)
        cdef const Edge* edges = lattice.edges.data()
        cdef size_t first = self.pool.size(), i
        cdef int32_t k
        cdef double weight, value, greatest = -HUGE_VAL
        if first + <size_t> (lattice.firsts[place + 1] - lattice.firsts[place]) >= MAX_POOL:
            with gil:
                raise OptionError(
                    f"so many samples of this text need more than {MAX_POOL} partial paths: ask for fewer, or split "
                    "the text"
                )
        if place == 0:
            return self.add(NoisyEdge(TEXT_START, parent, above.log_probability, above.noisy))
        for k in range(lattice.firsts[place], lattice.firsts[place + 1]):
            weight = sampler.sums[edges[k].begin] + sampler.alpha * edges[k].score - sampler.sums[place]
            if not isfinite(weight):
                continue
            weight += above.log_probability
            value = weight + draw_gumbel(stream)
            greatest = max(greatest, value)
            self.pool.push_back(NoisyEdge(k, parent, weight, value))
        if first == self.pool.size():  # no finite weight: the first edge has probability 1, as in Sampler
            return self.add(NoisyEdge(lattice.firsts[place], parent, above.log_probability, above.noisy))
        for i in range(first, self.pool.size()):
            self.pool[i].noisy = fit_below(self.pool[i].noisy, greatest, above.noisy)
            push_entry(self.heap, AgendaEntry(self.pool[i].noisy, <int32_t> i))
        return 0

    cdef int add(self, NoisyEdge noisy_edge) except -1 nogil:
        self.pool.push_back(noisy_edge)
        return push_entry(self.heap, AgendaEntry(noisy_edge.noisy, <int32_t> self.pool.size() - 1))

    cdef int append_path(self, Lattice lattice, int32_t last, PathList paths) except -1 nogil:
        """Append a complete path; its score is, until the search ends, the logarithm of its probability."""
        cdef double log_probability = self.pool[last].log_probability
        cdef int32_t i = self.pool[last].next, edge
        while self.pool[i].edge != TEXT_END:
            edge = self.pool[i].edge
            i = self.pool[i].next
            lattice.append_edge(edge, self.pool[i].edge, paths.tokens)
        return paths.close(log_probability)


cdef inline double draw_gumbel(RandomStream* stream) noexcept nogil:
    """Return a standard Gumbel variate, from a uniform one that is not too close to 0 or 1."""
    return -log(-log(SMALLEST_UNIFORM + (1.0 - 2.0 * SMALLEST_UNIFORM) * next_uniform(stream)))


cdef inline double fit_below(double value, double greatest, double limit) noexcept nogil:
    """Return a noisy value shifted as if the greatest of its siblings were `limit` (Kool et al., appendix B.3)."""
    cdef double v = limit - value + log1p(-exp(value - greatest))
    return limit - max(0.0, v) - log1p(exp(-fabs(v)))


cdef double log_inclusion(double x) noexcept nogil:
    """Return log(1 - exp(-exp(x))): noise lifts a path over the threshold. x: its log-probability minus that."""
    cdef double rate = exp(x)
    if x <= SMALL_RATE:
        return x - rate / 2 + rate * rate / 24 - rate * rate * rate * rate / 2880
    return log1p(-exp(-rate)) if rate > LN2 else log(-expm1(-rate))
