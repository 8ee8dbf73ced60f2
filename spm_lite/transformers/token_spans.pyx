"""Offsets and words of the tokens of a text, as the package tokenizers gives them, from the text and its ids alone.

The text is normalized again, character by character, and each token must be found where the one before it ended. So
nothing is guessed: where a normalizer did more than that, nothing is known, and the original is asked.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

from spm_lite.encode.segment.split_text cimport SplitSegmenter

cdef enum:
    SPACE = 0x20
    MARK = 0x2581               # stands for a space in tokens

# Where a space is put before a text, as `prefix` of TokenSpans.
NO_PREFIX, ALWAYS, UNLESS_SPACE, AT_START, EACH_WORD = range(5)
# What begins a new word, as `words` of TokenSpans.
BY_TEXT, BY_SPACE, BY_TOKEN, BY_CUT = range(4)


@cython.final
cdef class TokenSpans:
    """Finds the tokens of a text in it.

    Args:
        surfaces: for each id the bytes that it stands for in normalized text; None: not known.
        added: the text of each added token that is found as it is, by its id.
        continues: for each id whether it goes on within a word; used for BY_TOKEN.
        prefix: NO_PREFIX to EACH_WORD, where a space is put before a text. AT_START: only before the first.
        words: BY_TEXT (text between two added tokens is a word), BY_SPACE (a token that begins with a space begins
            one), BY_TOKEN or BY_CUT.
        marks_space: U+2581 stands for a space.
        drops_space: white space is in no token.
        cuts: the segmenter that cuts a text; None: a text is one part.
        normalize: what the normalizer makes of a single character; None: the character itself.
    """

    def __init__(
        self, list surfaces not None, dict added not None, list continues not None, int prefix, int words,
        bint marks_space, bint drops_space, normalize=None, SplitSegmenter cuts=None,
    ):
        self.surfaces, self.added, self.continues = surfaces, added, continues
        self.prefix, self.words = prefix, words
        self.marks_space, self.drops_space = marks_space, drops_space
        self.cuts, self.normalize = cuts, normalize
        self.expansions = {}

    cdef bytes expansion(self, str sign):
        """The normalized bytes of a character."""
        cdef bytes found = self.expansions.get(sign)
        if found is not None:
            return found
        if self.drops_space and sign.isspace() and not "\x1c" <= sign <= "\x1f":
            is_kept = self.words == BY_TOKEN or self.normalize is None or self.normalize(sign)
            found = b"" if is_kept else b"\xff"
        elif self.marks_space and (sign == " " or sign == "\u2581"):
            # with words cut at spaces, no prefix is put before a word that begins with the sign: one that no text has
            found = b"\xff" if self.prefix == EACH_WORD else b" "
        else:
            normal = sign if self.normalize is None else self.normalize(sign)
            if self.drops_space:
                normal = normal.strip()
            if normal != sign and (" " in normal or "\u2581" in normal) or not normal and self.words != BY_TOKEN:
                found = b"\xff"
            else:
                found = normal.encode("utf-8", "surrogatepass")
        if len(self.expansions) < 1 << 16:
            self.expansions[sign] = found
        return found

    cpdef find(self, str text, list ids):
        """(offsets, words), lists with (begin, end) in characters and a number for each id; None: not known."""
        cdef Py_ssize_t i = 0, n = len(ids), at = 0, end
        cdef int32_t word = -1
        cdef vector[uint8_t] normal
        cdef vector[int32_t] places
        cdef list offsets = [], words = []
        while i < n:
            content = self.added.get(ids[i])
            if content is not None:
                at = self.after_dropped(text, at)
                if not text.startswith(content, at):
                    return None
                word += 1
                offsets.append((at, at + len(content)))
                words.append(word)
                at += len(content)
                i += 1
                continue
            end = i
            while end < n and ids[end] not in self.added:
                end += 1
            at = self.lay_out(text, at, self.total(ids, i, end), normal, places)
            if at < 0:
                return None
            word = self.place(ids, i, end, normal, places, word, offsets, words)
            if word < 0:
                return None
            i = end
        return (offsets, words) if self.after_dropped(text, at) == len(text) else None

    cdef Py_ssize_t after_dropped(self, str text, Py_ssize_t at) except -1:
        """The first character from `at` on that is in some token, or the end of the text."""
        while at < len(text) and len(self.expansion(text[at])) == 0:
            at += 1
        return at

    cdef Py_ssize_t total(self, list ids, Py_ssize_t begin, Py_ssize_t end) except -2:
        """The normalized bytes of some ids together; -1: one of them is not known."""
        cdef Py_ssize_t i, found = 0
        cdef bytes surface
        for i in range(begin, end):
            if not 0 <= ids[i] < len(self.surfaces):
                return -1
            surface = self.surfaces[ids[i]]
            if surface is None or len(surface) == 0:
                return -1
            found += len(surface)
        return found

    cdef Py_ssize_t lay_out(
        self, str text, Py_ssize_t at, Py_ssize_t total, vector[uint8_t]& normal, vector[int32_t]& places,
    ) except -2:
        """Normalize the text from `at` on, `total` bytes; return where that ends, or -1 if that is within a character.

        places: the character of each byte.
        """
        cdef bint is_plain, at_word = True
        cdef bytes part = None
        cdef Py_ssize_t size, i
        cdef Py_UCS4 sign
        if total < 0:
            return -1
        normal.clear()
        places.clear()
        while at < len(text) and normal.size() < <size_t> total:
            sign = text[at]
            is_plain = SPACE < sign < 0x80 and self.normalize is None
            size = 1
            if not is_plain:
                part = self.expansion(text[at])
                size = len(part)
            if size == 0:
                at_word = at_word or text[at].isspace()
                at += 1
                continue
            if normal.empty() or at_word and self.prefix == EACH_WORD:
                if self.needs_prefix(at, size == 1 and (sign == SPACE or sign == MARK)):
                    normal.push_back(SPACE)
                    places.push_back(<int32_t> at)
            at_word = False
            for i in range(size):
                normal.push_back(<uint8_t> (sign if is_plain else part[i]))
                places.push_back(<int32_t> at)
            at += 1
        return at if normal.size() == <size_t> total else -1

    cdef bint needs_prefix(self, Py_ssize_t at, bint is_space):
        """Whether a space is put before the first character of a text, or of a word. is_space: of that character."""
        if self.prefix == NO_PREFIX:
            return False
        if self.prefix == ALWAYS or self.prefix == EACH_WORD:
            return True
        return not is_space and (self.prefix == UNLESS_SPACE or at == 0)

    cdef int32_t place(
        self, list ids, Py_ssize_t begin, Py_ssize_t end, vector[uint8_t]& normal, vector[int32_t]& places,
        int32_t word, list offsets, list words,
    ) except -2:
        """Add the offsets and words of some ids; return the last word, or -1 if a token is not in the text.

        word: the last word before them.
        """
        cdef int32_t pos = 0
        cdef Py_ssize_t i, size, n_parts = 0
        cdef bint is_new
        cdef bytes surface
        cdef const uint8_t* data
        cdef list parts = None
        if self.words == BY_CUT and self.cuts is not None:
            parts = self.cuts.part_begins((<const char*> normal.data())[:normal.size()])
        for i in range(begin, end):
            surface = self.surfaces[ids[i]]
            data = surface
            size = len(surface)
            if memcmp(normal.data() + pos, data, size) != 0:
                return -1
            is_new = i == begin
            if parts is not None:
                is_new = False
                while n_parts < len(parts) and parts[n_parts] <= pos:
                    n_parts += 1
                    word += 1
            elif self.words == BY_SPACE:
                is_new = is_new or data[0] == SPACE
            elif self.words == BY_TOKEN:
                is_new = is_new or not self.continues[ids[i]]
            word += is_new
            offsets.append((places[pos], places[pos + size - 1] + 1))
            words.append(word)
            pos += <int32_t> size
        return word

    cpdef list trim(self, list ids, list offsets, bint has_prefix):
        """Take spaces at the ends of tokens off their offsets, if tokens are bytes.

        has_prefix: a space is put before a text.
        """
        cdef list found = []
        cdef Py_ssize_t i, begin, end, before, after
        cdef bytes surface
        for i in range(len(ids)):
            begin, end = offsets[i]
            surface = b"" if ids[i] in self.added else self.surfaces[ids[i]]
            before = len(surface) - len(surface.lstrip(b" "))
            after = len(surface) - len(surface.rstrip(b" "))
            if before:
                if before == 1 and has_prefix and (i == 0 or begin == 0):
                    before = 0
                begin = min(begin + before, end)
            if after and end >= after:
                end = max(end - after, begin)
            found.append((begin, end))
        return found
