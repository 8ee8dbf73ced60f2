"""Copies plain text in blocks, and takes one step at a time where a rule, a space or an ill-formed byte may be.

The loop is `write_steps`. `step` has the rules, and `fill_filter` says where the copy stops. Header: normalizer.pxd.
"""

cimport cython
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memchr
from libcpp.vector cimport vector

from spm_lite.base.system.signals cimport check_signals
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.token_mark cimport MARK_LEAD, MARK_SIZE, write_mark
from spm_lite.base.unicode.utf8 cimport char_size
from spm_lite.normalize.added_tokens cimport AddedTokens, FoundToken
from spm_lite.normalize.alignment cimport fill_char_alignment, show_spaces
from spm_lite.normalize.plain_copy cimport (
    ASCII, LEAD, STEP, Filter, copy_plain, fill_leads, fill_range, stops_copy,
)
from spm_lite.normalize.protected_strings cimport ProtectedStrings, longest_protected
from spm_lite.normalize.rules.char_flags cimport FIRES, FOLLOWS
from spm_lite.normalize.rules.charsmap cimport Charsmap
from spm_lite.normalize.text_step cimport Changed, TextStep, end_of_origin
from spm_lite.normalize.text_writer cimport Writer, close_writer, open_writer, refuse_length, write_byte, write_bytes

from spm_lite.errors import OptionError, TextError

cdef enum:
    SPACE = 0x20
    CHAR_BYTES = 4
    SIGNAL_BYTES = 1 << 21      # of text between two signal checks,
    SIGNAL_LOOKS = 1 << 27      # or as many reads of bytes: a long rule may begin at each byte

cdef const char* REPLACEMENT = b"\xEF\xBF\xBD"      # U+FFFD, for an ill-formed byte
cdef const char* SPACE_MARK = b"\xE2\x96\x81"       # U+2581, an escaped space


@cython.final
cdef class Normalizer:
    """Turns raw text (bytes) into normalized text; never changed after it is made.

    charsmap: the rules. protected: strings that no rule may change (the user-defined symbols of a model), as
    ProtectedStrings or in a list.
    whitespace_as_suffix: the dummy space goes after the text. compact, lossless: see `normalizer.pxd`; compact is a
    form of the text inside the engine, and `normalize` returns the same text with or without it. form: of Unicode, or
    other steps, which a text gets before all else; None: none. prefix_unless_space: a text that begins with a space or
    U+2581 then gets no dummy space. added, later: tokens that are found in raw text, and in normalized text. A mark
    stands for each (see `token_mark`), and what is between them is normalized by itself. prefix_each_text: each such
    part then gets the dummy space. marks_words: a mark stands between spaces, as words do. words: the last step of
    `form` if it makes words, which come after the search for tokens. early: the steps before it. plain: see
    `plain_filter`.
    Raises OptionError if compact or lossless is not possible with the other arguments, ModelError for a protected
    string that is empty or holds a NUL.

    >>> from spm_lite.normalize.rules.charsmap import Charsmap
    >>> Normalizer(Charsmap()).normalize(b" two  words ").decode()
    '▁two▁words'
    """

    def __cinit__(
        self,
        Charsmap charsmap not None,
        bint add_dummy_prefix=True,
        bint remove_extra_whitespaces=True,
        bint escape_whitespaces=True,
        bint whitespace_as_suffix=False,
        bint compact=False,
        bint lossless=False,
        protected=(),
        TextStep form=None,
        bint prefix_unless_space=False,
        AddedTokens added=None,
        AddedTokens later=None,
        bint prefix_each_text=False,
        bint marks_words=False,
        TextStep early=None,
        TextStep words=None,
        Normalizer plain=None,
    ):
        self.charsmap = charsmap
        self.add_dummy_prefix = add_dummy_prefix
        self.remove_extra_whitespaces = remove_extra_whitespaces
        self.escape_whitespaces = escape_whitespaces
        self.whitespace_as_suffix = whitespace_as_suffix
        self.compact = compact
        self.lossless = lossless
        self.protected = protected if isinstance(protected, ProtectedStrings) else ProtectedStrings(protected)
        self.form = form
        self.prefix_unless_space = prefix_unless_space
        self.added = added
        self.later = later
        self.prefix_each_text = prefix_each_text
        self.marks_words = marks_words
        self.early = early if words is not None else form
        self.words = words
        self.plain = plain if compact and not lossless and not whitespace_as_suffix else None
        self.has_parts = added is not None or later is not None
        self.is_whole = self.has_parts or (
            form is not None and not (form.is_local and (form.keeps_start or not prefix_unless_space))
        )
        # The dummy space is before the start of a text alone; a text that loses its start in the steps gets none.
        is_once = self.has_parts or (prefix_unless_space and self.is_whole)
        if is_once and add_dummy_prefix and not prefix_each_text and not whitespace_as_suffix:
            self.unprefixed = Normalizer(
                charsmap, False, remove_extra_whitespaces, escape_whitespaces, whitespace_as_suffix, compact, lossless,
                self.protected,
            )
        check_compact(self)
        self.copies_protected = self.protected.are_plain
        fill_filter(self, &self.filter, True)
        fill_filter(self, &self.copy_filter, not self.copies_protected)
        self.keeps_text = compact and form is None and self.copies_protected and charsmap.char_flags.empty() and not (
            remove_extra_whitespaces or prefix_unless_space or self.has_parts
        )
        # With the next character:
        self.reach = max(charsmap.max_source, self.protected.longest, CHAR_BYTES) + CHAR_BYTES

    def __reduce__(self):
        return Normalizer, (
            self.charsmap, self.add_dummy_prefix, self.remove_extra_whitespaces, self.escape_whitespaces,
            self.whitespace_as_suffix, self.compact, self.lossless, self.protected, self.form,
            self.prefix_unless_space, self.added, self.later, self.prefix_each_text,
            self.marks_words, self.early, self.words, self.plain,
        )

    def normalize(
        self, bytes text not None, bint with_alignment=False, bint in_characters=False, bint shows_spaces=True,
    ):
        """Return the normalized text, an escaped space as U+2581; with alignment: (normalized text, alignment).

        text: UTF-8 bytes; ill-formed ones become U+FFFD, or stay if lossless. alignment: for each byte of the result
        the byte of `text` where its run began, then one more entry for the end; [] if the result is empty because
        the text is empty or only spaces that are removed. in_characters: as `fill_char_alignment` makes it of that.
        shows_spaces: else an escaped space of compact text is a space, as it is inside the engine.
        Raises TextError if the text has more than 2^31 - 1 bytes before or after normalization.
        """
        cdef vector[uint8_t] out, shown
        cdef vector[int32_t] align, shown_align, char_align
        cdef const uint8_t* data = <const uint8_t*> <const char*> text
        cdef int64_t size = len(text)
        if size > INT32_MAX:
            raise TextError(f"the text has {size} bytes, more than the {INT32_MAX} of one text: split it")
        with nogil:
            self.normalize_into(data, <int32_t> size, out, &align if with_alignment else NULL)
            if self.compact and shows_spaces:
                show_spaces(out, align, shown, shown_align)
                out.swap(shown)
                align.swap(shown_align)
            if with_alignment and in_characters:
                fill_char_alignment(data, size, out.data(), <int64_t> out.size(), align, char_align)
                align.swap(char_align)
        normalized = (<const char*> out.data())[: out.size()] if out.size() else b""
        return (normalized, list(align)) if with_alignment else normalized

    def leading_spaces(self, bytes text not None):
        """Return the bytes at the start of a text that become spaces, one space a step: those that may be removed.

        >>> from spm_lite.normalize.rules.charsmap import Charsmap
        >>> Normalizer(Charsmap()).leading_spaces(b"  a ")
        2
        """
        return self.spaces_before(<const uint8_t*> <const char*> text, <int32_t> min(len(text), INT32_MAX))

    cdef int32_t spaces_before(self, const uint8_t* text, int32_t size) except -1 nogil:
        """Return the bytes of the spaces before a text that is in no form of Unicode yet."""
        cdef vector[uint8_t] formed
        cdef vector[int32_t] moved
        if self.form is None or not self.form.apply(text, size, formed, &moved, NULL):
            return self.skip_spaces(text, size)
        return moved[self.skip_spaces(formed.data(), <int32_t> formed.size())]

    cdef int normalize_into(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        """Overwrite `out` with the internal form of `text`; `align`, if any, gets an offset per byte and one more."""
        cdef vector[uint8_t] formed
        cdef vector[int32_t] moved
        cdef bint is_moved = align != NULL or self.unprefixed is not None
        cdef size_t k
        if self.has_parts:
            return self.normalize_parts(text, size, out, align)
        if self.plain is not None and align == NULL and self.copy_unchanged(text, size, out):
            return 0
        if self.form is None or not self.form.apply(text, size, formed, &moved if is_moved else NULL, NULL):
            return self.normalize_formed(text, size, out, align)
        if formed.size() > <size_t> INT32_MAX:
            refuse_length(size, <int64_t> formed.size())
        if self.unprefixed is not None and moved.size() and moved[0] > 0:
            self.unprefixed.normalize_formed(formed.data(), <int32_t> formed.size(), out, align)
        else:
            self.normalize_formed(formed.data(), <int32_t> formed.size(), out, align)
        if align != NULL:
            for k in range(align.size()):
                align.data()[k] = moved[align.data()[k]]
        return 0

    cdef int normalize_formed(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        """Do the same for a text in the form of Unicode."""
        cdef Writer writer
        cdef Reading reading
        open_writer(&writer, out, align, 0, size, False)
        if not self.open_text(&writer, &reading, text, size):
            out.clear()
            if align != NULL:
                align.clear()
            return 0
        self.write_steps(&writer, &reading, text, size, size, NULL)
        return close_writer(&writer, self.close_text(&writer, reading.pos))

    cdef bint copy_unchanged(self, const uint8_t* text, int32_t size, vector[uint8_t]& out) except -1 nogil:
        """Write a text that no step changes after its dummy space; False: a step may change it.

        Most lines of English are such texts: this takes a tenth of the time of the steps. Characters that rules alone
        change are written on the way, such as U+0E33 of Thai, if what they become would stay.
        """
        cdef Writer writer
        cdef const uint8_t* target = NULL
        cdef int32_t pos = 0, n_prefix, used, end = 0, at, target_size = 0
        cdef bint collapses = self.plain.add_dummy_prefix
        cdef bint after_space = collapses
        if size == 0 or not collapses and (text[0] == SPACE or text[size - 1] == SPACE):
            return False
        while pos < size and text[pos] == SPACE:
            pos += 1
        if pos == size:
            out.clear()
            return True
        open_writer(&writer, out, NULL, 0, size, False)
        if self.words is not None or self.add_dummy_prefix:
            write_byte(&writer, SPACE, 0)
        n_prefix = writer.size
        copy_plain(&self.plain.filter, &writer, text, size, size, &pos, &after_space)
        while pos < size and self.plain.form is not None:
            used = self.plain.form.change_at(text, size, pos, &end, &target, &target_size)
            if used < 0:
                return False
            at = 0
            copy_plain(&self.plain.filter, &writer, target, target_size, target_size, &at, &after_space)
            if at < target_size:
                return False
            pos += used
            copy_plain(&self.plain.filter, &writer, text, size, size, &pos, &after_space)
        if pos < size or not collapses and writer.size - n_prefix != size:
            return False
        while writer.size and writer.bytes[writer.size - 1] == SPACE:
            writer.size -= 1
        close_writer(&writer, size)
        return True

    cdef int normalize_parts(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        """Do the same with a mark for each added token; what is between them is normalized by itself."""
        cdef FoundToken found = FoundToken(-1, 0, 0, 0)
        cdef int32_t pos = 0
        out.clear()
        if align != NULL:
            align.clear()
        if memchr(text, <int> MARK_LEAD, <size_t> size) != NULL:
            refuse_mark()
        while self.added is not None and self.added.find(text, size, pos, found.next, &found):
            if pos < found.begin:
                self.add_text(text, pos, found.begin, out, align)
            self.add_mark(found.piece_id, found.begin, out, align)
            pos = found.end
        if pos < size:
            self.add_text(text, pos, size, out, align)
        if out.size() > <size_t> INT32_MAX:
            refuse_length(size, <int64_t> out.size())
        if align != NULL and out.size():
            align.push_back(size)
        return 0

    cdef int add_text(
        self, const uint8_t* text, int32_t begin, int32_t end, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        """Append the normalized form of a part of a text, between two tokens that are found in raw text.

        A dummy space that is not before each text comes after the search for tokens in normalized text: so it is in
        tokenizers, where Metaspace comes after the normalizer. Where it depends on what the text begins with, spaces
        become U+2581 after the search, too.
        """
        cdef vector[uint8_t] formed, segment
        cdef vector[int32_t] moved, places
        cdef FoundToken found = FoundToken(-1, 0, 0, 0)
        cdef const uint8_t* part = text + begin
        cdef int32_t size = end - begin, pos = 0, n_prefix
        cdef bint has_moved = False, is_early = self.prefix_unless_space or self.words is not None
        cdef bint is_start = begin == 0
        cdef vector[int32_t]* wanted = &moved if align != NULL or (is_start and self.unprefixed is not None) else NULL
        cdef size_t n_before = 0, k
        if align != NULL:
            n_before = align.size()
        if self.later is None:
            if self.form is not None:
                has_moved = self.form.apply(part, size, formed, wanted, NULL)
        elif self.early is not None:
            has_moved = self.early.apply(part, size, formed, wanted, NULL)
        if has_moved:
            if formed.size() > <size_t> INT32_MAX:
                refuse_length(size, <int64_t> formed.size())
            part, size = formed.data(), <int32_t> formed.size()
            if is_start and self.prefix_unless_space and self.unprefixed is not None:
                is_start = moved.empty() or moved[0] == 0  # else the steps have removed the start of the text
        if self.later is None:
            self.add_segment(part, size, is_start, out, align)
        elif is_early:
            while self.later.find(part, size, pos, found.next, &found):
                if pos < found.begin:
                    self.add_shifted(part, pos, found.begin, is_start and pos == 0, out, align)
                self.add_mark(found.piece_id, found.begin, out, align)
                pos = found.end
            if pos < size:
                self.add_shifted(part, pos, size, is_start and pos == 0, out, align)
        else:
            self.add_segment(part, size, is_start, segment, &places)
            places.push_back(size)
            n_prefix = self.size_of_prefix(part, size) if is_start else 0
            found.end = found.next = n_prefix
            while self.later.find(segment.data(), <int32_t> segment.size(), found.end, found.next, &found):
                if pos or found.begin > n_prefix:  # a dummy space stands before text alone
                    self.copy_segment(segment, places, pos, found.begin, out, align)
                self.add_mark(found.piece_id, places[found.begin], out, align)
                pos = found.end
            self.copy_segment(segment, places, pos, <int32_t> segment.size(), out, align)
        if align != NULL:
            for k in range(n_before, align.size()):
                align.data()[k] = begin + (moved[align.data()[k]] if has_moved else align.data()[k])
        return 0

    cdef int32_t size_of_prefix(self, const uint8_t* text, int32_t size) noexcept nogil:
        """Return the bytes of the dummy space before a text if it stands only before the first; else 0.

        It is no dummy space if it stands for spaces of the text, which are removed.
        """
        if self.unprefixed is None or (self.remove_extra_whitespaces and self.skip_spaces(text, size)):
            return 0
        return 1 if self.compact or not self.escape_whitespaces else 3

    cdef int add_shifted(
        self, const uint8_t* text, int32_t begin, int32_t end, bint is_first, vector[uint8_t]& out,
        vector[int32_t]* align,
    ) except -1 nogil:
        """Append the normalized form of a part of a text in the form, with offsets in that text."""
        cdef size_t n_before = align.size() if align != NULL else 0, k
        cdef vector[uint8_t] worded
        cdef vector[int32_t] moved
        cdef bint has_moved = False
        if self.words is not None:
            has_moved = self.words.apply(
                text + begin, end - begin, worded, &moved if align != NULL else NULL, NULL,
            )
        if has_moved:
            self.add_segment(worded.data(), <int32_t> worded.size(), is_first, out, align)
        else:
            self.add_segment(text + begin, end - begin, is_first, out, align)
        if align != NULL:
            for k in range(n_before, align.size()):
                align.data()[k] = begin + (moved[align.data()[k]] if has_moved else align.data()[k])
        return 0

    cdef int copy_segment(
        self, const vector[uint8_t]& segment, const vector[int32_t]& places, int32_t begin, int32_t end,
        vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        """Append a part of normalized text."""
        if begin < end:
            out.insert(out.end(), segment.begin() + begin, segment.begin() + end)
            if align != NULL:
                align.insert(align.end(), places.begin() + begin, places.begin() + end)
        return 0

    cdef int add_segment(
        self, const uint8_t* text, int32_t size, bint is_first, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        """Append the normalized form of a part of a text in the form. is_first: the part begins the text.

        Where extra spaces are removed, one of those that a later part begins with stays.
        """
        cdef vector[uint8_t] segment
        cdef vector[int32_t] places
        cdef vector[int32_t]* wanted = &places if align != NULL else NULL
        if self.unprefixed is None or is_first or (self.remove_extra_whitespaces and self.skip_spaces(text, size)):
            self.normalize_formed(text, size, segment, wanted)
        else:
            self.unprefixed.normalize_formed(text, size, segment, wanted)
        out.insert(out.end(), segment.begin(), segment.end())
        if align != NULL and segment.size():
            align.insert(align.end(), places.begin(), places.end() - 1)
        return 0

    cdef int add_mark(
        self, int32_t piece_id, int32_t begin, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        """Append the mark of an added token, which begins at `begin`; in WordPiece, with a space before and after."""
        cdef uint8_t mark[MARK_SIZE + 2]
        cdef int32_t size = MARK_SIZE
        if self.marks_words:
            mark[0] = mark[MARK_SIZE + 1] = SPACE
            write_mark(mark + 1, piece_id)
            size += 2
        else:
            write_mark(mark, piece_id)
        out.insert(out.end(), mark, mark + size)
        if align != NULL:
            align.resize(out.size(), begin)
        return 0

    cdef int32_t normalize_start(
        self, const uint8_t* text, int32_t size, int32_t stop, vector[uint8_t]& out, vector[int32_t]& align,
        vector[WideStep]& steps,
    ) except -1 nogil:
        """Normalize the start of a text, as far as it does not depend on the rest; return the number of bytes read.

        These are `stop` or a little more, and end where a step does. Spaces at the end are kept, and no dummy space
        follows them. out, align: overwritten. steps: overwritten with those that read several characters.
        """
        cdef vector[uint8_t] formed
        cdef vector[int32_t] moved
        cdef vector[Changed] changed
        cdef int32_t end, n_unsure
        if self.is_whole:
            steps.clear()
            self.normalize_into(text, size, out, &align)
            return size
        if self.form is None:
            return self.start_formed(text, size, stop, out, align, steps)
        n_unsure = self.reach if stop < size else 0  # `stop` is where a part of the form begins: see `sure_end`
        end = min(size, stop)
        if not self.form.apply(text, end, formed, &moved, &changed):
            return self.start_formed(text, end, max(end - n_unsure, 0), out, align, steps)
        end = max(<int32_t> formed.size() - n_unsure, 0)
        while n_unsure and end > 0 and moved[end] == moved[end - 1]:
            end -= 1  # to the start of a part that changes
        end = self.start_formed(formed.data(), <int32_t> formed.size(), end, out, align, steps)
        move_back(moved, changed, align, steps)
        return moved[end]

    cdef int32_t sure_end(self, const uint8_t* text, int32_t size) except -1 nogil:
        """Return how much of the start of a text is enough for `normalize_start`, whatever follows; 0: none.

        The result is the last place that no later text can change.
        """
        if self.is_whole:
            return 0
        if self.form is None:
            return max(size - self.reach, 0)
        return self.form.last_begin(text, size)

    cdef int32_t start_formed(
        self, const uint8_t* text, int32_t size, int32_t stop, vector[uint8_t]& out, vector[int32_t]& align,
        vector[WideStep]& steps,
    ) except -1 nogil:
        """Do the same for a text in the form of Unicode."""
        cdef Writer writer
        cdef Reading reading
        steps.clear()
        open_writer(&writer, out, &align, 0, min(size, stop), False)
        if self.open_text(&writer, &reading, text, size):
            self.write_steps(&writer, &reading, text, size, stop, &steps)
        close_writer(&writer, reading.pos)
        return reading.pos

    cdef int32_t add_part(
        self, Reading* reading, const uint8_t* text, int32_t size, int32_t stop, bint is_last, bint is_sound,
        vector[uint8_t]& out, int32_t n_kept,
    ) except -1 nogil:
        """Normalize a text from the reading position up to `stop` or a little more; `n_kept` bytes of `out` stay.

        Return the number of bytes in `out` now; any bytes after them are meaningless. Spaces at the end stay until all
        is read. is_last: the text ends at `size`; else `stop` is `reach` bytes or more before that, and so is the end
        of the leading spaces that are removed.
        """
        cdef Writer writer
        open_writer(&writer, out, NULL, n_kept, stop - reading.pos, is_sound)
        if not reading.is_open and not self.open_text(&writer, reading, text, size):
            return writer.size
        self.write_steps(&writer, reading, text, size, max(stop, reading.pos), NULL)
        if is_last and reading.pos == size:
            self.close_text(&writer, size)
        return writer.size

    cdef bint open_text(self, Writer* writer, Reading* reading, const uint8_t* text, int32_t size) except -1 nogil:
        """Start `reading` after leading spaces that are removed, and write the dummy space; False: no text is left."""
        reading[0] = Reading(0, True, self.remove_extra_whitespaces)
        if self.remove_extra_whitespaces:
            reading.pos = self.skip_spaces(text, size)
        if reading.pos == size:  # then there is no dummy space either
            return False
        if self.add_dummy_prefix and not self.whitespace_as_suffix:
            if not self.prefix_unless_space or not self.begins_with_space(text + reading.pos, size - reading.pos):
                self.write_space(writer, reading.pos)
        return True

    cdef bint begins_with_space(self, const uint8_t* text, int32_t size) noexcept nogil:
        """Whether the first step that writes something writes a space or U+2581 first."""
        cdef const uint8_t* run = NULL
        cdef int32_t run_size = 0, pos = 0
        while pos < size and run_size == 0:
            pos += self.step(text + pos, size - pos, &run, &run_size)
        return run_size > 0 and (run[0] == SPACE or is_space_mark(run, run_size))

    cdef int32_t close_text(self, Writer* writer, int32_t pos) except -1 nogil:
        """Remove the spaces at the end, if they are to be, and write the dummy space after a text that ends at `pos`.

        Return the offset in the input where the text ends now.
        """
        if self.remove_extra_whitespaces:
            pos = self.trim_end(writer, pos)
        if self.add_dummy_prefix and self.whitespace_as_suffix:
            self.write_space(writer, pos)
        return pos

    cdef int write_steps(
        self, Writer* writer, Reading* reading, const uint8_t* text, int32_t size, int32_t stop,
        vector[WideStep]* steps,
    ) except -1 nogil:
        """Append the normalized text from the reading position up to `stop` or a little more.

        steps: gets those that read several characters; NULL: not wanted.
        """
        # Where no offsets are wanted, the copy goes on within protected strings that no rule would change.
        cdef bint has_protected = self.protected.longest > 0
        cdef bint is_free = has_protected and self.copies_protected and writer.starts == NULL and steps == NULL
        cdef const Filter* filter = &self.copy_filter if is_free else &self.filter
        cdef bint after_space = reading.after_space
        cdef const uint8_t* run = NULL
        cdef int32_t pos = reading.pos, sure = pos
        cdef int32_t most = max(min(<int32_t> SIGNAL_BYTES, <int32_t> SIGNAL_LOOKS // self.reach), <int32_t> 1)
        cdef int32_t run_size = 0, used, next_stop = pos + min(stop - pos, most)
        while True:
            if pos >= next_stop or not stops_copy(filter, text + pos, size - pos):
                copy_plain(filter, writer, text, size, next_stop, &pos, &after_space)
                if is_free and sure < pos < size:
                    used = self.rest_of_protected(text, size, sure, pos)
                    if used:
                        self.copy_run(writer, text + pos, used, pos)
                        after_space = False
                    pos += used
                    sure = pos
            if pos >= stop:
                reading[0] = Reading(pos, True, after_space)
                return 0
            if pos >= next_stop:
                next_stop = pos + min(stop - pos, most)
                check_signals()
                continue
            used = self.step(text + pos, size - pos, &run, &run_size)
            while after_space and run_size and run[0] == SPACE:
                run += 1
                run_size -= 1
            if run_size:  # after a deleted character `after_space` stays
                self.copy_run(writer, run, run_size, pos)
                after_space = self.remove_extra_whitespaces and run[run_size - 1] == SPACE
            if steps != NULL and used > max(char_size(text + pos, size - pos), 1):
                steps.push_back(WideStep(pos, pos + used))
            pos += used
            sure = pos

    cdef int32_t rest_of_protected(
        self, const uint8_t* text, int32_t size, int32_t begin, int32_t pos,
    ) noexcept nogil:
        """Return how far a protected string around `pos` extends after it, in a text that was copied up to there.

        begin: no protected string extends over it. Nor does one over a space, so the look goes back to the last one.
        """
        cdef int32_t at = pos, used
        while at > begin and text[at - 1] != SPACE:
            at -= 1
        while at < pos:
            used = longest_protected(self.protected, text + at, size - at)
            at += used if used else max(char_size(text + at, size - at), <int32_t> 1)
        return at - pos

    cdef int32_t step(
        self, const uint8_t* text, int32_t size, const uint8_t** run, int32_t* run_size,
    ) noexcept nogil:
        """Set `run` and its size to what the first step of the text (1 byte or more) becomes; return the bytes read.

        A step is the first of: the longest protected string, the longest rule, a character, an ill-formed byte.
        """
        cdef int32_t used = longest_protected(self.protected, text, size)
        if used == 0:
            used = self.charsmap.longest_match(text, size, run, run_size)
            if used:
                return used
            used = char_size(text, size)
        if used == 0:
            if not self.lossless:
                run[0] = <const uint8_t*> REPLACEMENT
                run_size[0] = 3
                return 1
            used = 1
        run[0] = text
        run_size[0] = used
        return used

    cdef int32_t skip_spaces(self, const uint8_t* text, int32_t size) noexcept nogil:
        """Return the bytes of the spaces before the text: of all steps that become exactly one space each."""
        cdef const uint8_t* run = NULL
        cdef int32_t run_size = 0, used, pos = 0
        if size > 1 and text[0] != SPACE and self.filter.kinds[text[0]] == self.filter.kinds[text[1]] == ASCII:
            return 0  # as nearly all texts begin
        while pos < size:
            used = self.step(text + pos, size - pos, &run, &run_size)
            if run_size != 1 or run[0] != SPACE:
                break
            pos += used
        return pos

    cdef int copy_run(
        self, Writer* writer, const uint8_t* run, int32_t run_size, int32_t pos,
    ) except -1 nogil:
        """Append a run; write its spaces, and in a compact text its U+2581, as the space symbol."""
        cdef bint shows_marks = self.compact and not self.lossless
        cdef int32_t k = 0, begin
        while k < run_size:
            begin = k
            while k < run_size and run[k] != SPACE:
                if shows_marks and is_space_mark(run + k, run_size - k):
                    break
                k += 1
            write_bytes(writer, run + begin, k - begin, pos)
            if k < run_size:
                self.write_space(writer, pos)
                k += 1 if run[k] == SPACE else 3
        return 0

    cdef int write_space(self, Writer* writer, int32_t pos) except -1 nogil:
        """Append the space symbol: U+2581, or 0x20 where the text is compact or spaces are not escaped."""
        cdef int32_t k
        if self.compact or not self.escape_whitespaces:
            return write_byte(writer, SPACE, pos)
        for k in range(3):
            write_byte(writer, <uint8_t> SPACE_MARK[k], pos)
        return 0

    cdef int32_t trim_end(self, Writer* writer, int32_t pos) noexcept nogil:
        """Cut off the space symbols at the end; return the offset in the input where the text ends now."""
        cdef int32_t symbol_size = 1 if self.compact or not self.escape_whitespaces else 3
        while self.ends_with_space(writer):
            writer.size -= symbol_size
            if writer.starts != NULL:
                pos = writer.starts[writer.size]
        return pos

    cdef bint ends_with_space(self, const Writer* writer) noexcept nogil:
        if self.compact or not self.escape_whitespaces:
            return writer.size >= 1 and writer.bytes[writer.size - 1] == SPACE
        return writer.size >= 3 and is_space_mark(writer.bytes + writer.size - 3, 3)


cdef int move_back(
    const vector[int32_t]& moved, const vector[Changed]& changed, vector[int32_t]& align, vector[WideStep]& steps,
) except -1 nogil:
    """Map offsets in the normal form to offsets in the original text. Each part that changed is one step.

    A step that ends within what one part became goes on to the end of that part.
    """
    cdef vector[WideStep] all_steps
    cdef WideStep step
    cdef size_t i = 0, k, end = 0
    for k in range(align.size()):
        align[k] = moved[align[k]]
    for k in range(steps.size()):
        end = end_of_origin(moved, steps[k].end - 1, max(end, <size_t> steps[k].end))
        steps[k] = WideStep(moved[steps[k].begin], moved[end])
    k = 0
    while i < changed.size() or k < steps.size():
        if k == steps.size() or (i < changed.size() and changed[i].begin <= steps[k].begin):
            step = WideStep(changed[i].begin, changed[i].end)
            i += 1
        else:
            step = steps[k]
            k += 1
        if all_steps.size() and step.begin < all_steps.back().end:
            all_steps.back().end = max(all_steps.back().end, step.end)
        elif step.begin < step.end:
            all_steps.push_back(step)
    steps.swap(all_steps)
    return 0


cdef int refuse_mark() except -1 nogil:
    """Raise TextError for the byte FF, with which marks of tokens begin."""
    with gil:
        raise TextError(
            "the text holds the byte FF, which is not UTF-8: a model with added tokens takes UTF-8 alone. Give str, or "
            "decode it with errors='replace'"
        )


cdef int check_compact(Normalizer normalizer) except -1:
    """Raise OptionError if compact or lossless text could not hold all that the plain form does."""
    if normalizer.lossless and normalizer.escape_whitespaces and not normalizer.compact:
        raise OptionError("a lossless normalizer that escapes spaces has compact text: compact=False given")
    if normalizer.compact and not normalizer.escape_whitespaces:
        raise OptionError("compact text needs escape_whitespaces: False given")
    if normalizer.compact and not normalizer.charsmap.is_well_formed:
        raise OptionError("compact text needs rules whose replacements are well-formed UTF-8")
    if normalizer.compact and not normalizer.protected.is_well_formed:
        raise OptionError("compact text needs user-defined symbols in well-formed UTF-8")
    return 0


cdef void fill_filter(Normalizer normalizer, Filter* filter, bint stops_at_protected) noexcept:
    """Fill a filter, which says where the copy of plain text stops."""
    cdef bint has_rules = not normalizer.charsmap.char_flags.empty()
    cdef int32_t byte
    filter.char_flags = normalizer.charsmap.char_flags.data() if has_rules else NULL
    filter.drops_spaces = normalizer.remove_extra_whitespaces
    filter.stops_at_mark = normalizer.compact and not normalizer.lossless
    for byte in range(256):
        filter.kinds[byte] = STEP
        if stops_at_protected and normalizer.protected.starts[byte]:
            continue
        if byte >= 0x80:
            filter.kinds[byte] = LEAD
        elif byte == SPACE and normalizer.escape_whitespaces and not normalizer.compact:
            continue  # it becomes three bytes
        elif not (has_rules and normalizer.charsmap.char_flags[byte] & (FIRES | FOLLOWS)):
            filter.kinds[byte] = ASCII
    fill_range(filter)
    fill_leads(filter)
