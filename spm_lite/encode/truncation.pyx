"""Finds an upper bound of the prefix by its counts, then goes back, boundary by boundary, to one that fits.

`find_end` lists the steps. `is_boundary` and the functions at the end say where a text may end. Header: truncation.pxd.
"""

cimport cython
from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.unicode.graphemes cimport START_OF_TEXT, GraphemeContext, next_char
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, next_mark
from spm_lite.base.unicode.utf8 cimport char_size, count_chars, read_char
from spm_lite.encode.encoder cimport Encoder
from spm_lite.encode.prefix_counts cimport PieceReach, first_from, make_prefixes
from spm_lite.encode.segment.segmenter cimport Segmenter
from spm_lite.encode.segment.split_text cimport SplitSegmenter
from spm_lite.encode.segment.wordpiece cimport WordPieceSegmenter
from spm_lite.normalize.added_tokens cimport AddedTokens
from spm_lite.normalize.normalizer cimport Normalizer, WideStep
from spm_lite.normalize.text_step cimport Changed
from spm_lite.texts.text_view cimport NO_PLACE, TextView, view_utf8

cdef extern from "Python.h":
    bint is_white "Py_UNICODE_ISSPACE"(uint32_t code_point) noexcept nogil

cdef enum:
    LINE_FEED = 0x0A
    CHAR_BYTES = 4
    MOST_SPLITS = 64    # bits of `gaps`
    SPARE_IDS = 16      # a prefix with so many ids more than the limit is too long, and so is any longer one
    MOST_NORMALIZED = 1 << 20   # bytes: as many are normalized again, prefix by prefix
    MOST_TAKEN = 1 << 10    # bytes: an added token is taken to take no more white space before it
    LONG_STEP = 512     # bytes: in a longer step, such as a run of combining marks, such a prefix is looked for

cdef const uint8_t* SPACES = b" \xE2\x96\x81"       # an escaped space in its two forms: 0x20, U+2581


@cython.final
cdef class Truncator:
    """Truncates texts for one encoder; used by one thread at a time.

    pieces: made from the encoder's segmenter. The beginning of a text may be given: a result holds for the whole text,
    or is -1 if more of the text is needed.
    """

    def __cinit__(self, Encoder encoder not None, PieceReach pieces not None):
        cdef Normalizer normalizer = encoder.normalizer
        cdef int32_t longest_word = 0
        self.normalizer = normalizer
        self.encoder = encoder
        self.prefixes = make_prefixes(
            encoder.segmenter, pieces, normalizer.remove_extra_whitespaces, normalizer.escape_whitespaces
        )
        if self.prefixes.word_pieces is not None and not normalizer.is_whole:
            self.words = self.prefixes
        self.longest = pieces.longest
        self.spare = max(<int32_t> SPARE_IDS, most_of_a_word(encoder.segmenter))
        for added in (normalizer.added, normalizer.later):
            if added is not None:
                self.longest_added = max(self.longest_added, (<AddedTokens> added).longest)
                longest_word = max(longest_word, (<AddedTokens> added).longest_word)
                self.takes_white |= (<AddedTokens> added).takes_white
        # The text of such a token may be many ids until a letter follows.
        self.spare = max(self.spare, longest_word)
        self.is_local = normalizer.has_parts and normalizer.words is None and longest_word == 0 and (
            normalizer.form is None or normalizer.form.is_local
        ) and normalizer.reach == 2 * CHAR_BYTES and not normalizer.whitespace_as_suffix
        self.strips_end = normalizer.is_whole and not self.is_local and (
            normalizer.normalize(b"a" + SPARE_IDS * b" ") == normalizer.normalize(b"a")
        )

    def cut(
        self, text, int64_t limit, bint is_last, int boundary, int context=0, bint stays_known=False, uint64_t gaps=0,
    ):
        """Return the length of the longest prefix with at most `limit` ids; -1: more of the text is needed.

        The length is in characters for str, in bytes for bytes. is_last: this is the whole text. boundary: 0 cut at
        any character, 1 word, 2 line, 3 sentence, 4 grapheme; the end of the text is always allowed. If the prefix has
        no such boundary, 2 and 3 fall back to 1, and 1 to 0; with 4 it is empty. context: for 4, what
        `graphemes_around` returned for the text before this one; 0: nothing is before it. stays_known: `word_part`
        told of the last word that it is known up to its end. gaps: bit i if `first_match` told that no match of split i
        begins in this part of the text.
        """
        cdef int32_t end
        cdef bint is_enough = self.open_text(text, is_last)
        self.is_open = not is_last and self.needs_end()
        self.prefixes.set_gaps(gaps)
        if self.words is not None:
            self.words.start(self.text.data, 0)     # so that `word_beyond` knows none of the words before
            self.words.stays_known = stays_known
        if not is_enough and not self.is_open:
            return -1
        if self.is_open:
            self.stop = self.text.size
        self.context = unpack_context(context)
        with nogil:
            end = self.find_end(limit, is_last, <Boundary> boundary)
        return end if end <= 0 else self.place(text, end)

    def word_beyond(self, text, int64_t limit):
        """Return where the last word of WordPiece begins in a text for which `cut` gave -1; -1: that is not why.

        The limit is passed in this word. What follows it decides whether it is known.
        """
        cdef int32_t begin = -1 if self.words is None else self.words.word_beyond(limit)
        if begin < 0 or begin > 0 and self.align[begin - 1] == self.align[begin]:
            return -1  # no text begins in the midst of what one character became
        return self.place(text, self.align[begin])

    def word_part(self, text, bint is_last, int64_t length):
        """Read a word of WordPiece, from its begin or its last character so far: whether each other continues a word.

        Return where to go on, the length so far, and a WordState. Places are as in `cut`; length: characters before.
        """
        cdef int32_t end = 0
        cdef int state
        self.is_open = False
        if not self.open_text(text, is_last):
            return 0, length, OPEN_WORD
        with nogil:
            self.normalize()
            state = self.read_word(is_last, &length, &end)
        return self.place(text, end), length, state

    def n_splits(self):
        """Return of how many splits `first_match` can tell: where a text begins must not change what it becomes."""
        cdef Normalizer normalizer = self.normalizer
        if normalizer.is_whole or normalizer.add_dummy_prefix or normalizer.remove_extra_whitespaces:
            return 0
        return min(self.prefixes.n_splits, <int32_t> MOST_SPLITS)

    def first_match(self, text, bint is_last, int split):
        """Return a place before which no match of a split begins, and where one that begins there ends, or has ended.

        The second is -1 if more of the text must tell. The first holds of any text that begins later in this one, too,
        and of each of its parts. Places and is_last are as in `cut`.
        """
        cdef int32_t begin = 0, end = 0, reach = 0
        self.is_open = False
        if not self.open_text(text, is_last):
            return 0, -1
        with nogil:
            self.normalize()
            begin = self.prefixes.first_match(
                split, self.normalized.data(), <int32_t> self.normalized.size(), is_last, &end, &reach,
            )
        if not self.steps.empty() and self.steps[0].begin < self.align[reach]:
            return 0, self.place(text, self.align[reach])
        if end > <int32_t> self.normalized.size():
            return self.place(text, self.align[begin]), -1
        return self.place(text, self.align[begin]), self.place(text, self.align[end])

    def count_up_to(self, text, int64_t limit, bint is_last):
        """Return the number of ids, at most `limit`; -1: more of the text is needed. Parameters as in `cut`."""
        cdef int64_t n_ids
        self.is_open = False
        if not self.open_text(text, is_last):
            return -1
        if self.normalizer.is_whole:
            return min(self.encoder.count(text), limit)
        self.prefixes.set_gaps(0)
        if self.words is not None:
            self.words.stays_known = False
        with nogil:
            self.fill()
            if self.prefixes.is_sure and self.prefixes.first_beyond(limit - 1) >= 0:
                n_ids = limit
            elif is_last:
                n_ids = min(self.count_prefix(self.text.size), limit)
            else:
                n_ids = -1
        return n_ids

    def graphemes_around(self, text, int64_t pos, int context):
        """Return the last place up to `pos` where a grapheme begins, the next one from `pos` on, and the new context.

        Places are in characters for str, in bytes for bytes; 0 and the length of the text count as such. The new
        context is that of what follows the text. context: as in `cut`.
        """
        cdef GraphemeContext state = unpack_context(context)
        cdef int64_t before = 0, after = -1, place = 0
        cdef int32_t at = 0, step
        cdef bint is_str = PyUnicode_Check(text), is_begin = False
        view_utf8(text, &self.text)
        while at < self.text.size:
            step = next_char(self.text.data + at, self.text.size - at, &state, &is_begin)
            if is_begin and place <= pos:
                before = place
            if (is_begin or place == 0) and place >= pos and after < 0:
                after = place
            at += step
            place += 1 if is_str else step
        return (before if pos < place else place), (after if after >= 0 else place), pack_context(&state)

    def check(self, text):
        """Raise the error of an invalid text. Pass the whole text: the message counts positions from its start."""
        view_utf8(text, &self.text)

    cdef bint open_text(self, object text, bint is_last) except -1:
        """View a text; False: the given part is too short for any result."""
        view_utf8(text, &self.text)
        self.stop = self.text.size if is_last else self.normalizer.sure_end(self.text.data, self.text.size)
        self.sure = self.stop
        return is_last or self.stop > 0

    cdef bint needs_end(self) noexcept nogil:
        """Whether more than a little of a part of a text is not sure, so that `find_spare` looks for a bound there."""
        if self.normalizer.is_whole:
            return True
        if self.normalizer.form is None or self.normalizer.reach > LONG_STEP:
            return False
        return self.text.size - self.sure > LONG_STEP

    cdef int fill(self) except -1 nogil:
        """Normalize the text up to `stop` and prepare the counts."""
        self.counted = self.counted_from = -1
        self.normalize()
        return self.prefixes.fill(self.normalized.data(), <int32_t> self.normalized.size())

    cdef int normalize(self) except -1 nogil:
        self.first = 0
        if self.normalizer.remove_extra_whitespaces:
            self.first = self.normalizer.spaces_before(self.text.data, self.text.size)
        self.stop = self.normalizer.normalize_start(
            self.text.data, self.text.size, self.stop, self.normalized, self.align, self.steps,
        )
        return 0

    cdef int read_word(self, bint is_last, int64_t* length, int32_t* end) except -1 nogil:
        """Return the WordState of the word at the start of the text. end: set to its last character, or where it ends.

        Only where each character is normalized by itself does it not matter at which of them a text begins.
        """
        cdef const uint8_t* word = self.normalized.data()
        cdef int32_t n = <int32_t> self.normalized.size(), size, known
        end[0] = 0
        if n == 0 or self.align[0] > 0 or word[0] == SPACES[0]:
            return UNSURE_WORD
        size = self.words.word_end(word, n)
        known = self.words.word_pieces.size_by_chars(word, size, length)
        end[0] = self.align[known]
        if not self.steps.empty() and self.steps[0].begin < end[0]:
            end[0] = self.steps[0].begin
            return UNSURE_WORD
        if length[0] > self.words.word_pieces.max_length:
            return LONG_WORD
        if known < size:
            return KNOWN_WORD if known and self.words.is_apart(word, known, n) else UNSURE_WORD
        if size < n or is_last:
            return KNOWN_WORD
        end[0] = self.align[size - 1]  # the next part begins with this character, so that it begins in the word
        length[0] -= 1
        return OPEN_WORD

    cdef int64_t place(self, object text, int32_t pos):
        """Return an offset in the text as a place of the caller: in characters for str."""
        if not PyUnicode_Check(text) or self.text.size == len(text):
            return pos
        return count_chars(self.text.data, pos)

    cdef int32_t find_end(self, int64_t limit, bint is_last, Boundary boundary) except -2 nogil:
        """Return the end, in bytes, of the longest prefix that fits; -1: more of the text is needed."""
        cdef int32_t bound, end, found
        if self.normalizer.is_whole:
            self.normalize()
            bound = self.find_stretch(limit + (0 if self.is_local else self.spare))
        else:
            self.fill()
            bound = self.near_bound(self.find_bound(limit), limit)
        if self.is_open and bound > self.sure_of_tokens():
            return -1
        if bound < 0:
            if not is_last:
                return -1
            bound = self.text.size
        end = self.last_fit(bound, limit, ANY_CHAR)
        if boundary == ANY_CHAR:
            return end
        if not is_last and end > self.text.size - CHAR_BYTES:
            return -1  # the next character decides whether this is a boundary
        if end == self.text.size:
            return end
        if boundary == GRAPHEME_START:
            self.mark_graphemes(end)
            return self.last_fit(end, limit, GRAPHEME_START)
        found = self.last_fit(end, limit, boundary)
        if found == 0 and boundary != WORD_START:
            found = self.last_fit(end, limit, WORD_START)
        return found if found else end

    cdef int32_t find_bound(self, int64_t limit) except -2 nogil:
        """Return an offset after which every prefix has more than `limit` ids; -1: none found."""
        cdef int32_t k = self.prefixes.first_beyond(limit)
        return -1 if k < 0 else self.end_in_text(k)

    cdef int32_t end_in_text(self, int32_t k) noexcept nogil:
        """Return the end, in the text, of the characters from which normalized[k - 1] came."""
        cdef const int32_t* align = self.align.data()
        cdef int32_t n = <int32_t> self.normalized.size(), begin = align[k - 1]
        while k < n and align[k] == begin:
            k += 1
        k = whole_chars(self.text.data, align[k], self.text.size)
        while self.strips_end and k < self.text.size and starts_white(self.text.data, k, self.text.size):
            k += char_size(self.text.data + k, self.text.size - k)
        return k

    cdef int32_t find_stretch(self, int64_t limit) except -2 nogil:
        """Return `find_bound` of a text that is normalized whole, and fill `stretches` up to the one of the bound."""
        cdef int32_t begin = 0, end, k = 0
        cdef int64_t n_ids = 0, n_more
        cdef vector[int32_t] moved
        cdef vector[Changed] changed
        cdef Changed part
        if self.is_local and self.normalizer.form is not None:
            self.normalizer.form.apply(self.text.data, self.text.size, self.other, &moved, &changed)
            for part in changed:
                self.steps.push_back(WideStep(part.begin, part.end))
        self.stretches.clear()
        self.n_open = <size_t> -1
        self.near = self.counted = self.counted_from = -1
        while True:
            end = self.mark_after(self.normalized, begin)
            self.stretches.push_back(Stretch(begin, end, n_ids))
            self.open_stretch(self.stretches.size() - 1)
            n_more = self.prefixes.count(end - begin, NULL, 0)
            if n_ids + n_more > limit:
                k = self.prefixes.first_beyond(limit - n_ids)
                if k >= 0:
                    return self.end_in_text(begin + k)
            if end == <int32_t> self.normalized.size():
                return -1
            n_ids += n_more + 1
            begin = end + <int32_t> MARK_SIZE
            if n_ids > limit:
                return self.end_in_text(begin)

    cdef int32_t mark_after(self, const vector[uint8_t]& text, int32_t begin) noexcept nogil:
        """Return the place of the next mark; the size: there is none. Without added tokens, FF is a byte of text."""
        cdef int32_t size = <int32_t> text.size()
        return next_mark(text.data(), begin, size) if self.normalizer.has_parts else size

    cdef int open_stretch(self, size_t i) except -1 nogil:
        """Fill the counts of a stretch."""
        cdef Stretch stretch = self.stretches[i]
        if self.n_open != i:
            self.n_open = <size_t> -1
            self.prefixes.fill(self.normalized.data() + stretch.begin, stretch.end - stretch.begin)
            self.n_open = i
        return 0

    cdef int32_t sure_of_tokens(self) noexcept nogil:
        """Return how much of the start of a part of a text is sure: an added token may stand at its end, cut off."""
        cdef int32_t end = self.text.size - CHAR_BYTES * (1 + self.longest_added), stop
        if not self.align.empty():  # of a token that is found in normalized text, steps may drop any characters
            end = min(end, self.align[max(<int32_t> self.normalized.size() - self.longest_added, 0)])
        stop = end - MOST_TAKEN
        while self.takes_white and end > max(stop, 0) and ends_white(self.text.data, end):
            end = char_before(self.text.data, end)
        return end

    cdef int32_t near_bound(self, int32_t bound, int64_t limit) except -2 nogil:
        """Return a nearer bound in a long step, and one in the end of a part that was taken for all; -1: none found."""
        cdef int32_t sure = self.text.size, end = self.text.size if bound < 0 else bound
        cdef int64_t most = limit + max(self.spare, self.longest)
        cdef const WideStep* step = self.step_around(end - 1)
        if self.is_open:
            sure = max(self.sure - CHAR_BYTES * self.normalizer.reach, 0)
        if end > sure:
            return self.find_spare(sure, self.text.size, most)
        if step == NULL or step.end - step.begin <= LONG_STEP:
            return bound
        end = self.find_spare(step.begin, end, most)
        return bound if end < 0 else end

    cdef int32_t find_spare(self, int32_t begin, int32_t end, int64_t most) except -2 nogil:
        """Return an offset after which every prefix has more than `most` ids, less those that may be spared; -1: none.

        begin, end: where it is looked for, each prefix normalized anew.
        """
        cdef int32_t low = begin, high, middle
        cdef int64_t n_bytes = LONG_STEP
        while begin + n_bytes < end and self.count_whole_chars(<int32_t> (begin + n_bytes)) <= most:
            n_bytes *= 2
        high = <int32_t> min(begin + n_bytes, <int64_t> end)
        while low < high:
            middle = (low + high) // 2
            if self.count_whole_chars(middle) > most:
                high = middle
            else:
                low = middle + 1
        return -1 if low >= end else whole_chars(self.text.data, low, self.text.size)

    cdef int64_t count_whole_chars(self, int32_t end) except -1 nogil:
        return self.count_prefix(whole_chars(self.text.data, end, self.text.size))

    cdef int mark_graphemes(self, int32_t end) except -1 nogil:
        """Fill `begins_grapheme` up to and including `end`, which is not the end of the text."""
        cdef GraphemeContext context = self.context
        cdef bint is_begin = False
        cdef int32_t pos = 0, step
        refill(self.begins_grapheme, end + 1, 0)
        while pos <= end:
            step = next_char(self.text.data + pos, self.text.size - pos, &context, &is_begin)
            self.begins_grapheme[pos] = is_begin
            pos += step
        return 0

    cdef int32_t last_fit(self, int32_t end, int64_t limit, Boundary boundary) except -1 nogil:
        """Return the end of the longest prefix of at most `end` bytes that fits and ends at a boundary; 0: none.

        Where each prefix is normalized again, and MOST_NORMALIZED bytes were, the places are ever farther apart.
        """
        cdef int32_t pos = end, failed = end, apart = 0
        cdef int64_t n_normalized = 0, n_ids
        cdef bint is_exact = False
        while pos > 0:
            if self.is_boundary(pos, boundary):
                if self.normalizer.is_whole:
                    n_ids = self.count_near(pos, &is_exact)
                    if n_ids > limit and (is_exact or self.count_least(pos, n_ids) > limit + self.spare):
                        pos = char_before(self.text.data, pos)
                        continue
                if is_exact or self.count_prefix(pos) <= limit:
                    return pos if apart == 0 else self.nearest_fit(pos, failed, limit)
                failed = pos
                if boundary == ANY_CHAR and (self.normalizer.is_whole or self.step_around(pos) != NULL):
                    n_normalized += pos
                if n_normalized > MOST_NORMALIZED:
                    apart = 2 * apart + 1
                    pos = whole_chars(self.text.data, max(pos - apart, 0), self.text.size)
                    continue
            pos = char_before(self.text.data, pos)
        return 0 if apart == 0 else self.nearest_fit(0, failed, limit)

    cdef int32_t nearest_fit(self, int32_t fit, int32_t failed, int64_t limit) except -1 nogil:
        """Return the end of a prefix that fits, from `fit` on: as near to `failed`, too long, as halving finds."""
        cdef int32_t middle = whole_chars(self.text.data, (fit + failed) // 2, self.text.size)
        while fit < middle < failed:
            if self.count_prefix(middle) <= limit:
                fit = middle
            else:
                failed = middle
            middle = whole_chars(self.text.data, (fit + failed) // 2, self.text.size)
        return fit

    cdef int64_t count_prefix(self, int32_t end) except -1 nogil:
        """Return the number of ids of the first `end` bytes of the text. `end` is the end of a character."""
        if end == 0:
            return 0
        if self.normalizer.is_whole or end <= self.first or self.step_around(end) != NULL:
            return self.count_other(end)
        return self.count_normalized(first_from(self.align, end))

    cdef int64_t count_other(self, int32_t end) except -1 nogil:
        """Return `count_prefix` where a normalization step crosses `end`: the prefix is normalized again."""
        cdef int32_t shared = 0, size
        cdef size_t i
        cdef Stretch* stretch
        self.normalizer.normalize_into(self.text.data, end, self.other, NULL)
        size = min(<int32_t> self.other.size(), <int32_t> self.normalized.size())
        while shared < size and self.other[shared] == self.normalized[shared]:
            shared += 1
        while shared > 0 and shared < <int32_t> self.normalized.size() and self.normalized[shared] & 0xC0 == 0x80:
            shared -= 1
        if self.normalizer.is_whole:
            i = self.stretch_at(shared)
            stretch = &self.stretches[i]
            size = <int32_t> self.other.size()
            if shared > stretch.end or self.mark_after(self.other, shared) < size:
                return self.count_anew(end)
            if shared == size == self.near:
                return self.n_near
            self.open_stretch(i)
            return stretch.n_before + self.prefixes.count(
                shared - stretch.begin, self.other.data() + shared, size - shared,
            )
        return self.prefixes.count(
            shared, self.other.data() + shared, <int32_t> self.other.size() - shared,
        )

    cdef int64_t count_anew(self, int32_t end) except -1 nogil:
        """Return `count_prefix` of a prefix that is encoded alone."""
        cdef TextView prefix = self.text
        prefix.size = end
        if self.scratch is None:
            with gil:
                self.scratch = self.encoder.new_scratch()
        return self.encoder.count_ids(&prefix, NO_PLACE, self.scratch)

    cdef size_t stretch_at(self, int32_t k) noexcept nogil:
        """Return the index of the last stretch that begins at or before normalized[k]."""
        cdef size_t i = self.stretches.size() - 1
        while self.stretches[i].begin > k:
            i -= 1
        return i

    cdef int64_t count_near(self, int32_t end, bint* is_exact) except -1 nogil:
        """Return about `count_prefix`, from the normalized text of all: at most `spare` ids more."""
        cdef int32_t k = first_from(self.align, end)
        cdef size_t i = self.stretch_at(k)
        self.open_stretch(i)
        # In an added token, and up to a space after it, `k` is where the next stretch begins.
        is_exact[0] = self.is_local and (i == 0 or k > self.stretches[i].begin + 1) and k <= self.stretches[i].end and (
            self.step_around(end) == NULL
        )
        k = self.prefixes.visible_end(min(k, self.stretches[i].end) - self.stretches[i].begin)
        self.n_near = self.stretches[i].n_before + self.prefixes.count(k, NULL, 0)
        self.near = self.stretches[i].begin + k
        return self.n_near

    cdef int64_t count_least(self, int32_t end, int64_t n_ids) except -1 nogil:
        """Return `n_ids`, the result of `count_near`, or less if steps may remove the white space in which `end` is."""
        cdef bint is_exact = False
        if not self.strips_end:
            return n_ids
        if not self.counted <= end <= self.counted_from:
            self.counted_from = end
            while end > 0 and ends_white(self.text.data, end):
                end = char_before(self.text.data, end)
            self.counted = end
            self.n_counted = self.count_near(end, &is_exact)
        return min(n_ids, self.n_counted)

    cdef int64_t count_normalized(self, int32_t end) except -1 nogil:
        """Return the number of ids of a prefix of `normalized`, with spaces at its end removed and any suffix added."""
        cdef bint has_mark = self.prefixes.has_marks
        cdef bint has_suffix = self.normalizer.add_dummy_prefix and self.normalizer.whitespace_as_suffix
        if self.counted <= end <= self.counted_from:
            return self.n_counted
        self.counted_from = end
        end = self.counted = self.prefixes.visible_end(end)
        self.n_counted = self.prefixes.count(
            end, SPACES + (1 if has_mark else 0), (3 if has_mark else 1) if has_suffix else 0,
        )
        return self.n_counted

    cdef const WideStep* step_around(self, int32_t pos) noexcept nogil:
        """Return the normalization step that reads characters on both sides of `pos`; NULL: none."""
        cdef const WideStep* steps = self.steps.data()
        cdef size_t low = 0, high = self.steps.size(), middle
        while low < high:
            middle = (low + high) // 2
            if steps[middle].end <= pos:
                low = middle + 1
            else:
                high = middle
        return steps + low if low < self.steps.size() and steps[low].begin < pos else NULL

    cdef bint is_boundary(self, int32_t pos, Boundary boundary) noexcept nogil:
        cdef const uint8_t* text = self.text.data
        cdef bint is_word
        if boundary == ANY_CHAR:
            return True
        if pos == self.text.size:
            return False
        if boundary == GRAPHEME_START:
            return self.begins_grapheme[pos]
        if text[pos - 1] == LINE_FEED:
            return True if boundary != WORD_START else not starts_white(text, pos, self.text.size)
        if boundary == LINE_START:
            return False
        is_word = ends_white(text, pos) and not starts_white(text, pos, self.text.size)
        if boundary == WORD_START:
            return is_word
        return ends_sentence(text, pos, self.text.size, is_word)


cdef int32_t most_of_a_word(Segmenter segmenter):
    """Return the most ids that the beginning of an unknown word, itself one id, may have; 0: words are not unknown."""
    if isinstance(segmenter, SplitSegmenter):
        segmenter = (<SplitSegmenter> segmenter).inner
    return (<WordPieceSegmenter> segmenter).max_length if isinstance(segmenter, WordPieceSegmenter) else 0


cdef inline GraphemeContext unpack_context(int context) noexcept nogil:
    """Return what `pack_context` packed; 0: the start of a text."""
    return GraphemeContext(START_OF_TEXT if context == 0 else context & 0xFF, context >> 8 & 0xFF)


cdef inline int pack_context(const GraphemeContext* context) noexcept nogil:
    """Return a context as one number, which is 0 only at the start of a text."""
    return 0 if context.last == START_OF_TEXT else 1 << 16 | context.ending << 8 | context.last


cdef int32_t whole_chars(const uint8_t* text, int32_t pos, int32_t size) noexcept nogil:
    """Return the start of the character around `pos`, or `pos`. A protected string may end in a character."""
    cdef int32_t n
    for n in range(1, min(pos, CHAR_BYTES - 1) + 1):
        if char_size(text + pos - n, size - pos + n) > n:
            return pos - n
    return pos


cdef inline int32_t char_before(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the start of the character that ends at `pos` (not 0); an ill-formed byte is a character."""
    cdef int32_t n
    for n in range(1, min(pos, CHAR_BYTES) + 1):
        if char_size(text + pos - n, n) == n:
            return pos - n
    return pos - 1


cdef inline uint32_t char_ending(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the code point of the character that ends at `pos`; 0: ill-formed."""
    cdef uint32_t code_point = 0
    cdef int32_t begin = char_before(text, pos)
    return code_point if read_char(text + begin, pos - begin, &code_point) else 0


cdef inline bint ends_white(const uint8_t* text, int32_t pos) noexcept nogil:
    return is_white(char_ending(text, pos))


cdef inline bint starts_white(const uint8_t* text, int32_t pos, int32_t size) noexcept nogil:
    cdef uint32_t code_point = 0
    return read_char(text + pos, size - pos, &code_point) and is_white(code_point)


cdef inline bint is_stop(uint32_t c) noexcept nogil:
    """Whether `c` ends a sentence if white space follows: . ! ? and the marks of other scripts."""
    return (
        c == 0x21 or c == 0x2E or c == 0x3F or c == 0x2026 or c == 0x203C or 0x2047 <= c <= 0x2049
        or c == 0x0589 or c == 0x061F or c == 0x06D4 or c == 0x0964 or c == 0x0965 or c == 0x104A or c == 0x104B
        or c == 0x1362 or c == 0x17D4 or is_wide_stop(c)
    )


cdef inline bint is_wide_stop(uint32_t c) noexcept nogil:
    """Whether `c` ends a sentence without white space after it: the marks of Chinese and Japanese."""
    return c == 0x3002 or c == 0xFF0E or c == 0xFF01 or c == 0xFF1F or c == 0xFF61


cdef inline bint is_closing(uint32_t c) noexcept nogil:
    """Whether `c` is a quotation mark or bracket that belongs to the sentence before it."""
    return (
        c == 0x22 or c == 0x27 or c == 0x29 or c == 0x5D or c == 0x7D or c == 0xBB or c == 0x2019 or c == 0x201D
        or c == 0x300B or c == 0x300D or c == 0x300F or c == 0x3011 or c == 0xFF09 or c == 0xFF3D
    )


cdef bint ends_sentence(const uint8_t* text, int32_t pos, int32_t size, bint is_word) noexcept nogil:
    """Whether a sentence ends before `pos`. is_word: `pos` is after white space and not before any."""
    cdef uint32_t right = 0
    cdef int32_t at = pos
    if is_word:
        while at > 0 and ends_white(text, at):
            at = char_before(text, at)
    else:
        read_char(text + pos, size - pos, &right)
        if is_closing(right) or is_stop(right) or is_white(right):
            return False
    while at > 0 and is_closing(char_ending(text, at)):
        at = char_before(text, at)
    if at == 0:
        return False
    return is_stop(char_ending(text, at)) if is_word else is_wide_stop(char_ending(text, at))
