"""Normalizes a text whole (`take`) or in parts (`start`, `add_part`). Text that stays as it is, is only transcoded.

Other text goes through a window of UTF-8 that moves over it. Header: normalized_text.pxd.
"""

cimport cython
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memmove, memset
from libcpp.vector cimport vector

from spm_lite.base.system.signals cimport check_signals
from spm_lite.base.unicode.utf8 cimport BLOCK_BYTES, is_ascii
from spm_lite.normalize.normalizer cimport Normalizer, Reading
from spm_lite.normalize.text_writer cimport refuse_length
from spm_lite.texts.text_view cimport ASCII, BYTES, SOUND, TextView, width_of
from spm_lite.texts.transcode cimport (
    TRANSCODE_SLACK, Utf8Result, holds_mark, refuse, transcode, transcode_view, transcoded_room,
)

cdef enum:
    SPACE = 0x20
    MARK_BYTES = 3          # of U+2581 and U+FFFD, which replace one byte each

cdef enum:
    SIGNAL_PARTS = 1 << 6   # parts between two signal checks


@cython.final
cdef class NormalizedText:
    """Normalizes one text after the other into memory that is reused.

    Normalizing in parts needs memory for the longest chunk only, or for the spaces at the end that are removed.
    Exception: with more leading spaces than a part holds, or rules longer than half a part, a str is copied to UTF-8.
    """

    def __cinit__(self, Normalizer normalizer not None):
        self.normalizer = normalizer

    cdef int32_t take(self, const TextView* view, Py_ssize_t index) except -1 nogil:
        """Normalize a whole text. index: its place in a batch, or NO_PLACE."""
        cdef TextView text = view[0]
        cdef int32_t n_bytes
        if text.form == BYTES and is_ascii(text.data, text.size):
            text.form = ASCII
        # Transcoding looks for U+2581 in ASCII and characters; in UTF-8 the normalizer does, while it copies.
        if self.normalizer.keeps_text and text.form != BYTES and text.form != SOUND:
            n_bytes = self.copy_part(&text, index, 0, 0, True)
            if n_bytes >= 0:
                return n_bytes
        transcode_view(&text, index, self.transcoded)
        if self.normalizer.is_whole or self.normalizer.plain is not None:
            self.normalizer.normalize_into(text.data, text.size, self.bytes, NULL)
            n_bytes = <int32_t> self.bytes.size()
            self.end_at(n_bytes)
            return n_bytes
        if self.normalizer.form is not None:
            self.take_form(&text)
        self.reading = Reading(0, False, False)
        n_bytes = self.normalizer.add_part(
            &self.reading, text.data, text.size, text.size, True, text.form != BYTES, self.bytes, 0,
        )
        self.end_at(n_bytes)
        return n_bytes

    cdef int take_form(self, TextView* text) except -1 nogil:
        """Turn a text of UTF-8 into its form of Unicode."""
        if self.normalizer.form.apply(text.data, text.size, self.formed, NULL, NULL):
            if self.formed.size() > <size_t> INT32_MAX:
                refuse_length(text.size, <int64_t> self.formed.size())
            text.data = self.formed.data()
            text.size = <int32_t> self.formed.size()
        return 0

    cdef bint start(self, const TextView* view, Py_ssize_t index) except -1 nogil:
        """Prepare for the parts of a text; False: it must be taken whole, or may be too long."""
        if view.size <= PART_SIZE or self.normalizer.form is not None or self.normalizer.is_whole:
            return False
        self.view = view[0]
        self.index = index
        self.place = 0
        self.reading = Reading(0, False, False)
        self.n_parts = self.n_bytes = self.n_spaces = 0
        self.n_transcoded = self.n_dropped = 0
        self.is_copied = self.normalizer.keeps_text and view.form != BYTES and view.form != SOUND
        self.is_copied = self.is_copied and (self.normalizer.lossless or not holds_mark(view))
        if self.is_copied:
            return view.size <= INT32_MAX // 4 - 1 or transcoded_room(view) < INT32_MAX
        self.open_window()
        return True

    cdef int32_t add_part(self) except -2 nogil:
        """Normalize the next part of the text after the rest of the parts before it.

        Return the number of bytes that no later text can change. They end with a whole character.
        """
        cdef TextView part
        cdef int32_t begin = self.place
        self.n_parts += 1
        if self.n_parts % SIGNAL_PARTS == 0:
            check_signals()
        if not self.is_copied:
            return self.add_normalized()
        self.next_part(&part)
        self.n_bytes = self.copy_part(&part, self.index, begin, self.n_bytes, self.is_whole())
        return self.n_bytes

    cdef int32_t add_normalized(self) except -2 nogil:
        """Add the next part of a text that may need more than a dummy space. Returns as `add_part`."""
        cdef Window* window = &self.window
        cdef int32_t n_before = self.n_bytes, reach = self.normalizer.reach, stop
        cdef int64_t growth = max(self.normalizer.charsmap.max_target, <int32_t> MARK_BYTES)
        if self.reading.is_open and not window.is_last:
            self.move_window()
        if window.is_last:
            stop = self.reading.pos + min(window.size - self.reading.pos, <int32_t> PART_SIZE)
        else:
            stop = window.size - reach
        if max(self.n_transcoded, self.n_dropped + n_before + (stop - self.reading.pos + reach) * growth) > INT32_MAX:
            return -1  # `take` finds out whether it is too long
        self.n_bytes = self.normalizer.add_part(
            &self.reading, window.data, window.size, stop, window.is_last, window.is_sound, self.bytes, n_before,
        )
        self.end_at(self.n_bytes)
        return self.n_bytes - self.count_spaces(self.n_bytes - n_before)

    cdef int end_at(self, int32_t n_bytes) except -1 nogil:
        """Make BLOCK_BYTES after `n_bytes` readable, for the search for cuts."""
        if <int64_t> self.bytes.size() < <int64_t> n_bytes + BLOCK_BYTES:
            self.bytes.resize(<size_t> n_bytes + BLOCK_BYTES)
        # Zeros: bytes of an earlier text could complete a character that is cut off.
        memset(self.bytes.data() + n_bytes, 0, BLOCK_BYTES)
        return 0

    cdef bint is_whole(self) noexcept nogil:
        """Whether there are no more parts."""
        if self.is_copied:
            return self.place == self.view.size
        return self.window.is_last and self.reading.pos == self.window.size

    cdef void drop(self, int32_t n_done) noexcept nogil:
        """Remove the first `n_done` bytes."""
        self.n_bytes -= n_done
        self.n_dropped += n_done
        if n_done:
            memmove(self.bytes.data(), self.bytes.data() + n_done, self.n_bytes)

    cdef int hand_over(self, vector[uint8_t]& out, int32_t n_done) except -1 nogil:
        """Move the first `n_done` bytes to `out`, where BLOCK_BYTES after them are readable."""
        cdef const uint8_t* rest
        out.swap(self.bytes)
        rest = out.data() + n_done
        self.n_bytes -= n_done
        self.n_dropped += n_done
        if <int64_t> self.bytes.size() < <int64_t> self.n_bytes + BLOCK_BYTES:
            self.bytes.resize(<size_t> self.n_bytes + BLOCK_BYTES)
        memcpy(self.bytes.data(), rest, self.n_bytes)
        return 0

    cdef void forget(self) noexcept nogil:
        """Free the memory that grows with a text."""
        self.bytes = vector[uint8_t]()
        self.transcoded = vector[uint8_t]()
        self.formed = vector[uint8_t]()

    cdef int open_window(self) except -1 nogil:
        """Set the window to the UTF-8 of the first part of the text, or of all of it."""
        cdef bint has_spaces = self.normalizer.remove_extra_whitespaces
        cdef int32_t stop
        self.window = Window(NULL, 0, True, False)
        if self.view.form > SOUND and self.normalizer.reach <= PART_SIZE // 2:
            self.move_window()
            stop = self.window.size - self.normalizer.reach
            if not has_spaces or self.normalizer.skip_spaces(self.window.data, self.window.size) < stop:
                return 0
        transcode_view(&self.view, self.index, self.transcoded)
        self.window = Window(self.view.data, self.view.size, self.view.form != BYTES, True)
        return 0

    cdef int move_window(self) except -1 nogil:
        """Move the start of the window to the reading position, and append the next part of the text."""
        cdef int32_t begin = self.place, n_left = self.window.size - self.reading.pos
        cdef TextView part
        cdef int64_t room
        cdef Utf8Result result
        self.next_part(&part)
        room = n_left + transcoded_room(&part) + TRANSCODE_SLACK
        if n_left:
            memmove(self.transcoded.data(), self.window.data + self.reading.pos, n_left)
        if <int64_t> self.transcoded.size() < room:
            self.transcoded.resize(room)
        self.write_chars(&part, self.index, begin, self.transcoded.data() + n_left, &result)
        self.n_transcoded += result.size
        self.reading.pos = 0
        self.window = Window(
            self.transcoded.data(), n_left + <int32_t> result.size, True, self.place == self.view.size,
        )
        return 0

    cdef void next_part(self, TextView* part) noexcept nogil:
        """Set `part` to the next characters of the original text."""
        part[0] = self.view
        part.data += <int64_t> self.place * width_of(&self.view)
        part.size = min(self.view.size - self.place, <int32_t> PART_SIZE)
        self.place += part.size

    cdef int32_t copy_part(
        self, const TextView* part, Py_ssize_t index, int32_t place, int32_t n_kept, bint is_last,
    ) except -2 nogil:
        """Write a part of a text, or all of it, after the first `n_kept` bytes; return the size of all.

        place: the number of its first character in the text. -1: more than a dummy space must be changed.
        """
        cdef bint has_ascii = part.form == ASCII
        cdef int64_t room = part.size if has_ascii else transcoded_room(part)
        cdef bint has_dummy = self.normalizer.add_dummy_prefix and part.size > 0  # an empty text gets none
        cdef bint is_before = has_dummy and place == 0 and not self.normalizer.whitespace_as_suffix
        cdef bint is_after = has_dummy and is_last and self.normalizer.whitespace_as_suffix
        cdef Utf8Result result = Utf8Result(part.size, False, 0, 0)
        cdef uint8_t* out
        room += n_kept + 2 + TRANSCODE_SLACK + <int64_t> BLOCK_BYTES
        if room > INT32_MAX:
            return -1  # the normalizer raises the error if it is too long
        if <int64_t> self.bytes.size() < room:
            self.bytes.resize(room)
        out = self.bytes.data() + n_kept
        out[0] = SPACE
        if has_ascii:
            memcpy(out + <int> is_before, part.data, part.size)
        else:
            self.write_chars(part, index, place, out + <int> is_before, &result)
            if result.has_mark and not self.normalizer.lossless:
                return -1
        out[<int> is_before + result.size] = SPACE
        return n_kept + <int> is_before + <int32_t> result.size + <int> is_after

    cdef int write_chars(
        self, const TextView* part, Py_ssize_t index, int32_t place, uint8_t* out, Utf8Result* result,
    ) except -1 nogil:
        """Transcode a part of a text. place: its first character, to report the place of an error in the text."""
        transcode(part, out, result)
        if result.size < 0:
            result.wrong_place += place
            refuse(result, index)
        return 0

    cdef int32_t count_spaces(self, int32_t n_new) noexcept nogil:
        """Count the spaces at the end, which are removed if the text ends there. n_new: bytes of the last part."""
        cdef const uint8_t* end = self.bytes.data() + self.n_bytes
        cdef int32_t n = 0
        if not self.normalizer.remove_extra_whitespaces or self.is_whole():
            return 0
        while n < n_new and end[-1 - n] == SPACE:
            n += 1
        self.n_spaces = n + (self.n_spaces if n == n_new else 0)
        return self.n_spaces
