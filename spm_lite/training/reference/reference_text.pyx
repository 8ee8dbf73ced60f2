"""Marks unknown characters, cuts the text into parts, and counts words or seed segments on several threads.

Header: reference_text.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport TaskThread, run_tasks
from spm_lite.base.unicode.space_mark cimport MARK_POINT
from spm_lite.base.unicode.utf8 cimport read_char
from spm_lite.training.counts.chunk_table cimport Chunk, ChunkTable
from spm_lite.training.counts.cut_rules cimport rules_from_spec
from spm_lite.training.counts.piece_rules cimport NEVER, PieceRules, class_of, is_cut
from spm_lite.training.trainer_interface cimport Alphabet

cdef enum:
    N_CODE_POINTS = 0x110000
    MARK_LEAD = 0xE2            # the first byte of U+2585

cdef enum:
    SENTENCES_PER_TASK = 1 << 12


cdef ReferenceText load_text(ChunkTable sentences, Alphabet alphabet, object spec):
    """Return the text of sentences in reading order. Sentences and alphabet are not changed."""
    cdef ReferenceText text = ReferenceText()
    cdef size_t i
    text.sentences = sentences
    text.rules = rules_from_spec(spec, True)
    text.part_size = <uint64_t> 500 << 20
    refill(text.classes, N_CODE_POINTS, NEVER)
    for i in range(alphabet.code_points.size()):
        text.classes[alphabet.code_points[i]] = class_of(&text.rules, alphabet.code_points[i])
    return text


@cython.final
cdef class ReferenceText:
    """Sentences in which each character outside the alphabet, and each boundary, counts as U+2585."""

    cdef int mark(self, size_t sentence, vector[uint8_t]& marked) except -1 nogil:
        """Fill `marked` with a sentence, with U+2585 for each unknown character and boundary."""
        cdef Chunk chunk = self.sentences.chunks[sentence]
        cdef const uint8_t* text = self.sentences.texts.data() + chunk.begin
        cdef const uint8_t* end = text + chunk.size
        cdef uint32_t code_point = 0
        cdef int32_t step
        marked.clear()
        while text < end:
            step = read_char(text, end - text, &code_point)
            if step == 0 or self.classes[code_point] == NEVER:
                marked.push_back(MARK_LEAD)
                marked.push_back(0x96)
                marked.push_back(0x85)
            else:
                marked.insert(marked.end(), text, text + step)
            text += max(step, 1)
        return 0

    cdef TextPart next_part(self, size_t begin) noexcept nogil:
        """Return the part of the text for seeds that starts with sentence `begin`.

        This text holds each sentence, followed by NUL, as often as its count. A part ends as soon as it has
        `part_size` bytes; the remaining repeats of its last sentence are left out.
        """
        cdef const Chunk* chunks = self.sentences.chunks.data()
        cdef size_t n = self.sentences.chunks.size()
        cdef TextPart part = TextPart(begin, n, chunks[n - 1].count)
        cdef uint64_t size = 0, step, n_repeats
        while begin < n and size < self.part_size:
            # An upper bound of the size comes first: it mostly shows that there is only one part.
            size += min(chunks[begin].count, self.part_size) * (3 * <uint64_t> chunks[begin].size + 1)
            begin += 1
        if size < self.part_size:
            return part
        begin, size = part.begin, 0
        while begin < n and size < self.part_size:
            step = self.marked_size(begin) + 1
            n_repeats = min(chunks[begin].count, (self.part_size - size + step - 1) // step)
            size += n_repeats * step
            begin += 1
            part.end = begin
            part.n_last = n_repeats
        return part

    cdef uint64_t marked_size(self, size_t sentence) noexcept nogil:
        """Return the bytes of a sentence as `mark` fills it."""
        cdef Chunk chunk = self.sentences.chunks[sentence]
        cdef const uint8_t* text = self.sentences.texts.data() + chunk.begin
        cdef const uint8_t* end = text + chunk.size
        cdef uint32_t code_point = 0
        cdef int32_t step
        cdef uint64_t size = 0
        while text < end:
            step = read_char(text, end - text, &code_point)
            size += 3 if step == 0 or self.classes[code_point] == NEVER else step
            text += max(step, 1)
        return size

    cdef uint8_t first_byte(self, size_t sentence) noexcept nogil:
        """Return the first byte of a sentence as `mark` fills it."""
        cdef Chunk chunk = self.sentences.chunks[sentence]
        cdef const uint8_t* text = self.sentences.texts.data() + chunk.begin
        cdef uint32_t code_point = 0
        if read_char(text, chunk.size, &code_point) == 0 or self.classes[code_point] == NEVER:
            return MARK_LEAD
        return text[0]


@cython.final
cdef class SentenceCounter:
    """The words, or the segments, that one thread counts."""

    cdef ReferenceText text
    cdef ChunkTable table
    cdef vector[uint8_t] buffer

    def __cinit__(self, ReferenceText text):
        self.text = text
        self.table = ChunkTable()

    cdef int add_words(self, size_t begin, size_t end) except -1 nogil:
        """Count the words of sentences [begin, end)."""
        cdef size_t i
        for i in range(begin, end):
            self.text.mark(i, self.buffer)
            add_words(
                &self.text.rules, self.buffer.data(), <uint32_t> self.buffer.size(),
                self.text.sentences.chunks[i].count, self.table,
            )
        return 0

    cdef int add_segments(self, const TextPart* part, size_t begin, size_t end) except -1 nogil:
        """Count the segments of sentences [begin, end) of a part."""
        cdef size_t i
        for i in range(begin, end):
            if i + 1 == part.end:
                self.cut_segments(i, part.n_last, True)
            else:
                self.cut_segments(i, self.text.sentences.chunks[i].count, False)
        return 0

    cdef int cut_segments(self, size_t sentence, uint64_t n_repeats, bint is_last) except -1 nogil:
        """Count the segments of one sentence. is_last: it is the last of its part."""
        cdef Chunk chunk = self.text.sentences.chunks[sentence]
        cdef const uint8_t* text = self.text.sentences.texts.data() + chunk.begin
        cdef const uint8_t* end = text + chunk.size
        cdef const uint8_t* classes = self.text.classes.data()
        cdef uint8_t left = NEVER, right
        cdef uint32_t code_point = 0
        cdef int32_t step
        self.buffer.clear()
        while text < end:
            step = read_char(text, end - text, &code_point)
            right = NEVER if step == 0 else classes[code_point]
            if not self.buffer.empty() and is_cut(&self.text.rules, left, right):
                self.end_segment(MARK_LEAD if right == NEVER else text[0], n_repeats)
            if right != NEVER:
                self.buffer.insert(self.buffer.end(), text, text + step)
            left = right
            text += max(step, 1)
        if not self.buffer.empty():
            self.end_sentence(sentence, n_repeats, is_last)
        return 0

    cdef int end_segment(self, uint8_t follower, uint64_t count) except -1 nogil:
        """Count the current segment with the byte `follower` that follows it, and start a new one."""
        self.buffer.push_back(follower)
        self.table.add(self.buffer.data(), <uint32_t> self.buffer.size(), count)
        self.buffer.clear()
        return 0

    cdef int end_sentence(self, size_t sentence, uint64_t n_repeats, bint is_last) except -1 nogil:
        """Count the current segment, which ends its sentence, with NUL and the first byte of the next sentence."""
        self.buffer.push_back(0)
        if n_repeats > 1:
            self.buffer.push_back(self.text.first_byte(sentence))
            self.table.add(self.buffer.data(), <uint32_t> self.buffer.size(), n_repeats - 1)
            self.buffer.pop_back()
        if is_last:
            self.table.add(self.buffer.data(), <uint32_t> self.buffer.size(), 1)
            return 0
        return self.end_segment(self.text.first_byte(sentence + 1), 1)


cdef struct CountJob:
    # The data that the tasks of one call share. A task counts SENTENCES_PER_TASK sentences.
    void** counters         # per thread: a SentenceCounter, borrowed
    TextPart part
    bint by_words           # count words, not segments


cdef int count_block(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    cdef CountJob* job = <CountJob*> job_pointer
    cdef size_t begin = job.part.begin + <size_t> task * SENTENCES_PER_TASK
    cdef size_t end = min(begin + SENTENCES_PER_TASK, job.part.end)
    with gil:
        counter = <SentenceCounter> job.counters[worker.index]
    if job.by_words:
        return counter.add_words(begin, end)
    return counter.add_segments(&job.part, begin, end)


cdef ChunkTable count_all(ReferenceText text, TextPart part, bint by_words, uint32_t n_threads):
    """Return the words or segments of one part of the text, in order of arrival."""
    cdef CountJob job
    cdef vector[void*] counters
    cdef ChunkTable table, other
    cdef SentenceCounter counter
    shares = [SentenceCounter(text) for _ in range(n_threads)]
    for counter in shares:
        counters.push_back(<void*> counter)
    job = CountJob(counters.data(), part, by_words)
    run_tasks(count_block, &job, <uint32_t> ((part.end - part.begin) // SENTENCES_PER_TASK + 1), n_threads)
    table = (<SentenceCounter> shares[0]).table
    for counter in shares[1:]:
        other = counter.table
        with nogil:
            table.add_all(other)
            other.clear()
    return table


cdef ChunkTable count_words(ReferenceText text, uint32_t n_threads):
    """Return the words of all sentences, in canonical order."""
    cdef TextPart whole = TextPart(0, text.sentences.chunks.size(), 0)
    cdef ChunkTable words = count_all(text, whole, True, n_threads)
    with nogil:
        words.sort()
    return words


cdef ChunkTable count_segments(ReferenceText text, TextPart part, uint32_t n_threads):
    """Return the segments of one part of the text: strings whose ends no seed can cross.

    A key of the table is a segment and the byte that follows it. If that is NUL, the byte after NUL comes too, except
    at the end of the part.
    """
    return count_all(text, part, False, n_threads)


cdef int add_words(
    const PieceRules* rules, const uint8_t* text, uint32_t size, uint64_t count, ChunkTable words,
) except -1 nogil:
    """Count the words of one sentence: each begins with a space mark, or ends with one in suffix mode.

    With whitespace_only, a run of space marks stays together.
    """
    cdef uint32_t begin = 0, pos = 0, here
    cdef int32_t step
    cdef uint32_t code_point = 0
    cdef bint was_space = False, is_space
    while pos < size:
        here = pos
        step = read_char(text + pos, size - pos, &code_point)
        is_space = code_point == MARK_POINT
        pos += step
        if rules.suffix:
            # The end of a word is known one character later, since a run of space marks may go on.
            if was_space and not (is_space and rules.whitespace_only):
                words.add(text + begin, here - begin, count)
                begin = here
        elif is_space and here > begin and not (was_space and rules.whitespace_only):
            words.add(text + begin, here - begin, count)
            begin = here
        was_space = is_space
    if begin < size:
        words.add(text + begin, size - begin, count)
    return 0
