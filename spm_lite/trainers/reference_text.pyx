cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.normalize.utf8 cimport read_char
from spm_lite.trainers.counts cimport Chunk, CountTable
from spm_lite.trainers.trainer cimport Alphabet
from spm_lite.trainers.validity cimport NEVER, PieceRules, class_of, is_cut, rules_from_spec


cdef enum Unicode:
    N_CODE_POINTS = 0x110000
    SPACE_CODE_POINT = 0x2581
    MARK_LEAD = 0xE2            # the first byte of U+2585

cdef uint64_t SEED_TEXT_SIZE = <uint64_t> 500 << 20     # bytes; the original looks for seeds in parts of this size


cdef ReferenceText load_text(CountTable sentences, Alphabet alphabet, object spec):
    """sentences: in reading order. They and the alphabet are not changed."""
    cdef ReferenceText text = ReferenceText()
    cdef size_t i
    text.sentences = sentences
    text.rules = rules_from_spec(spec, True)
    text.classes.assign(N_CODE_POINTS, NEVER)
    for i in range(alphabet.code_points.size()):
        text.classes[alphabet.code_points[i]] = class_of(&text.rules, alphabet.code_points[i])
    return text


@cython.final
cdef class ReferenceText:
    """Everything outside the alphabet, boundaries included, counts as U+2585."""

    cdef int mark(self, size_t sentence, vector[uint8_t]& marked) except -1 nogil:
        """Let `marked` be a sentence with its U+2585."""
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

    cdef int count_words(self, CountTable words) except -1 nogil:
        """Count the parts into which spaces cut the sentences, in canonical order."""
        cdef vector[uint8_t] marked
        cdef size_t i
        for i in range(self.sentences.chunks.size()):
            self.mark(i, marked)
            add_words(&self.rules, marked.data(), <uint32_t> marked.size(), self.sentences.chunks[i].count, words)
        return words.sort()

    cdef size_t count_segments(self, size_t begin, CountTable segments) except? 0 nogil:
        """Count the parts that no seed leaves, from sentence `begin` on; returns where the next part of the text begins.

        The text is the sentences, each followed by NUL, and repeated as often as it counts: but a part of the text
        ends once it is long enough, and the repeats that it lacks are left out. A key of the table is a segment, the
        byte behind it, and where that is NUL the byte behind NUL; at the end of the text there is none.
        """
        cdef size_t n = self.sentences.chunks.size()
        cdef uint64_t size = 0, step, n_repeats
        cdef vector[uint8_t] segment
        while begin < n and size < SEED_TEXT_SIZE:
            step = self.marked_size(begin) + 1
            n_repeats = min(self.sentences.chunks[begin].count, (SEED_TEXT_SIZE - size + step - 1) // step)
            size += n_repeats * step
            self.cut_segments(begin, n_repeats, begin + 1 == n or size >= SEED_TEXT_SIZE, segment, segments)
            begin += 1
        return begin

    cdef int cut_segments(
        self, size_t sentence, uint64_t n_repeats, bint is_last, vector[uint8_t]& segment, CountTable segments,
    ) except -1 nogil:
        """Count the segments of one sentence. is_last: the text ends with it."""
        cdef Chunk chunk = self.sentences.chunks[sentence]
        cdef const uint8_t* text = self.sentences.texts.data() + chunk.begin
        cdef const uint8_t* end = text + chunk.size
        cdef uint8_t left = NEVER, right
        cdef uint32_t code_point = 0
        cdef int32_t step
        segment.clear()
        while text < end:
            step = read_char(text, end - text, &code_point)
            right = NEVER if step == 0 else self.classes[code_point]
            if not segment.empty() and is_cut(&self.rules, left, right):
                segment.push_back(MARK_LEAD if right == NEVER else text[0])
                segments.add(segment.data(), <uint32_t> segment.size(), n_repeats)
                segment.clear()
            if right != NEVER:
                segment.insert(segment.end(), text, text + step)
            left = right
            text += max(step, 1)
        if segment.empty():
            return 0
        segment.push_back(0)
        if n_repeats > 1:
            segment.push_back(self.first_byte(sentence))
            segments.add(segment.data(), <uint32_t> segment.size(), n_repeats - 1)
            segment.pop_back()
        if not is_last:
            segment.push_back(self.first_byte(sentence + 1))
        segments.add(segment.data(), <uint32_t> segment.size(), 1)
        return 0

    cdef uint64_t marked_size(self, size_t sentence) noexcept nogil:
        """Bytes of a sentence with its U+2585."""
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
        """The first byte of a sentence with its U+2585."""
        cdef Chunk chunk = self.sentences.chunks[sentence]
        cdef const uint8_t* text = self.sentences.texts.data() + chunk.begin
        cdef uint32_t code_point = 0
        if read_char(text, chunk.size, &code_point) == 0 or self.classes[code_point] == NEVER:
            return MARK_LEAD
        return text[0]


cdef int add_words(
    const PieceRules* rules, const uint8_t* text, uint32_t size, uint64_t count, CountTable words,
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
        is_space = code_point == SPACE_CODE_POINT
        pos += step
        if rules.suffix:
            # The end of a word is seen one character later, since a run may go on.
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
