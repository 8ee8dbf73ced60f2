"""Makes the next best suffix of a place only when a path needs it (`make_next`); a stack replaces recursion.

The best suffixes are made first, from the last place to the first (`fill_best`). Header: kbest.pxd.
"""

cimport cython
from libc.stdint cimport int32_t

from spm_lite.encode.segment.segmenter cimport Token
from spm_lite.lattice.lattice cimport FoundEdge, Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.lattice.path_scores cimport PathScores, edge_score

from spm_lite.errors import OptionError

cdef size_t MAX_SUFFIXES = 1 << 28     # partial paths; 6 GB


@cython.final
cdef class BestSuffixes:
    """Ranked suffixes of each place, made only as far as the n best paths of the whole text need them.

    Greater scores come first. Among equal scores the first piece that differs decides: the longer comes first. Sums
    are doubles, exact for float32 scores that are not extreme, so ties are true ties.
    Source: Jimenez and Marzal 1999 (recursive enumeration), Huang and Chiang 2005; here the recursion is a stack.
    """

    cdef int search(self, PathScores vocab, Lattice lattice, Py_ssize_t n, PathList paths) except -1 nogil:
        """Append the `n` best paths, or all if there are fewer. `lattice` needs its places and `found` only."""
        cdef int32_t suffix = 0
        cdef Py_ssize_t i
        if lattice.n_places == 0:
            return paths.close(0.0) if n > 0 else 0
        self.fill(vocab, lattice)
        for i in range(n):
            self.append_path(lattice, suffix, paths)
            if i + 1 == n:
                break
            self.make_next(0)
            suffix = self.suffixes[suffix].next
            if suffix == NO_OTHER:
                break
        return 0

    cdef int fill(self, PathScores vocab, Lattice lattice) except -1 nogil:
        """Fill `choices`, and make the best suffix of each place."""
        cdef int32_t n_places = lattice.n_places, place
        cdef const FoundEdge* found = lattice.found.data()
        lattice.list_leaving(self.leaving)
        self.choices.resize(lattice.found.size())
        self.suffixes.resize(n_places)
        self.lasts.resize(n_places)
        for place in range(n_places):
            self.lasts[place] = place
        self.waiting.clear()
        fill_best(
            found, self.leaving.data(), n_places, vocab.scores.data(), vocab.segmenter.vocab.unknown_index,
            vocab.unknown_score, self.choices.data(), self.suffixes.data(),
        )
        return 0

    cdef int make_next(self, int32_t place) except -1 nogil:
        """Make the next best suffix of `place`, or mark that there is none.

        The first edge of the suffix last made is joined to the next suffix of the place where it ends. That suffix may
        have to be made first, and so on.
        """
        cdef Choice* choices = self.choices.data()
        cdef Choice* choice
        cdef PathSuffix* last
        cdef int32_t next, edge
        self.waiting.push_back(place)
        while not self.waiting.empty():
            place = self.waiting.back()
            last = self.suffixes.data() + self.lasts[place]
            choice = choices + last.edge
            next = NO_OTHER if last.rest == EMPTY_SUFFIX else self.suffixes[last.rest].next
            if next == NOT_MADE:
                self.waiting.push_back(choice.end)
                continue
            self.waiting.pop_back()
            choice.rest = next
            if next != NO_OTHER:
                choice.score = choice.edge_score + self.suffixes[next].score
            edge = best_choice(choices, self.leaving[place], self.leaving[place + 1])
            if edge < 0:
                last.next = NO_OTHER
                continue
            if self.suffixes.size() >= MAX_SUFFIXES:
                with gil:
                    raise OptionError(
                        f"so many segmentations of this text need more than {MAX_SUFFIXES} partial paths: ask for "
                        "fewer, or split the text"
                    )
            last.next = <int32_t> self.suffixes.size()
            self.lasts[place] = last.next
            self.suffixes.push_back(PathSuffix(choices[edge].score, edge, choices[edge].rest, NOT_MADE))
        return 0

    cdef int append_path(self, Lattice lattice, int32_t suffix, PathList paths) except -1 nogil:
        """Append the path of a suffix of the first place; its score is added from the first piece to the last."""
        cdef const FoundEdge* edge
        cdef double score = 0
        while suffix != EMPTY_SUFFIX:
            edge = lattice.found.data() + self.suffixes[suffix].edge
            score += self.choices[self.suffixes[suffix].edge].edge_score
            paths.tokens.push_back(Token(edge.piece_id, lattice.offsets[edge.begin], lattice.offsets[edge.end]))
            suffix = self.suffixes[suffix].rest
        return paths.close(score)


cdef void fill_best(
    const FoundEdge* found, const int32_t* leaving, int32_t n_places, const float* scores, int32_t unknown_id,
    float unknown_score, Choice* choices, PathSuffix* suffixes,
) noexcept nogil:
    """Fill `choices` and the best suffixes, from the last place to the first; an edge takes its end's best suffix."""
    cdef int32_t place = n_places, end, i
    cdef float score
    while place > 0:
        place -= 1
        for i in range(leaving[place], leaving[place + 1]):
            end = found[i].end
            score = edge_score(scores, unknown_id, unknown_score, found[i].piece_id)
            if end < n_places:
                choices[i] = Choice(score + suffixes[end].score, score, end, end)
            else:
                choices[i] = Choice(score, score, EMPTY_SUFFIX, end)
        i = best_choice(choices, leaving[place], leaving[place + 1])
        suffixes[place] = PathSuffix(choices[i].score, i, choices[i].rest, NOT_MADE)


cdef inline int32_t best_choice(const Choice* choices, int32_t begin, int32_t end) noexcept nogil:
    """Return the edge of [begin, end) whose suffix comes next; -1: none is left."""
    cdef int32_t best = -1, i
    for i in range(begin, end):
        if choices[i].rest == NO_OTHER:
            continue
        if best < 0 or choices[i].score > choices[best].score or (
            choices[i].score == choices[best].score and choices[i].end > choices[best].end
        ):
            best = i
    return best
