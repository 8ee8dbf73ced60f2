"""New pieces of a Unigram model: EM and pruning among seeds, while the scores of the old pieces stay as they are.

A new piece scores the log of its expected count by the expected tokens of the new text, as the old ones do on theirs.
"""

cimport cython
from libc.math cimport log
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.unigram.candidates cimport Candidates, cut_long_segments
from spm_lite.training.unigram.em cimport PieceScores, count_unit, fill_expected
from spm_lite.training.unigram.given cimport load_listed, set_pieces, weigh_listed
from spm_lite.training.unigram.prune cimport fill_best_counts, fill_margins

cdef double MIN_EXPECTED = 0.5      # units: pieces with a lower expected count are dropped
cdef double LOWEST = -100           # old scores count as this at least: far lower ones leave the range of a double
cdef double UNKNOWN_PENALTY = 10    # an unknown character scores so much below the least old score, as in encoding
cdef double SHRINKING_FACTOR = 0.75
cdef enum:
    N_ROUNDS = 2            # of EM between two prunings
    N_REFILLS = 8           # at most: pieces that the text never uses give their places to others


@cython.final
cdef class UnigramExtender:
    """The old pieces, those that are new so far, and the text; see `extend`."""

    cdef Candidates candidates
    cdef PieceScores scores
    cdef vector[uint8_t] is_new     # per candidate
    cdef dict old                   # text -> score of the pieces of the model
    cdef dict made                  # text -> score of the new pieces
    cdef double least               # old score
    cdef uint32_t n_threads

    def extend(
        self, ChunkTable counts not None, dict old not None, list characters not None, list seeds not None,
        Py_ssize_t n_pieces, alphabet, *, num_threads=1, progress=None,
    ):
        """Return {text: score}: the new characters and the best of the seeds, `n_pieces` in all; fewer if few are used.

        counts: chunks cut by the model's own rules. old: text -> score of all plain pieces. characters: those that
        become pieces. seeds: texts of two or more characters. alphabet: all characters of the text.
        """
        cdef set letters = {*alphabet}
        cdef Py_ssize_t target
        self.n_threads = max(num_threads, 1)
        self.least = max(min(old.values(), default=0.0), LOWEST)
        self.old = {text: max(score, LOWEST) for text, score in old.items() if letters.issuperset(text)}
        self.made = dict.fromkeys([*characters, *seeds], 0.0)
        self.candidates = load_listed(counts, [*letters, *self.old, *seeds], self.n_threads)
        cut_long_segments(self.candidates)
        self.scores = PieceScores()
        self.scores.unit = count_unit(counts.low_means()[0])
        self.start_scores()
        spare, before = [], self.made
        while len(self.made) > n_pieces:
            if progress is not None:
                progress("em", len(seeds) + len(characters) - len(self.made), len(seeds) + len(characters) - n_pieces)
            for _ in range(N_ROUNDS):
                self.run_em()
            target = max(n_pieces, <Py_ssize_t> (SHRINKING_FACTOR * len(self.made)))
            ranked = self.ranked()
            spare = ranked[target - len(characters):]
            before = self.made
            self.keep(characters + ranked[:target - len(characters)])
        self.refill(characters, spare, before, n_pieces)
        return self.made

    cdef int start_scores(self) except -1:
        """Score the new pieces by all their occurrences times their length, as the seeds of a training."""
        cdef vector[double] weights
        cdef double total = 0
        cdef size_t k
        with nogil:
            weigh_listed(self.candidates, weights)
            for k in range(weights.size()):
                total += weights[k]
        for k in range(weights.size()):
            text = self.candidates.text(<uint32_t> k)
            if text in self.made:
                self.made[text] = self.score_of(weights[k], total)
        return self.set_scores()

    cdef double score_of(self, double count, double total) noexcept:
        """The log probability of a count; not below the least old score, from which unknown characters are scored."""
        return max(log(max(count, MIN_EXPECTED * self.scores.unit) / total), self.least)

    cdef int set_scores(self) except -1:
        """Give all candidates their scores."""
        cdef size_t k, n = self.candidates.pieces.size()
        self.scores.scores.assign(n, self.least - UNKNOWN_PENALTY)
        self.scores.is_rare.assign(n, False)
        self.is_new.assign(n, False)
        for k in range(n):
            text = self.candidates.text(<uint32_t> k)
            if text in self.made:
                self.is_new[k] = True
                self.scores.scores[k] = self.made[text]
            elif text in self.old:
                self.scores.scores[k] = self.old[text]
        return 0

    cdef int keep(self, list texts) except -1:
        """Go on with these new pieces alone."""
        self.made = {text: self.made[text] for text in texts}
        set_pieces(self.candidates, [*self.old, *self.made], self.n_threads)
        return self.set_scores()

    cdef int run_em(self) except -1:
        """Run one E-step over all pieces, and an M-step of the new ones; those that are too rare are dropped."""
        cdef vector[double] expected
        cdef double total = 0
        cdef size_t k
        with nogil:
            fill_expected(self.candidates, self.scores, self.n_threads, expected)
            for k in range(expected.size()):
                total += expected[k]
        kept = {}
        for k in range(expected.size()):
            if not self.is_new[k]:
                continue
            if expected[k] >= MIN_EXPECTED * self.scores.unit or self.candidates.pieces[k].length == 1:
                kept[self.candidates.text(<uint32_t> k)] = self.score_of(expected[k], total)
        is_same = len(kept) == len(self.made)
        self.made = kept
        if is_same:
            return self.set_scores()
        set_pieces(self.candidates, [*self.old, *kept], self.n_threads)
        return self.set_scores()

    cdef list ranked(self):
        """Return the new pieces of two or more characters that the text uses, the greatest loss first.

        The loss is the count in the best segmentation of the text times what the score falls in the next best one. On
        equal losses the better score comes first, then the smaller text. Last come the pieces that are never used.
        """
        cdef vector[PieceLink] links
        cdef vector[uint64_t] counts
        cdef vector[double] margins
        cdef size_t k
        cdef list found = []
        with nogil:
            self.scores.fill_links(self.candidates, True, links)
            fill_best_counts(self.candidates, links, self.n_threads, counts)
            fill_margins(self.candidates, links, self.is_new, margins)
        for k in range(margins.size()):
            if self.is_new[k] and self.candidates.pieces[k].length > 1:
                loss = <double> counts[k] * margins[k] if margins[k] > 0 else -1.0
                found.append((-loss, -self.scores.scores[k], self.candidates.text(<uint32_t> k)))
        return [text for _, _, text in sorted(found)]

    cdef list unused(self):
        """Return the new pieces of two or more characters that no best segmentation of the text or of itself has."""
        cdef vector[PieceLink] links
        cdef vector[uint64_t] counts
        cdef vector[double] margins
        cdef size_t k
        with nogil:
            self.scores.fill_links(self.candidates, True, links)
            fill_best_counts(self.candidates, links, self.n_threads, counts)
            fill_margins(self.candidates, links, self.is_new, margins)
        return [
            self.candidates.text(<uint32_t> k) for k in range(margins.size())
            if self.is_new[k] and self.candidates.pieces[k].length > 1 and (counts[k] == 0 or margins[k] <= 0)
        ]

    cdef int refill(self, list characters, list spare, dict before, Py_ssize_t n_pieces) except -1:
        """Run EM once more; then drop the pieces that are not used, and take back the best of those pruned last."""
        cdef int _
        for _ in range(N_REFILLS):
            self.run_em()
            useless = {*self.unused()}
            kept = [text for text in self.made if text not in useless]
            if not useless and (len(kept) == n_pieces or not spare):
                break
            more, spare = spare[:n_pieces - len(kept)], spare[n_pieces - len(kept):]
            self.made.update({text: before[text] for text in more})
            self.keep(kept + more)
        else:
            self.keep([text for text in self.made if text not in {*self.unused()}])
        return 0
