"""The word and character trainers: the most frequent words, or characters, become the pieces."""

cimport cython
from libc.math cimport logf
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from spm_lite.base.unicode.space_mark cimport MARK_POINT, is_space_mark
from spm_lite.base.unicode.utf8 cimport char_size, decode_char
from spm_lite.training.counts.chunk_table cimport Chunk, ChunkTable, occurrences_of, sources_of
from spm_lite.training.trainer_interface cimport RARE, Alphabet, Trainer, has_member


cdef float log_share(uint64_t count, uint64_t total) noexcept nogil:
    """Return log(count / total) in single precision; minus infinity when count is 0."""
    cdef float difference = logf(<float> count) - logf(<float> total)
    return difference


@cython.final
cdef class CharTrainer(Trainer):
    """Makes pieces of the characters of the alphabet."""

    def learn(self, ChunkTable counts, Alphabet alphabet, spec, n_pieces, *, num_threads=1, progress=None,
              reference_rules=False):
        """Return the first `n_pieces` characters (all with `use_all_vocab`), scored by log share of the alphabet.

        Those that the model must have come before any other: a lossless one the space, and the required ones. The
        original drops rare ones of these as well.
        """
        cdef uint64_t i, n_kept, total = 0
        needed = {MARK_POINT} if spec.lossless else set()
        if not reference_rules:
            needed |= set(map(ord, spec.required_chars))
        for i in range(alphabet.counts.size()):
            total += alphabet.counts[i]
        n_kept = len(alphabet) if spec.use_all_vocab else max(0, min(n_pieces, len(alphabet)))
        order = sorted(range(len(alphabet)), key=lambda place: alphabet.code_points[place] not in needed)
        # A character that never occurs scores like one that occurs once; the original gives it minus infinity.
        return [
            (chr(alphabet.code_points[i]), log_share(alphabet.counts[i] or (not reference_rules), total))
            for i in sorted(order[:n_kept])
        ]


@cython.final
cdef class WordTrainer(Trainer):
    """Makes pieces of whole words. Each begins with the space mark, unless it begins its text."""

    def learn(self, ChunkTable counts, Alphabet alphabet, spec, n_pieces, *, num_threads=1, progress=None,
              reference_rules=False):
        """Return the `n_pieces` most frequent words (all with `use_all_vocab`), scored by log share of all words.

        Words that occur less often than `min_count` are no pieces, nor are those with a boundary or a character outside
        the alphabet; but they count in the total. The original cuts no text into words if the space mark is outside the
        alphabet.
        """
        if reference_rules and has_member(alphabet.members.data(), MARK_POINT):
            counts = cut_words(counts)
        cdef uint64_t i, n, total = 0, least = spec.min_count
        cdef Chunk chunk
        cdef const uint8_t* text
        result = []
        for i in range(counts.chunks.size()):
            total += counts.chunks[i].count
        if counts.left_out is not None:
            total += counts.left_out.n_occurrences
        for i in range(counts.chunks.size()):
            chunk = counts.chunks[i]
            if len(result) >= n_pieces and not spec.use_all_vocab:
                break
            text = counts.texts.data() + chunk.begin
            n = occurrences_of(counts, i)
            if n < least or not is_known(text, chunk.size, alphabet.members.data()):
                continue
            word = text[:chunk.size].decode()
            result.append((word, log_share(chunk.count, total)))
            if n < RARE:
                self.rare[word] = (n, sources_of(counts, i))
        return result


cdef ChunkTable cut_words(ChunkTable counts):
    """Return the table of words: each chunk is cut before its space marks."""
    cdef ChunkTable words = ChunkTable()
    cdef Chunk chunk
    cdef size_t i
    with nogil:
        for i in range(counts.chunks.size()):
            chunk = counts.chunks[i]
            add_words(words, counts.texts.data() + chunk.begin, chunk.size, chunk.count)
        words.sort()
    return words


cdef int add_words(ChunkTable words, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil:
    """Cut a chunk before each U+2581, and count the parts in `words`."""
    cdef uint32_t begin = 0, end
    for end in range(1, size):
        if is_space_mark(text + end, size - end):
            words.add(text + begin, end - begin, count)
            begin = end
    words.add(text + begin, size - begin, count)
    return 0


cdef bint is_known(const uint8_t* text, int32_t size, const uint64_t* members) noexcept nogil:
    """Whether all of the text is UTF-8 and in the alphabet."""
    cdef int32_t step
    while size > 0:
        step = char_size(text, size)
        if step == 0 or not has_member(members, decode_char(text, step)):
            return False
        text += step
        size -= step
    return True
