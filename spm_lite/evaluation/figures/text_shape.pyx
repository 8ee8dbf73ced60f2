"""Counts characters, grapheme clusters, words and scripts in one pass; ASCII has a pass of its own.

`look_at_ascii` and `look_at_any` have the hot loops. Header: text_shape.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t

from spm_lite.base.unicode.graphemes cimport START_OF_TEXT, GraphemeContext, add_class, grapheme_class, is_joined
from spm_lite.base.unicode.utf8 cimport is_ascii, read_char
from spm_lite.evaluation.figures.character_counts cimport (
    COMMON_SCRIPT, LETTER, SPACE_FREE, WHITE, WORD_PART, flags_of, script_numbers,
)
from spm_lite.texts.text_view cimport TextView

cdef enum:
    CR = 0x0D
    LF = 0x0A


@cython.final
cdef class TextShape:
    """Looks at one text after the other, and adds up what they are."""

    cdef void clear(self) noexcept nogil:
        """Forget the letter words."""
        self.letter_words.clear()
        self.ends.clear()
        self.characters.clear()

    cdef int look_at(self, const TextView* text) except -1 nogil:
        """Find the letter words of a UTF-8 text, and add the text to the sums."""
        cdef size_t n_before = self.letter_words.size()
        cdef int32_t n
        self.sums.texts += 1
        self.sums.bytes += text.size
        if is_ascii(text.data, text.size):
            n = self.look_at_ascii(text.data, text.size)
        else:
            n = self.look_at_any(text.data, text.size)
        self.sums.characters += n
        self.characters.push_back(n)
        self.sums.letter_words += <int64_t> (self.letter_words.size() - n_before)
        self.sums.carriage_returns += text.size > 0 and text.data[text.size - 1] == <uint8_t> CR
        self.ends.push_back(self.letter_words.size())
        return 0

    cdef int32_t look_at_ascii(self, const uint8_t* text, int32_t size) except -1 nogil:
        """Look at a text of ASCII: a character is a byte and a cluster, except CR LF. Return its characters."""
        cdef LetterWord word
        cdef int64_t n_words = 0, n_letters = 0, n_joined = 0
        cdef int32_t pos, begin = -1
        cdef uint8_t flags, after = WHITE
        for pos in range(size):
            flags = flags_of[text[pos]]
            n_words += after & WHITE != 0 and flags & WHITE == 0
            n_letters += flags & LETTER
            n_joined += text[pos] == <uint8_t> LF and pos > 0 and text[pos - 1] == <uint8_t> CR
            after = flags
            if flags & LETTER:
                if begin < 0:
                    begin = pos
            elif begin >= 0:
                word = LetterWord(begin, pos, begin, pos)
                self.end_word(&word, text)
                begin = -1
        if begin >= 0:
            word = LetterWord(begin, size, begin, size)
            self.end_word(&word, text)
        self.sums.graphemes += size - n_joined
        self.sums.words += n_words
        self.sums.letters += n_letters
        self.sums.scripts[script_numbers[c"a"]] += n_letters
        self.sums.scripts[<int> COMMON_SCRIPT] += size - n_letters
        return size

    cdef int32_t look_at_any(self, const uint8_t* text, int32_t size) except -1 nogil:
        """Look at any text, and return its characters. An ill-formed byte is one of no kind, as U+FFFD is."""
        cdef GraphemeContext context = GraphemeContext(START_OF_TEXT, 0)
        cdef LetterWord word = LetterWord(-1, 0, 0, 0)
        cdef int32_t pos = 0, n = 0, step
        cdef uint32_t code_point = 0
        cdef uint8_t flags, char_class, after = WHITE
        cdef bint is_free = False
        while pos < size:
            step = read_char(text + pos, size - pos, &code_point)
            if step == 0:
                step, code_point = 1, 0xFFFD
            flags = flags_of[code_point]
            char_class = grapheme_class(code_point)
            self.sums.graphemes += not is_joined(&context, char_class)
            add_class(&context, char_class)
            self.sums.words += after & WHITE != 0 and flags & WHITE == 0
            self.sums.letters += flags & LETTER
            self.sums.space_free_letters += flags & LETTER != 0 and flags & SPACE_FREE != 0
            self.sums.scripts[script_numbers[code_point]] += 1
            if word.begin >= 0 and not flags & WORD_PART:
                word.end, word.end_byte = n, pos
                if not is_free:
                    self.end_word(&word, text)
                word.begin = -1
            elif word.begin < 0 and flags & LETTER:
                word.begin, word.begin_byte = n, pos
                is_free = False
            is_free |= flags & LETTER != 0 and flags & SPACE_FREE != 0
            after = flags
            pos += step
            n += 1
        if word.begin >= 0 and not is_free:
            word.end, word.end_byte = n, pos
            self.end_word(&word, text)
        return n

    cdef inline int end_word(self, const LetterWord* word, const uint8_t* text) except -1 nogil:
        """Add a letter word of the current text."""
        self.letter_words.push_back(word[0])
        if self.words is not None:
            self.words.add(text + word.begin_byte, <uint32_t> (word.end_byte - word.begin_byte), 1)
        return 0
