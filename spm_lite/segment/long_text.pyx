cimport cython
from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from spm_lite.segment.chunks cimport SIGNAL_BYTES
from spm_lite.segment.workers cimport run_workers

cdef enum Amounts:
    CHAR_BYTES = 4


@cython.final
cdef class TextPart:
    """A part of a long text, and its ids."""

    def __cinit__(self):
        self.ids = Int32Array()


@cython.final
cdef class LongText:
    """What the threads share that encode a text: where its next part comes from, and where the ids of all go.

    A part of a Unigram model's text is encoded before the score in front of it is known: most of its ids are the same
    whatever that is, and `settle` sees to the others when the part is due.
    """

    cdef bint take(self, TextPart part) except -1 nogil:
        """Let `part` be the next; False: there is none, or somebody has stopped."""
        cdef SourceLock lock
        cdef int32_t size = 0, end = 0
        lock.take(&self.turns)
        while end == 0:
            if self.is_over or self.turns.n_stopped.load():
                return False
            size = self.source.add_part()
            if size < 0:
                self.is_over = self.is_refused = True
            elif self.source.is_whole():
                self.is_over = True
                end = size
            elif size >= PART_BYTES:
                end = self.chunks.last_cut(self.source.bytes.data(), size, self.n_searched)
                self.n_searched = max(0, size - <int32_t> CHAR_BYTES)  # what follows the last character is not known
        self.n_searched = 0
        self.source.hand_over(part.text, end)
        part.size = end
        part.number = self.n_taken
        self.n_taken += 1
        return True

    cdef int add(self, TextPart part, ChunkScratch scratch) except -1 nogil:
        """Add the ids of the part that is due, and let the next be due. scratch: of the thread."""
        if self.chunks.unigram is None:
            self.add_merged(part)
        else:
            scratch.start()
            scratch.score, scratch.was_unknown = self.score, self.was_unknown
            self.settle(part, scratch)
            if self.is_counting:
                self.chunks.add_scores(scratch, self.ids.data, self.ids.size)
                scratch.score.n_added = 0
            self.score, self.was_unknown = scratch.score, scratch.was_unknown
        if self.is_counting:
            self.n_counted += <int64_t> self.ids.size
            self.ids.size = 0
        part.ids.size = 0
        part.is_waiting = False
        self.turns.due.store(part.number + 1)
        return 0

    cdef int add_merged(self, TextPart part) except -1 nogil:
        """Add ids that hold; a run of unknown characters across the cut stays one id."""
        cdef int32_t unknown = self.chunks.segmenter.vocab.unknown_index
        cdef size_t n_shared = 0
        if part.ids.size == 0:
            return 0
        if self.chunks.emitter.merges_unknown:
            n_shared = self.was_unknown and part.ids.data[0] == unknown
            self.was_unknown = part.ids.data[part.ids.size - 1] == unknown
        return self.ids.append(part.ids.data + n_shared, part.ids.size - n_shared)

    cdef int settle(self, TextPart part, ChunkScratch scratch) except -1 nogil:
        """Add ids that may not hold, now that the score in front of them is known: find those anew that do not."""
        cdef const Stretch* stretch
        cdef int32_t begin = 0
        cdef size_t first_id = 0, n_ids, k
        for k in range(part.stretches.size()):
            stretch = &part.stretches[k]
            n_ids = stretch.last_id - first_id
            if n_ids == 0:
                self.chunks.append_exactly(
                    part.text.data() + begin, stretch.end - begin, scratch, self.ids, self.n_first,
                )
            elif not self.holds(stretch, n_ids, scratch):
                self.chunks.append_between(part.text.data(), begin, stretch.end, scratch, self.ids, self.n_first)
            elif stretch.n_unknown:
                self.add_unknown(part.ids.data + first_id, n_ids, stretch.n_unknown, scratch)
            else:
                self.ids.append(part.ids.data + first_id, n_ids)
                scratch.was_unknown = False
                scratch.score.bound += self.chunks.greatest_sum(n_ids)
            begin, first_id = stretch.end, stretch.last_id
        return 0

    cdef bint holds(self, const Stretch* stretch, size_t n_ids, ChunkScratch scratch) noexcept nogil:
        """Whether the score in front of each chunk of a stretch is below its limit."""
        cdef double sum = self.chunks.greatest_sum(n_ids)
        if not scratch.score.bound + sum < stretch.limit:
            self.chunks.add_scores(scratch, self.ids.data + self.n_first, self.ids.size - self.n_first)
        return scratch.score.bound + sum < stretch.limit

    cdef int add_unknown(
        self, const int32_t* ids, size_t n_ids, int32_t n_unknown, ChunkScratch scratch,
    ) except -1 nogil:
        """Add the ids of unknown characters, or one for all of them and those in front."""
        cdef float exact
        self.chunks.add_scores(scratch, self.ids.data + self.n_first, self.ids.size - self.n_first)
        exact = scratch.score.exact
        for _ in range(n_unknown):
            exact = self.chunks.unigram.unknown_score + exact
        if self.chunks.emitter.merges_unknown:
            n_ids = 0 if scratch.was_unknown else 1
            scratch.was_unknown = True
        self.ids.append(ids, n_ids)
        scratch.score = RunningScore(exact, self.ids.size - self.n_first, fabs(exact))
        return 0


@cython.final
cdef class PartWorker(Worker):
    """Encodes one part of a text after the other, and adds the ids of each when it is due."""

    def __cinit__(self):
        self.one = TextPart()
        self.other = TextPart()

    cdef int work(self) except -1 nogil:
        cdef Presence presence
        presence.enter(&self.text.turns)
        while self.encode_next(self.one, self.other) and self.encode_next(self.other, self.one):
            pass
        if self.one.number < self.other.number:
            self.add_in_turn(self.one)
            self.add_in_turn(self.other)
        else:
            self.add_in_turn(self.other)
            self.add_in_turn(self.one)
        presence.leave()
        return 0

    cdef bint encode_next(self, TextPart part, TextPart before) except -1 nogil:
        """Encode the next part; False: there is none, or somebody has stopped. before: what was taken last."""
        if not self.add_in_turn(part) or not self.text.take(part):
            return False
        self.encode(part)
        if self.text.turns.n_stopped.load():
            return False
        part.is_waiting = True
        self.add_if_due(before)
        self.add_if_due(part)
        return True

    cdef int encode(self, TextPart part) except -1 nogil:
        self.n_unchecked += part.size
        if self.n_unchecked > SIGNAL_BYTES:
            self.n_unchecked = 0
            self.text.chunks.is_stopped(self.scratch)
        if self.text.chunks.unigram is None:
            return self.text.chunks.append_ids(part.text.data(), part.size, self.scratch, part.ids)
        self.text.chunks.append_ahead(part.text.data(), part.size, self.scratch, part.ids)
        part.stretches.swap(self.scratch.stretches)
        return 0

    cdef int add_if_due(self, TextPart part) except -1 nogil:
        if part.is_waiting and self.text.turns.due.load() == part.number:
            self.text.add(part, self.scratch)
        return 0

    cdef bint add_in_turn(self, TextPart part) except -1 nogil:
        """Add what waits as soon as it is due; False: somebody has stopped."""
        if not part.is_waiting:
            return True
        if not self.text.turns.wait(part.number):
            return False
        self.text.add(part, self.scratch)
        return True


cdef bint is_for_all(ChunkEncoder chunks, int64_t size, int64_t total, Py_ssize_t n_workers):
    """Whether a text of `size` bytes, of `total` in a block, is for several workers. chunks: None: texts are not cut.

    Else one worker does it alone, beside others that have as much to do.
    """
    return n_workers > 1 and size >= LONG_BYTES and 2 * n_workers * size > total and chunks is not None


cdef int64_t add_long_text(
    ChunkEncoder chunks, NormalizedText source, list scratches, Int32Array ids, bint is_counting,
) except -2:
    cdef LongText text = LongText()
    cdef PartWorker worker
    cdef ChunkScratch scratch
    cdef list workers = []
    text.chunks = chunks
    text.source = source
    text.ids = ids
    text.n_first = ids.size
    text.is_counting = is_counting
    for scratch in scratches:
        worker = PartWorker()
        worker.text = text
        worker.scratch = scratch
        scratch.n_stopped = &text.turns.n_stopped
        workers.append(worker)
    try:
        run_workers(workers)
    finally:
        for scratch in scratches:
            scratch.n_stopped = NULL
    if text.is_refused:
        ids.size = text.n_first
        return -1
    return text.n_counted + <int64_t> (ids.size - text.n_first)
