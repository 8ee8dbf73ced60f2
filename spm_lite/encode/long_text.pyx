"""`take` cuts off the next part, `encode` finds its ids on any thread, and `add` joins them in order.

With Unigram, `confirm` encodes those speculative runs again that the true score makes invalid. Header: long_text.pxd.
"""

cimport cython
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from spm_lite.encode.chunks.chunk_cutter cimport start_at


@cython.final
cdef class BatchPart:
    """The texts and ids of one part of a batch; reused for the next part."""

    def __cinit__(self):
        self.ids = Int32Array()
        self.block = TextBlock()


cdef enum:
    CHAR_BYTES = 4


@cython.final
cdef class LongText:
    """The state shared by threads that encode a long text together; reused for the next long text.

    With Unigram, a part is encoded speculatively, before the score of the text before it is known. Most of its ids do
    not depend on that score; `confirm` encodes the others again when the part is due.
    """

    def __cinit__(self, ChunkEncoder chunks or None, NormalizedText source not None, Int32Array ids not None):
        self.chunks = chunks
        self.source = source
        self.ids = ids

    cdef bint start(self, const TextView* view, Py_ssize_t index) except -1 nogil:
        """Open a text, whose parts come next; False: it cannot be normalized in parts."""
        self.n_parts = 0
        self.n_searched = 0
        self.is_open = self.chunks is not None and self.source.start(view, index)
        return self.is_open

    cdef int take(self, BatchPart part) except -1 nogil:
        """Fill `part` with the next part of the open text, or set `is_refused` if the text cannot come in parts."""
        cdef int32_t size, end = 0
        while end == 0 and self.is_open:
            size = self.source.add_part()
            if size < 0:
                self.is_refused = True
                self.is_open = False
                return 0
            if self.source.is_whole():
                self.is_open = False
                end = size
            elif size >= PART_BYTES:
                end = self.chunks.cutter.last_cut(self.source.bytes.data(), size, self.n_searched)
                self.n_searched = max(0, size - <int32_t> CHAR_BYTES)  # the character after the last is not known yet
        self.n_searched = 0
        self.source.hand_over(part.text, end)
        part.size = end
        part.is_first = self.n_parts == 0
        part.is_last = not self.is_open
        self.n_parts += 1
        return 0

    cdef int encode(self, BatchPart part, ChunkScratch scratch) except -1 nogil:
        """Fill `part.ids`. scratch: buffers of this thread."""
        if self.chunks.unigram is None:
            scratch.start()
            return self.chunks.encode_part(part.text.data(), part.size, scratch, part.ids, part.ids.size)
        self.chunks.encode_speculatively(part.text.data(), part.size, scratch, part.ids)
        part.runs.swap(scratch.runs)
        return 0

    cdef void begin_ids(self) noexcept nogil:
        """Start anew with score and counts: the ids of another text follow."""
        self.n_first = self.ids.size
        self.n_counted = 0
        self.score = RunningScore(0.0, 0, 0.0)
        self.was_unknown = False

    cdef int add(self, BatchPart part, ChunkScratch scratch, bint is_counting) except -1 nogil:
        """Add the ids of the part that is due. scratch: buffers of this thread. is_counting: count ids, keep none."""
        if self.chunks.unigram is None:
            self.add_merged(part)
        else:
            scratch.start()
            scratch.score, scratch.was_unknown = self.score, self.was_unknown
            scratch.is_counting = is_counting
            self.confirm(part, scratch)
            if is_counting:
                self.n_counted += scratch.n_counted
                self.chunks.solver.add_scores(scratch, self.ids.data, self.ids.size)
                scratch.score.n_added = 0
            self.score, self.was_unknown = scratch.score, scratch.was_unknown
        if is_counting:
            self.n_counted += <int64_t> self.ids.size
            self.ids.size = 0
        return 0

    cdef int64_t n_ids(self) noexcept nogil:
        """Return the number of ids of the text so far."""
        return self.n_counted + <int64_t> (self.ids.size - self.n_first)

    cdef int add_merged(self, BatchPart part) except -1 nogil:
        """Add ids that are final; a run of unknown characters across the cut becomes one id."""
        cdef int32_t unknown = self.chunks.solver.segmenter.vocab.unknown_index
        cdef size_t n_shared = 0
        if part.ids.size == 0:
            return 0
        if self.chunks.solver.fallback.merges_unknown:
            n_shared = self.was_unknown and part.ids.data[0] == unknown
            self.was_unknown = part.ids.data[part.ids.size - 1] == unknown
        return self.ids.append(part.ids.data + n_shared, part.ids.size - n_shared)

    cdef int confirm(self, BatchPart part, ChunkScratch scratch) except -1 nogil:
        """Add speculative ids, now that the score before them is known; runs that it invalidates are encoded again."""
        cdef const SpeculativeRun* run
        cdef int32_t begin = 0
        cdef size_t first_id = 0, n_ids, k
        for k in range(part.runs.size()):
            run = &part.runs[k]
            n_ids = run.last_id - first_id
            if n_ids == 0:
                self.chunks.solver.solve_exactly(
                    part.text.data() + begin, run.end - begin, scratch, self.ids, self.n_first,
                )
            elif not self.is_confirmed(run, n_ids, scratch):
                start_at(&scratch.cut, begin)
                self.chunks.encode_part(part.text.data(), run.end, scratch, self.ids, self.n_first)
            elif run.n_unknown:
                self.add_unknown(part.ids.data + first_id, n_ids, run.n_unknown, scratch)
            else:
                self.ids.append(part.ids.data + first_id, n_ids)
                scratch.was_unknown = False
                scratch.score.bound += self.chunks.solver.greatest_sum(n_ids)
            begin, first_id = run.end, run.last_id
        return 0

    cdef bint is_confirmed(self, const SpeculativeRun* run, size_t n_ids, ChunkScratch scratch) noexcept nogil:
        """Whether the absolute score before each chunk of a run is surely below the run's limit."""
        cdef double sum = self.chunks.solver.greatest_sum(<size_t> run.n_unknown if run.n_unknown else n_ids)
        if not scratch.score.bound + sum < run.limit:
            self.chunks.solver.add_scores(scratch, self.ids.data + self.n_first, self.ids.size - self.n_first)
        return scratch.score.bound + sum < run.limit

    cdef int add_unknown(
        self, const int32_t* ids, size_t n_ids, int32_t n_unknown, ChunkScratch scratch,
    ) except -1 nogil:
        """Add the ids of a run of unknown characters; without byte fallback, one for the whole run across chunks."""
        cdef double exact
        self.chunks.solver.add_scores(scratch, self.ids.data + self.n_first, self.ids.size - self.n_first)
        exact = scratch.score.exact
        for _ in range(n_unknown):
            exact = self.chunks.unigram.add(self.chunks.unigram.unknown_score, exact)
        if self.chunks.solver.fallback.merges_unknown:
            n_ids = 0 if scratch.was_unknown else 1
            scratch.was_unknown = True
        self.ids.append(ids, n_ids)
        scratch.score = RunningScore(exact, self.ids.size - self.n_first, fabs(exact))
        return 0
