"""Normalizes a text, fills its lattice, and asks the sampler, the n-best search or the counter.

`log_probability_of` sums over the paths that give some ids. Header: distribution.pxd.
"""

cimport cython
from cython.operator cimport dereference
from libc.math cimport HUGE_VAL, exp, fabs, isfinite, log1p
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.map cimport map
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport Random, RandomStream, open_stream
from spm_lite.encode.encoded_text cimport escape
from spm_lite.encode.encoder cimport Encoder
from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.lattice.expected_counts cimport ExpectedCount
from spm_lite.lattice.lattice cimport FoundEdge, Lattice
from spm_lite.lattice.path_scores cimport PathScores, score_of
from spm_lite.lattice.reference_paths cimport PathScratch, ReferencePaths
from spm_lite.lattice.sampling cimport draw_listed
from spm_lite.texts.id_lists cimport list_of
from spm_lite.texts.text_view cimport TextView, view_utf8

from spm_lite.errors import OptionError


@cython.final
cdef class Distribution:
    """Segmentations with probabilities proportional to exp(alpha * score); see `PathScores` for the scores.

    The caller checks ranges. Each method raises OptionError for a model type with one segmentation only.
    """

    def __cinit__(self, Encoder encoder not None):
        self.encoder = encoder
        self.spare_workers = []
        self.paths = ReferencePaths(encoder)
        self.paths.vocab.rank_pieces()

    def clear_cache(self):
        """Forget everything that is not in use at this moment."""
        self.spare_workers.clear()

    def check(self, bint merges):
        """Raise OptionError unless texts have several segmentations. merges: also unless it is a BPE model."""
        if self.encoder.vocab.split_pattern is not None or self.encoder.vocab.splits:
            raise OptionError(
                "the model cuts a text by a split pattern, and makes one segmentation of it: n-best lists, samples "
                "and sums over segmentations are for unigram and BPE models without a split pattern"
            )
        listed = self.encoder.vocab.merge_list
        if listed is not None and not merges and (
            listed.is_by_part() or self.encoder.vocab.unknown_index < 0 and not self.encoder.vocab.byte_fallback
        ):
            raise OptionError(
                "the model keeps a list of its merges, and pieces do not join to the text: unknown characters vanish, "
                "or pieces have a prefix or suffix. It has no n-best lists and sums; sample with dropout"
            )
        if merges and not self.paths.vocab.is_merging:
            raise OptionError("dropout leaves out merges, which only BPE models have: pass alpha instead")
        if not self.paths.can_sample:
            raise OptionError("the model makes one segmentation of a text only: unigram and BPE models have several")

    cdef int fill(self, TextView view, double alpha, PathScratch scratch) except -1 nogil:
        """Fill the lattice of a text and the sums of the sampler."""
        self.paths.normalize_plain(view, scratch)
        self.paths.fill_lattice(scratch)
        return scratch.sampler.fill(scratch.lattice, alpha)

    cdef int list_best(self, Py_ssize_t n, PathScratch scratch) except -1 nogil:
        """List the plain encoding of the normalized text, then the best other paths, at most `n` in all."""
        cdef int32_t size = <int32_t> scratch.normalized.size()
        scratch.paths.clear()
        self.encoder.segmenter.segment(scratch.normalized.data(), size, scratch.scratch, scratch.paths.tokens)
        scratch.paths.close(self.plain_score(scratch))
        if n > 1:
            scratch.lattice.find(self.paths.vocab, scratch.normalized.data(), size)
            scratch.best_suffixes.search(self.paths.vocab, scratch.lattice, n, scratch.paths)
            scratch.paths.drop_repeated_first(n)
        return 0

    cdef double plain_score(self, PathScratch scratch) noexcept nogil:
        """Return the sum of the scores of the only path so far."""
        cdef double score = 0
        cdef size_t i
        for i in range(scratch.paths.tokens.size()):
            score += score_of(self.paths.vocab, scratch.paths.tokens[i].piece_id)
        return score

    cdef int draw_one(
        self, TextView view, double alpha, bint drops_merges, RandomStream* stream, PathScratch scratch,
    ) except -1 nogil:
        """Draw a sample; it becomes the only path. drops_merges: by BPE dropout, with score 0."""
        scratch.paths.clear()
        if drops_merges:
            self.paths.normalize_plain(view, scratch)
            (<BpeSegmenter> self.encoder.segmenter).segment_at_random(
                scratch.normalized.data(), <int32_t> scratch.normalized.size(), alpha, True, stream, scratch.scratch,
                scratch.paths.tokens,
            )
            return scratch.paths.close(0.0)
        self.fill(view, alpha, scratch)
        return scratch.sampler.draw(scratch.lattice, stream, scratch.paths)

    cdef int draw_from_list(
        self, TextView view, Py_ssize_t n, double alpha, RandomStream* stream, PathScratch scratch,
    ) except -1 nogil:
        """List the `n` best paths, then append a sample from them as the last path."""
        self.paths.normalize_plain(view, scratch)
        self.list_best(n, scratch)
        return scratch.paths.repeat(draw_listed(scratch.paths, alpha, stream))

    cdef int draw_many(
        self, TextView view, Py_ssize_t n, double alpha, bint replace, RandomStream* stream, PathScratch scratch,
    ) except -1 nogil:
        """Overwrite the paths with `n` samples and their scores."""
        self.paths.normalize_plain(view, scratch)
        return self.paths.sample_many(n, alpha, not replace, False, stream, scratch)

    cdef int count_expected(self, TextView view, double alpha, PathScratch scratch) except -1 nogil:
        """Append the expected counts of a text to `counts`."""
        self.paths.normalize_plain(view, scratch)
        scratch.lattice.find(self.paths.vocab, scratch.normalized.data(), <int32_t> scratch.normalized.size())
        return scratch.expectation.append_counts(self.paths.vocab, scratch.lattice, alpha, scratch.counts)

    cdef double log_prob_of_ids(
        self, TextView view, const int32_t* ids, int32_t n_ids, PathScratch scratch,
    ) except? 1.0 nogil:
        """Return the logarithm of the sum of exp(score) over the segmentations that give these ids."""
        cdef int32_t size
        self.paths.normalize_plain(view, scratch)
        size = <int32_t> scratch.normalized.size()
        scratch.lattice.find(self.paths.vocab, scratch.normalized.data(), size)
        return log_probability_of(self.paths.vocab, scratch.lattice, scratch.normalized.data(), ids, n_ids)

    cdef list segmentations(self, PathScratch scratch):
        """Return the paths as a list of (ids, score)."""
        return list(zip(self.paths.list_ids(scratch), scratch.paths.scores))

    def nbest(self, text, Py_ssize_t n):
        """Return (ids, score) of the plain encoding and the best others, `n` (at least 1) or all if fewer."""
        cdef TextView view
        self.check(False)
        view_utf8(text, &view)
        scratch = self.paths.take_scratch()
        with nogil:
            self.paths.normalize_plain(view, scratch)
            self.list_best(n, scratch)
        results = self.segmentations(scratch)
        self.paths.give_back(scratch)
        return results

    def sample(self, text, double alpha, bint drops_merges, Random random not None):
        """Return the ids of one sample. drops_merges: BPE dropout with probability alpha, as in the paper."""
        return self.sample_one(text, 0, alpha, drops_merges, random)

    def sample_listed(self, text, Py_ssize_t n, double alpha, Random random not None):
        """Return the ids of one sample from the list that `nbest` returns."""
        return self.sample_one(text, n, alpha, False, random)

    cdef list sample_one(self, object text, Py_ssize_t n, double alpha, bint drops_merges, Random random):
        """Return the ids of one sample. n: draw from the n best; 0: from all."""
        cdef TextView view
        cdef RandomStream stream
        cdef vector[int32_t] ids
        self.check(drops_merges)
        view_utf8(text, &view)
        open_stream(random.seed, random.take(1), &stream)
        scratch = self.paths.take_scratch()
        with nogil:
            if n > 0:
                self.draw_from_list(view, n, alpha, &stream, scratch)
            else:
                self.draw_one(view, alpha, drops_merges, &stream, scratch)
            scratch.paths.copy_last(scratch.tokens)
            self.encoder.emit_ids(scratch.normalized, scratch.tokens, ids)
        self.paths.give_back(scratch)
        return list_of(ids.data(), <Py_ssize_t> ids.size())

    def samples(self, text, Py_ssize_t n, double alpha, bint replace, Random random not None):
        """Return (ids, score) of `n` samples.

        replace: samples are independent; the score is the logarithm of the segmentation's probability. Otherwise they
        are different, or all if there are fewer; the score is the log-probability to be among `n` such samples.
        """
        cdef TextView view
        cdef RandomStream stream
        self.check(False)
        view_utf8(text, &view)
        open_stream(random.seed, random.take(1), &stream)
        scratch = self.paths.take_scratch()
        with nogil:
            self.draw_many(view, n, alpha, replace, &stream, scratch)
        results = self.segmentations(scratch)
        self.paths.give_back(scratch)
        return results

    def entropy(self, text, double alpha):
        """Return the entropy of the segmentations in nats."""
        cdef TextView view
        cdef double entropy
        self.check(False)
        view_utf8(text, &view)
        scratch = self.paths.take_scratch()
        with nogil:
            self.fill(view, alpha, scratch)
            entropy = scratch.sampler.entropy(scratch.lattice)
        self.paths.give_back(scratch)
        return entropy

    def log_prob(self, text):
        """Return the logarithm of the sum of exp(score) over all segmentations."""
        cdef TextView view
        cdef double log_prob
        self.check(False)
        view_utf8(text, &view)
        scratch = self.paths.take_scratch()
        with nogil:
            self.fill(view, 1.0, scratch)
            log_prob = scratch.sampler.sums[scratch.lattice.n_places]
        self.paths.give_back(scratch)
        return log_prob

    def log_prob_of(self, text, list ids not None):
        """Return the logarithm of the sum of exp(score) over the segmentations that give the ids; -inf: none."""
        cdef TextView view
        cdef vector[int32_t] wanted
        cdef double log_prob
        self.check(False)
        view_utf8(text, &view)
        for piece_id in ids:
            wanted.push_back(piece_id)
        scratch = self.paths.take_scratch()
        with nogil:
            log_prob = self.log_prob_of_ids(view, wanted.data(), <int32_t> wanted.size(), scratch)
        self.paths.give_back(scratch)
        return log_prob

    def expected_counts(self, text, double alpha):
        """Return the expected count of each piece in a sample, as {id: count above 0}.

        Each unknown character counts by itself, under the id of the unknown piece or -1 without one.
        """
        cdef TextView view
        self.check(False)
        view_utf8(text, &view)
        scratch = self.paths.take_scratch()
        with nogil:
            scratch.counts.clear()
            self.count_expected(view, alpha, scratch)
        counts = as_dict(scratch.counts.data(), scratch.counts.size())
        self.paths.give_back(scratch)
        return counts


cdef dict as_dict(const ExpectedCount* counts, size_t n_counts):
    """Return {id: count}."""
    cdef size_t i
    return {counts[i].piece_id: counts[i].count for i in range(n_counts)}


cdef inline uint64_t pack(int32_t place, int32_t n_taken, bint is_unknown) noexcept nogil:
    """Pack a state: place, number of ids up to it, whether the last edge is unknown. Earlier places sort first."""
    return <uint64_t> place << 32 | <uint64_t> n_taken << 1 | <uint64_t> is_unknown


cdef inline double add_logs(double x, double y) noexcept nogil:
    """Return log(exp(x) + exp(y)) of finite numbers."""
    return max(x, y) + log1p(exp(-fabs(x - y)))


cdef double log_probability_of(
    PathScores vocab, Lattice lattice, const uint8_t* text, const int32_t* ids, int32_t n_ids,
) except? 1.0 nogil:
    """Return the logarithm of the sum of exp(score) over the paths that give the ids; -inf: there is none.

    Several paths can give the same ids, because a run of unknown characters is one id. With byte fallback an unknown
    character is one id per byte.
    """
    cdef map[uint64_t, double] sums
    cdef vector[int32_t] leaving
    cdef const FoundEdge* found = lattice.found.data()
    cdef uint64_t state, next
    cdef int32_t unknown_id = unknown_of(vocab), i, n_taken
    cdef double score, sum, total = -HUGE_VAL
    cdef pair[map[uint64_t, double].iterator, bint] arrived
    lattice.list_leaving(leaving)
    sums.insert(pair[uint64_t, double](0, 0.0))
    while not sums.empty():
        state = dereference(sums.begin()).first
        sum = dereference(sums.begin()).second
        sums.erase(state)
        n_taken = <int32_t> ((state & <uint32_t> 0xFFFFFFFF) >> 1)
        if <int32_t> (state >> 32) == lattice.n_places:
            if n_taken == n_ids:
                total = add_logs(total, sum) if isfinite(total) else sum
            continue
        for i in range(leaving[state >> 32], leaving[(state >> 32) + 1]):
            n_taken = <int32_t> ((state & <uint32_t> 0xFFFFFFFF) >> 1)
            if not take_edge(vocab, lattice, text, found[i], ids, n_ids, state & 1, &n_taken):
                continue
            score = score_of(vocab, found[i].piece_id)
            next = pack(found[i].end, n_taken, found[i].piece_id == unknown_id)
            arrived = sums.insert(pair[uint64_t, double](next, sum + score))
            if not arrived.second:  # another path has reached this state
                dereference(arrived.first).second = add_logs(dereference(arrived.first).second, sum + score)
    return total


cdef bint take_edge(
    PathScores vocab, Lattice lattice, const uint8_t* text, FoundEdge edge, const int32_t* ids, int32_t n_ids,
    bint was_unknown, int32_t* n_taken,
) except -1 nogil:
    """Whether the next ids are the ids of the edge; if so, `n_taken` moves past them."""
    cdef vector[uint8_t] values
    cdef int32_t begin = lattice.offsets[edge.begin]
    cdef size_t i
    if edge.piece_id != unknown_of(vocab) or not vocab.segmenter.vocab.byte_fallback:
        if edge.piece_id == unknown_of(vocab) and was_unknown:
            return True  # a run of unknown characters is one id
        if n_taken[0] == n_ids or ids[n_taken[0]] != edge.piece_id:
            return False
        n_taken[0] += 1
        return True
    escape(text + begin, lattice.offsets[edge.end] - begin, vocab.segmenter.compact, values)
    for i in range(values.size()):
        if n_taken[0] == n_ids or ids[n_taken[0]] != vocab.segmenter.vocab.byte_ids[values[i]]:
            return False
        n_taken[0] += 1
    return True


cdef inline int32_t unknown_of(PathScores vocab) noexcept nogil:
    return vocab.segmenter.vocab.unknown_index
