cimport cython
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int32_t, int64_t

from spm_lite.segment.agenda cimport Agenda, PathList
from spm_lite.segment.encoder cimport SPARE_BYTES, Encoder
from spm_lite.segment.lattice cimport Lattice
from spm_lite.segment.path_vocab cimport PathVocab
from spm_lite.segment.texts cimport TextView, view_text

cdef int64_t MAX_PATHS = 1024   # of one search within the original's limits


@cython.final
cdef class PathScratch:
    """Buffers of one call."""


@cython.final
cdef class Paths:
    """N-best lists, samples and entropy of single texts under an encoder's model, by the original's rules.

    Texts are str or bytes; every method raises ArgumentTypeError for other types and TextError for a lone surrogate.
    """

    def __init__(self, Encoder encoder not None):
        self.encoder = encoder
        self.vocab = PathVocab(encoder.segmenter)
        self.can_sample = self.vocab.units != NULL
        self.can_list = self.can_sample and not self.vocab.is_merging

    def __dealloc__(self):
        Py_XDECREF(self.spare.exchange(NULL))

    cdef PathScratch take_scratch(self):
        """The spare buffers, or new ones: a call has them for itself."""
        cdef PyObject* spare = self.spare.exchange(NULL)
        if spare == NULL:
            scratch = PathScratch()
            scratch.scratch = self.encoder.segmenter.new_scratch()
            scratch.lattice = Lattice()
            scratch.agenda = Agenda()
            scratch.paths = PathList()
            return scratch
        scratch = <PathScratch> spare
        Py_XDECREF(spare)
        return scratch

    cdef int give_back(self, PathScratch scratch) except -1:
        """Keep buffers for the next call, unless a text made them large."""
        if scratch.normalized.capacity() <= SPARE_BYTES and scratch.agenda.pool.capacity() <= SPARE_BYTES:
            Py_INCREF(scratch)
            Py_XDECREF(self.spare.exchange(<PyObject*> scratch))
        return 0

    cdef int normalize(self, TextView view, PathScratch scratch) except -1 nogil:
        return self.encoder.normalizer.normalize_into(view.data, view.size, scratch.normalized, &scratch.align)

    cdef int fill_lattice(self, PathScratch scratch) except -1 nogil:
        """The lattice of the normalized text."""
        return scratch.lattice.fill(self.vocab, scratch.normalized.data(), <int32_t> scratch.normalized.size())

    cdef int segment(self, PathScratch scratch) except -1 nogil:
        """Let the plain encoding, with score 0, be the only path."""
        scratch.paths.clear()
        self.encoder.segmenter.segment(
            scratch.normalized.data(), <int32_t> scratch.normalized.size(), scratch.scratch, scratch.paths.tokens,
        )
        return scratch.paths.close(0.0)

    cdef list emit_paths(self, object text, PathScratch scratch):
        """The paths of `text` as (EncodedText, score)."""
        cdef PathList paths = scratch.paths
        cdef list results = []
        cdef size_t i
        for i in range(paths.ends.size()):
            scratch.tokens.assign(
                paths.tokens.begin() + paths.begin(i), paths.tokens.begin() + paths.ends[i]
            )
            encoded = self.encoder.emit_text(text, scratch.normalized, scratch.align, scratch.tokens)
            results.append((encoded, paths.scores[i]))
        return results

    def nbest_limited(self, text, Py_ssize_t n, int64_t timeout_ms):
        """The `n` best segmentations as (EncodedText, score), or all there are: the original's list, order, scores.

        n: up to 1024, more counts as 1024; 1 or less: the plain encoding, with score 0. timeout_ms: after that many
        milliseconds the search gives up, and only the best path is returned; 0 or less: never. It also gives up when
        it has made 500,000 hypotheses or has shrunk its agenda ten times.
        """
        cdef TextView view
        cdef PathScratch scratch = self.take_scratch()
        view_text(text, None, &view)
        with nogil:
            self.normalize(view, scratch)
            if n <= 1 or scratch.normalized.empty():
                self.segment(scratch)
            else:
                self.fill_lattice(scratch)
                scratch.agenda.search(scratch.lattice, min(<int64_t> n, MAX_PATHS), timeout_ms, scratch.paths)
        results = self.emit_paths(text, scratch)
        self.give_back(scratch)
        return results
