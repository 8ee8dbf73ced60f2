"""E-step of one text: weighs edges relative to the sum at their end, runs forward-backward, and adds up by piece.

`append_counts` lists the steps. Header: expected_counts.pxd.
"""

cimport cython
from libc.math cimport HUGE_VAL, exp, isfinite, log
from libc.stdint cimport int32_t, uint32_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.lattice.forward_backward cimport Chains, PieceLink, add_expected
from spm_lite.lattice.lattice cimport FoundEdge, Lattice
from spm_lite.lattice.path_scores cimport PathScores, edge_score
from spm_lite.lattice.sampling cimport NEVER

cdef uint32_t PERIOD = 256      # places between two scalings: each place at most doubles the number of paths


@cython.final
cdef class ExpectedCounter:
    """The E-step for one text under a trained model, where a path weighs exp(alpha * score).

    Edge weights are relative to the sum over all paths to the edge's end. So forward sums stay near 1 at every place,
    and no alpha is too large. Relative to the best path, a place with one good path would vanish beside a place with
    very many bad ones. Where no edge to a place has a finite weight, the first one has weight 1.
    """

    cdef int append_counts(
        self, PathScores vocab, Lattice lattice, double alpha, vector[ExpectedCount]& counts,
    ) except -1 nogil:
        """Append the pieces with a count above 0, sorted by id. `lattice` needs its places and `found` only."""
        cdef size_t n_places = <size_t> lattice.n_places
        cdef Chains chains
        cdef uint32_t reach = 1
        cdef size_t i
        self.weigh_edges(vocab, lattice, alpha)
        self.chain_edges(lattice)
        for i in range(self.links.size()):
            reach = max(reach, self.links[i].length)
        chains = Chains(self.links.data(), self.longest.data(), <uint32_t> n_places, reach, PERIOD)
        self.forward.resize(n_places + 1)
        self.backward.resize(n_places + 1)
        self.exponents.resize(n_places // PERIOD + 1)
        refill(self.expected, self.links.size(), 0)
        add_expected(
            &chains, 1.0, self.forward.data(), self.backward.data(), self.exponents.data(), self.expected.data()
        )
        return self.sum_pieces(vocab, lattice, counts)

    cdef int weigh_edges(self, PathScores vocab, Lattice lattice, double alpha) except -1 nogil:
        """Fill `weights` and the sums to each place. All edges to a place come before the edges that leave it."""
        cdef const FoundEdge* found = lattice.found.data()
        cdef int32_t n_edges = <int32_t> lattice.found.size(), unknown_id = vocab.segmenter.vocab.unknown_index
        cdef const float* scores = vocab.scores.data()
        cdef int32_t i, begin = -1, end
        cdef double value
        cdef float score
        refill(self.bests, lattice.n_places + 1, -HUGE_VAL)
        refill(self.totals, lattice.n_places + 1, 0)
        self.sums_to.resize(lattice.n_places + 1)
        self.bests[0], self.totals[0] = 0, 1
        refill(self.first_edges, lattice.n_places + 1, NO_EDGE)
        self.weights.resize(n_edges)
        for i in range(n_edges):
            score = edge_score(scores, unknown_id, vocab.unknown_score, found[i].piece_id)
            end = found[i].end
            if found[i].begin != begin:
                begin = found[i].begin
                self.sums_to[begin] = self.bests[begin] + log(self.totals[begin])
            value = max(self.sums_to[begin], NEVER) + alpha * score
            self.weights[i] = value
            if isfinite(value):
                self.first_edges[end] = SETTLED
                if value > self.bests[end]:
                    self.totals[end] = self.totals[end] * exp(self.bests[end] - value) + 1
                    self.bests[end] = value
                else:
                    self.totals[end] += exp(value - self.bests[end])
            elif self.first_edges[end] == NO_EDGE:
                self.first_edges[end] = i
        self.sums_to[lattice.n_places] = self.bests[lattice.n_places] + log(self.totals[lattice.n_places])
        for i in range(n_edges):
            if isfinite(self.weights[i]):
                self.weights[i] = exp(self.weights[i] - self.sums_to[found[i].end])
            else:
                self.weights[i] = self.first_edges[found[i].end] == i
        return 0

    cdef int chain_edges(self, Lattice lattice) except -1 nogil:
        """Make a chain of the edges that leave each place."""
        cdef int32_t place
        self.links.clear()
        self.longest.clear()
        self.edge_links.resize(lattice.found.size())
        lattice.list_leaving(self.leaving)
        for place in range(lattice.n_places):
            self.chain_place(lattice, self.leaving[place], self.leaving[place + 1])
            self.longest.push_back(<uint32_t> self.links.size() - 1)
        return 0

    cdef int chain_place(self, Lattice lattice, int32_t first, int32_t after) except -1 nogil:
        """Link edges [first, after), which begin at one place, the shorter before the longer."""
        cdef const FoundEdge* found = lattice.found.data()
        cdef int32_t place = found[first].begin, i
        cdef bint is_unknown_last = found[after - 1].end == place + 1  # an unknown character is found last
        if is_unknown_last:
            self.link_edge(after - 1, 1, True)
        for i in range(first, after - is_unknown_last):
            self.link_edge(i, <uint32_t> (found[i].end - place), i == first and not is_unknown_last)
        return 0

    cdef int link_edge(self, int32_t edge, uint32_t length, bint begins_chain) except -1 nogil:
        """Append a link for an edge, or join it to the last link if both span the same text (ill-formed pieces may)."""
        cdef size_t last
        if begins_chain or self.links.back().length != length:
            self.links.push_back(PieceLink(0, length, <uint32_t> self.links.size() - (0 if begins_chain else 1)))
        last = self.links.size() - 1
        self.links[last].weight += self.weights[edge]
        self.edge_links[edge] = <uint32_t> last
        return 0

    cdef int sum_pieces(self, PathScores vocab, Lattice lattice, vector[ExpectedCount]& counts) except -1 nogil:
        """Append for each piece the sum of the expected counts of its edges."""
        cdef int32_t n_ids = vocab.segmenter.vocab.size, unknown_id = vocab.segmenter.vocab.unknown_index, i
        cdef size_t edge
        cdef double count
        cdef const PieceLink* link
        self.sums.resize(n_ids + 1, 0)
        self.seen.clear()
        for edge in range(lattice.found.size()):
            link = self.links.data() + self.edge_links[edge]
            if not link.weight > 0:
                continue
            count = self.expected[self.edge_links[edge]] * (self.weights[edge] / link.weight)
            i = n_ids if lattice.found[edge].piece_id == unknown_id else lattice.found[edge].piece_id
            if count > 0 and self.sums[i] == 0:
                self.seen.push_back(i)
            self.sums[i] += count
        sort(self.seen.begin(), self.seen.end())
        for edge in range(self.seen.size()):
            i = self.seen[edge]
            counts.push_back(ExpectedCount(unknown_id if i == n_ids else i, self.sums[i]))
            self.sums[i] = 0
        return 0
