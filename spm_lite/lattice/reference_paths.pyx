"""Normalizes a text, fills its lattice, searches or samples, and lists the paths as objects or as ids.

The public methods are at the end. Each takes spare buffers and gives them back. Header: reference_paths.pxd.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.random cimport Random, RandomStream, open_stream
from spm_lite.encode.encoder cimport SPARE_BYTES, Encoder
from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.lattice.astar cimport AStar
from spm_lite.lattice.expected_counts cimport ExpectedCounter
from spm_lite.lattice.gumbel cimport GumbelSearch
from spm_lite.lattice.kbest cimport BestSuffixes
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.lattice.path_scores cimport PathScores
from spm_lite.lattice.sampling cimport Sampler, draw_listed
from spm_lite.texts.id_lists cimport list_of
from spm_lite.texts.text_view cimport TextView, view_utf8

from spm_lite.errors import OptionError

cdef size_t SPARE_ITEMS = 1 << 18   # larger buffers are not kept; some ten megabytes
cdef int64_t MAX_PATHS = 1024   # of one search, as in SentencePiece


@cython.final
cdef class PathScratch:
    """Buffers of one call."""

    cdef size_t n_held(self) noexcept nogil:
        """The number of items allocated in buffers whose size does not follow from the text's."""
        return (
            self.lattice.edges.capacity() + self.agenda.pool.capacity() + self.gumbel.pool.capacity()
            + self.best_suffixes.suffixes.capacity() + self.paths.tokens.capacity()
        )


@cython.final
cdef class ReferencePaths:
    """N-best lists, samples and entropy of single texts under an encoder's model, by SentencePiece's rules.

    Texts are str or bytes; every method raises ArgumentTypeError for other types and TextError for a lone surrogate.
    """

    def __cinit__(self, Encoder encoder not None):
        self.encoder = encoder
        self.vocab = PathScores(encoder.segmenter)
        self.can_list = self.vocab.units != NULL
        self.can_sample = self.can_list or self.vocab.is_merging

    def __dealloc__(self):
        Py_XDECREF(self.spare.exchange(NULL))

    cdef PathScratch take_scratch(self):
        """Return the spare buffers or new ones, for one call only. A call that fails does not give them back."""
        cdef PyObject* spare = self.spare.exchange(NULL)
        if spare == NULL:
            return self.new_scratch()
        scratch = <PathScratch> spare
        Py_XDECREF(spare)
        return scratch

    cdef PathScratch new_scratch(self):
        scratch = PathScratch()
        scratch.scratch = self.encoder.segmenter.new_scratch()
        scratch.lattice = Lattice()
        scratch.agenda = AStar()
        scratch.sampler = Sampler()
        scratch.gumbel = GumbelSearch()
        scratch.best_suffixes = BestSuffixes()
        scratch.paths = PathList()
        scratch.expectation = ExpectedCounter()
        return scratch

    cdef int give_back(self, PathScratch scratch) except -1:
        """Keep buffers for the next call, unless a long text or many paths made them large."""
        if scratch.normalized.capacity() <= SPARE_BYTES and scratch.n_held() <= SPARE_ITEMS:
            Py_INCREF(scratch)
            Py_XDECREF(self.spare.exchange(<PyObject*> scratch))
        return 0

    cdef int normalize(self, TextView view, PathScratch scratch) except -1 nogil:
        return self.encoder.normalizer.normalize_into(view.data, view.size, scratch.normalized, &scratch.align)

    cdef int normalize_plain(self, TextView view, PathScratch scratch) except -1 nogil:
        """Normalize a text without its alignment."""
        return self.encoder.normalizer.normalize_into(view.data, view.size, scratch.normalized, NULL)

    cdef int fill_lattice(self, PathScratch scratch) except -1 nogil:
        """Fill the lattice of the normalized text."""
        return scratch.lattice.fill(self.vocab, scratch.normalized.data(), <int32_t> scratch.normalized.size())

    cdef int segment(self, PathScratch scratch) except -1 nogil:
        """Overwrite the paths with the plain encoding, whose score is 0."""
        scratch.paths.clear()
        self.encoder.segmenter.segment(
            scratch.normalized.data(), <int32_t> scratch.normalized.size(), scratch.scratch, scratch.paths.tokens,
        )
        return scratch.paths.close(0.0)

    cdef int search(self, int64_t n, int64_t timeout_ms, PathScratch scratch) except -1 nogil:
        """Overwrite the paths with the n-best list. An empty text has one path."""
        if n <= 1 or scratch.normalized.empty():
            return self.segment(scratch)
        self.fill_lattice(scratch)
        return scratch.agenda.search(scratch.lattice, min(n, MAX_PATHS), timeout_ms, scratch.paths)

    cdef int sample(
        self, Py_ssize_t n_candidates, double alpha, RandomStream* stream, int64_t timeout_ms, PathScratch scratch,
    ) except -1 nogil:
        """Append a sample as the last path. n_candidates: draw from the n best; below 0: from all; BPE ignores it."""
        cdef size_t chosen
        scratch.paths.clear()
        if self.vocab.is_merging:
            (<BpeSegmenter> self.encoder.segmenter).segment_at_random(
                scratch.normalized.data(), <int32_t> scratch.normalized.size(), alpha, False, stream, scratch.scratch,
                scratch.paths.tokens,
            )
            return scratch.paths.close(0.0)
        if n_candidates < 0:
            self.fill_lattice(scratch)
            scratch.sampler.fill(scratch.lattice, alpha)
            return scratch.sampler.draw(scratch.lattice, stream, scratch.paths)
        self.search(n_candidates, timeout_ms, scratch)
        chosen = draw_listed(scratch.paths, alpha, stream)
        return scratch.paths.repeat(chosen)

    cdef int sample_many(
        self, Py_ssize_t n_samples, double alpha, bint without_replacement, bint include_best, RandomStream* stream,
        PathScratch scratch,
    ) except -1 nogil:
        """Overwrite the paths with scored samples."""
        scratch.paths.clear()
        self.fill_lattice(scratch)
        scratch.sampler.fill(scratch.lattice, alpha)
        if not without_replacement:
            for _ in range(n_samples):
                scratch.sampler.draw(scratch.lattice, stream, scratch.paths)
            return 0
        if include_best and n_samples > 0:
            scratch.lattice.append_best(scratch.paths.tokens)
            scratch.paths.close(0.0)
        if n_samples > 0:
            scratch.gumbel.search(scratch.lattice, scratch.sampler, n_samples, stream, scratch.paths)
            if include_best:
                scratch.paths.drop_repeated_first(n_samples)
        return 0

    cdef int check(self, bint can) except -1:
        if not can:
            raise OptionError(f"{type(self.vocab.segmenter).__name__} makes one segmentation of a text only")
        return 0

    cdef list emit_paths(self, object text, PathScratch scratch):
        """Return the paths of `text` as a list of (EncodedText, score)."""
        cdef PathList paths = scratch.paths
        cdef list results = []
        cdef size_t i
        for i in range(paths.ends.size()):
            paths.copy(i, scratch.tokens)
            encoded = self.encoder.emit_text(text, scratch.normalized, scratch.align, scratch.tokens)
            results.append((encoded, paths.scores[i]))
            PyErr_CheckSignals()
        return results

    cdef list list_ids(self, PathScratch scratch):
        """Return a list of ids for each path in the scratch, in their order there."""
        cdef vector[int32_t] ids
        cdef list results = []
        cdef size_t i
        for i in range(scratch.paths.ends.size()):
            with nogil:
                ids.clear()
                scratch.paths.copy(i, scratch.tokens)
                self.encoder.emit_ids(scratch.normalized, scratch.tokens, ids)
            results.append(list_of(ids.data(), <Py_ssize_t> ids.size()))
            PyErr_CheckSignals()
        return results

    def nbest_limited(self, text, Py_ssize_t n, int64_t timeout_ms):
        """Return SentencePiece's n-best list, as (EncodedText, score): the `n` best, or all if there are fewer.

        n: more than 1024 counts as 1024; 1 or less: the plain encoding, with score 0. timeout_ms: milliseconds after
        which the search gives up and only the best path is returned; 0 or less: never. The search also gives up at
        500,000 hypotheses, or when its agenda would have to shrink an eleventh time.
        """
        cdef TextView view
        cdef PathScratch scratch
        self.check(self.can_list)
        view_utf8(text, &view)
        scratch = self.take_scratch()
        with nogil:
            self.normalize(view, scratch)
            self.search(n, timeout_ms, scratch)
        results = self.emit_paths(text, scratch)
        self.give_back(scratch)
        return results

    def nbest_ids(self, text, Py_ssize_t n, int64_t timeout_ms):
        """Return the ids of each segmentation in the list of `nbest_limited`."""
        cdef TextView view
        cdef PathScratch scratch
        self.check(self.can_list)
        view_utf8(text, &view)
        scratch = self.take_scratch()
        with nogil:
            self.normalize_plain(view, scratch)
            self.search(n, timeout_ms, scratch)
        results = self.list_ids(scratch)
        self.give_back(scratch)
        return results

    def sample_limited(self, text, Py_ssize_t nbest_size, double alpha, Random random not None, int64_t timeout_ms):
        """Return a random EncodedText; takes one stream of `random`.

        Unigram: drawn from all segmentations (nbest_size < 0) or from the list of `nbest_limited`, with probability
        proportional to exp(alpha * score). BPE: `alpha` is the probability that a merge is dropped when its turn comes.
        """
        cdef TextView view
        cdef RandomStream stream
        cdef PathScratch scratch
        self.check(self.can_sample)
        view_utf8(text, &view)
        open_stream(random.seed, random.take(1), &stream)
        scratch = self.take_scratch()
        with nogil:
            self.normalize(view, scratch)
            self.sample(nbest_size, alpha, &stream, timeout_ms, scratch)
            scratch.paths.copy_last(scratch.tokens)
        encoded = self.encoder.emit_text(text, scratch.normalized, scratch.align, scratch.tokens)
        self.give_back(scratch)
        return encoded

    def sample_ids(self, text, Py_ssize_t nbest_size, double alpha, Random random not None, int64_t timeout_ms):
        """Return the ids of the sample that `sample_limited` draws."""
        cdef TextView view
        cdef RandomStream stream
        cdef PathScratch scratch
        cdef vector[int32_t] ids
        self.check(self.can_sample)
        view_utf8(text, &view)
        open_stream(random.seed, random.take(1), &stream)
        scratch = self.take_scratch()
        with nogil:
            self.normalize_plain(view, scratch)
            self.sample(nbest_size, alpha, &stream, timeout_ms, scratch)
            scratch.paths.copy_last(scratch.tokens)
            self.encoder.emit_ids(scratch.normalized, scratch.tokens, ids)
        self.give_back(scratch)
        return list_of(ids.data(), <Py_ssize_t> ids.size())

    def sample_scored(
        self, text, Py_ssize_t n_samples, double alpha, bint without_replacement, bint include_best,
        Random random not None,
    ):
        """Return `n_samples` random segmentations as (EncodedText, score); takes one stream of `random`.

        The score of an independent sample is the logarithm of its probability. without_replacement: samples are
        different, or all if there are fewer; the score is the log-probability to be among `n_samples` such samples.
        include_best: the best one then comes first, with score 0, in place of its own sample or else of the last.
        """
        cdef TextView view
        cdef RandomStream stream
        cdef PathScratch scratch
        self.check(self.can_list)
        view_utf8(text, &view)
        open_stream(random.seed, random.take(1), &stream)
        scratch = self.take_scratch()
        with nogil:
            self.normalize(view, scratch)
            self.sample_many(n_samples, alpha, without_replacement, include_best, &stream, scratch)
        results = self.emit_paths(text, scratch)
        self.give_back(scratch)
        return results

    def entropy(self, text, double alpha):
        """Return the entropy of the segmentations in nats; probabilities are proportional to exp(alpha * score)."""
        cdef TextView view
        cdef PathScratch scratch
        cdef double entropy
        self.check(self.can_list)
        view_utf8(text, &view)
        scratch = self.take_scratch()
        with nogil:
            self.normalize_plain(view, scratch)
            self.fill_lattice(scratch)
            scratch.sampler.fill(scratch.lattice, alpha)
            entropy = scratch.sampler.entropy(scratch.lattice)
        self.give_back(scratch)
        return entropy
