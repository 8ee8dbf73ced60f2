cimport cython
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport Random, Stream, open_stream
from spm_lite.encode.encoder cimport Encoder
from spm_lite.ids.lists cimport list_of
from spm_lite.lattice.expected_counts cimport ExpectedCount
from spm_lite.lattice.ids_probability cimport log_probability_of
from spm_lite.lattice.path_scores cimport score_of
from spm_lite.lattice.reference_paths cimport Paths, PathScratch
from spm_lite.lattice.sampling cimport draw_listed
from spm_lite.segment.bpe cimport BpeSegmenter
from spm_lite.texts.text_view cimport TextView, view_utf8

from spm_lite.errors import OptionError


@cython.final
cdef class Distribution:
    """Every segmentation with a probability that grows as exp(alpha * score); see `PathVocab` for the scores.

    The caller checks ranges. Each method raises OptionError for a model type with one segmentation only.
    """

    def __init__(self, Encoder encoder not None):
        self.encoder = encoder
        self.paths = Paths(encoder)
        self.paths.vocab.rank_pieces()

    def check(self, bint merges):
        """Raise OptionError unless the model has several segmentations; merges: unless it is a BPE model."""
        if merges and not self.paths.vocab.is_merging:
            raise OptionError("dropout leaves out merges, which only BPE models have: pass alpha instead")
        if not self.paths.can_sample:
            raise OptionError("the model makes one segmentation of a text only: unigram and BPE models have several")

    cdef int fill(self, TextView view, double alpha, PathScratch scratch) except -1 nogil:
        """The lattice of a text, summed up."""
        self.paths.normalize_plain(view, scratch)
        self.paths.fill_lattice(scratch)
        return scratch.sampler.fill(scratch.lattice, alpha)

    cdef int list_best(self, Py_ssize_t n, PathScratch scratch) except -1 nogil:
        """Let the paths be the plain encoding of the normalized text and the best others, `n` together."""
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
        """Sum of the scores of the tokens that are the only path so far."""
        cdef double score = 0
        cdef size_t i
        for i in range(scratch.paths.tokens.size()):
            score += score_of(self.paths.vocab, scratch.paths.tokens[i].piece_id)
        return score

    cdef int draw_one(
        self, TextView view, double alpha, bint drops_merges, Stream* stream, PathScratch scratch,
    ) except -1 nogil:
        """Let the only path be a sample."""
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
        self, TextView view, Py_ssize_t n, double alpha, Stream* stream, PathScratch scratch,
    ) except -1 nogil:
        """Let the last path be a sample from the list of `n` best."""
        self.paths.normalize_plain(view, scratch)
        self.list_best(n, scratch)
        return scratch.paths.repeat(draw_listed(scratch.paths, alpha, stream))

    cdef int draw_many(
        self, TextView view, Py_ssize_t n, double alpha, bint replace, Stream* stream, PathScratch scratch,
    ) except -1 nogil:
        """Let the paths be scored samples."""
        self.paths.normalize_plain(view, scratch)
        return self.paths.sample_many(n, alpha, not replace, False, stream, scratch)

    cdef int count_expected(self, TextView view, double alpha, PathScratch scratch) except -1 nogil:
        """Append to `counts` what is expected of each piece."""
        self.paths.normalize_plain(view, scratch)
        scratch.lattice.find(self.paths.vocab, scratch.normalized.data(), <int32_t> scratch.normalized.size())
        return scratch.expectation.append_counts(self.paths.vocab, scratch.lattice, alpha, scratch.counts)

    cdef double log_prob_of_ids(
        self, TextView view, const int32_t* ids, int32_t n_ids, PathScratch scratch,
    ) except? 1.0 nogil:
        """Logarithm of the sum over the segmentations that become these ids."""
        cdef int32_t size
        self.paths.normalize_plain(view, scratch)
        size = <int32_t> scratch.normalized.size()
        scratch.lattice.find(self.paths.vocab, scratch.normalized.data(), size)
        return log_probability_of(self.paths.vocab, scratch.lattice, scratch.normalized.data(), ids, n_ids)

    cdef list segmentations(self, PathScratch scratch):
        """The paths as (ids, score)."""
        return list(zip(self.paths.list_ids(scratch), scratch.paths.scores))

    def nbest(self, text, Py_ssize_t n):
        """(ids, score) of the plain encoding and the best other segmentations, `n` (at least 1) or all there are."""
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
        """The ids of one sample. drops_merges: alpha is the probability that a merge is dropped, as in the paper."""
        return self.sample_one(text, 0, alpha, drops_merges, random)

    def sample_listed(self, text, Py_ssize_t n, double alpha, Random random not None):
        """The ids of one sample from the list of `nbest`."""
        return self.sample_one(text, n, alpha, False, random)

    cdef list sample_one(self, object text, Py_ssize_t n, double alpha, bint drops_merges, Random random):
        """The ids of one sample. n: from the n best; 0: from all."""
        cdef TextView view
        cdef Stream stream
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
        """(ids, score) of `n` samples: independent ones, with the logarithm of their probability as score, or
        different ones, at most all there are, with that of the probability to be among so many.
        """
        cdef TextView view
        cdef Stream stream
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
        """Entropy of the segmentations in nats."""
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
        """Logarithm of the sum over all segmentations of exp(score)."""
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
        """The same over those that become these ids; -inf where there is none."""
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
        """How often each piece is expected in a sample: {id: count above 0}; unknown characters count each by itself,
        under the id of the unknown piece, -1 without one.
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
    """{id: count}."""
    cdef size_t i
    return {counts[i].piece_id: counts[i].count for i in range(n_counts)}
