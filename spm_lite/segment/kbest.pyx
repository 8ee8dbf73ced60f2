cimport cython
from libc.stdint cimport int32_t

from spm_lite.segment.lattice cimport FoundEdge, Lattice
from spm_lite.segment.path_list cimport PathList
from spm_lite.segment.path_vocab cimport PathVocab
from spm_lite.segment.segmenter cimport Token

cdef size_t MAX_SUFFIXES = 0x7FFFFFF0


@cython.final
cdef class BestSuffixes:
    """Ranked paths from each place to the end of the text, as far as the best ones of the whole text need them.

    Greater scores come first; equal ones by the first piece that differs, the longer first. Sums are in double
    precision, where those of single-precision scores are exact but for extreme ones, so ties are true ties.
    Source: Jimenez and Marzal 1999 (recursive enumeration), Huang and Chiang 2005; here the recursion is a stack.
    """

    cdef int search(self, PathVocab vocab, Lattice lattice, Py_ssize_t n, PathList paths) except -1 nogil:
        """Append the `n` best paths or all there are. `lattice` must be cut and its edges found; no more is needed."""
        cdef int32_t suffix = 0
        cdef Py_ssize_t i
        if lattice.n_places == 0:
            return paths.close(0.0) if n > 0 else 0
        self.fill(vocab, lattice)
        for i in range(n):
            self.append_path(lattice, suffix, paths)
            if i + 1 == n:
                break
            self.make_next(lattice.found.data(), lattice.n_places, 0)
            suffix = self.suffixes[suffix].next
            if suffix == NO_OTHER:
                break
        return 0

    cdef int fill(self, PathVocab vocab, Lattice lattice) except -1 nogil:
        """Make the best suffix of each place."""
        cdef const FoundEdge* found = lattice.found.data()
        cdef int32_t unknown_id = vocab.segmenter.vocab.unknown_index
        cdef int32_t place, n_edges = <int32_t> lattice.found.size(), i
        self.leaving.assign(lattice.n_places + 1, 0)
        self.edge_scores.resize(n_edges)
        self.candidates.resize(n_edges)
        self.suffixes.resize(lattice.n_places)
        self.lasts.resize(lattice.n_places)
        self.is_open.assign(lattice.n_places, False)
        self.waiting.clear()
        for i in range(n_edges):
            self.leaving[found[i].begin + 1] = i + 1
            self.edge_scores[i] = (
                vocab.unknown_score if found[i].piece_id == unknown_id else vocab.scores[found[i].piece_id]
            )
        for place in range(lattice.n_places):
            self.lasts[place] = place
        self.fill_firsts(found, lattice.n_places)
        return 0

    cdef void fill_firsts(self, const FoundEdge* found, int32_t n_places) noexcept nogil:
        cdef int32_t place = n_places, best, end, i
        cdef double score, best_score
        while place > 0:
            place -= 1
            best, best_score = -1, 0
            for i in range(self.leaving[place], self.leaving[place + 1]):
                end = found[i].end
                score = self.edge_scores[i] + (self.suffixes[end].score if end < n_places else 0.0)
                if best < 0 or score > best_score or (score == best_score and end > found[best].end):
                    best, best_score = i, score
            end = found[best].end
            self.suffixes[place] = Suffix(best_score, best, end if end < n_places else EMPTY_SUFFIX, NOT_MADE)

    cdef int make_next(self, const FoundEdge* found, int32_t n_places, int32_t place) except -1 nogil:
        """Make the suffix of `place` after the last one made, or find that there is no other.

        That may need the next suffix of the place behind the last one's first edge, and so on.
        """
        cdef int32_t last, edge, rest, next
        self.waiting.push_back(place)
        while not self.waiting.empty():
            place = self.waiting.back()
            last = self.lasts[place]
            edge = self.suffixes[last].edge
            rest = self.suffixes[last].rest
            next = NO_OTHER if rest == EMPTY_SUFFIX else self.suffixes[rest].next
            if next == NOT_MADE:
                self.waiting.push_back(found[edge].end)
                continue
            if not self.is_open[place]:
                self.open(found, n_places, place)
            self.candidates[edge].rest = next
            if next != NO_OTHER:
                self.candidates[edge].score = self.edge_scores[edge] + self.suffixes[next].score
            edge = self.best_candidate(found, place)
            if edge < 0:
                self.suffixes[last].next = NO_OTHER
            else:
                if self.suffixes.size() >= MAX_SUFFIXES:
                    with gil:
                        raise MemoryError(f"more than {MAX_SUFFIXES} partial paths: ask for fewer best ones")
                next = <int32_t> self.suffixes.size()
                self.suffixes.push_back(
                    Suffix(self.candidates[edge].score, edge, self.candidates[edge].rest, NOT_MADE)
                )
                self.suffixes[last].next = next
                self.lasts[place] = next
            self.waiting.pop_back()
        return 0

    cdef void open(self, const FoundEdge* found, int32_t n_places, int32_t place) noexcept nogil:
        """Set the candidates of a place: each edge with the best suffix behind it."""
        cdef int32_t i, end
        for i in range(self.leaving[place], self.leaving[place + 1]):
            end = found[i].end
            if end < n_places:
                self.candidates[i] = Candidate(self.edge_scores[i] + self.suffixes[end].score, end)
            else:
                self.candidates[i] = Candidate(self.edge_scores[i], EMPTY_SUFFIX)
        self.is_open[place] = True

    cdef int32_t best_candidate(self, const FoundEdge* found, int32_t place) noexcept nogil:
        """The edge whose candidate is next, -1 if none is left."""
        cdef int32_t best = -1, i
        for i in range(self.leaving[place], self.leaving[place + 1]):
            if self.candidates[i].rest == NO_OTHER:
                continue
            if best < 0 or self.candidates[i].score > self.candidates[best].score or (
                self.candidates[i].score == self.candidates[best].score and found[i].end > found[best].end
            ):
                best = i
        return best

    cdef int append_path(self, Lattice lattice, int32_t suffix, PathList paths) except -1 nogil:
        """Append a path from the first place on; its score is the sum from the first piece on."""
        cdef const FoundEdge* edge
        cdef double score = 0
        while suffix != EMPTY_SUFFIX:
            edge = lattice.found.data() + self.suffixes[suffix].edge
            score += self.edge_scores[self.suffixes[suffix].edge]
            paths.tokens.push_back(Token(edge.piece_id, lattice.offsets[edge.begin], lattice.offsets[edge.end]))
            suffix = self.suffixes[suffix].rest
        return paths.close(score)
