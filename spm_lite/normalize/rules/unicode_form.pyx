"""Normalization forms of Unicode. A text falls into parts that do not affect one another; most stay as they are.

`apply` finds the parts that a form may change, and `normalize_part` changes one: it takes characters apart, sorts
marks, and composes. Source: Unicode Standard Annex 15. Header: unicode_form.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport encode_char, read_char, read_word
from spm_lite.normalize.text_step cimport copy_bytes

from spm_lite.errors import OptionError

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
OLDER = " 9.0"  # after the name of a form: by the tables of Unicode 9.0, which tokenizers has

cdef enum:
    PAGE = 1 << 8       # code points
    BEGINS = 1          # flag: what is before the character does not affect it
    CHANGES = 2         # flag: the form may change the character, or what is before it
    FEW_MARKS = 24      # so many are sorted one by one

cdef enum:              # Hangul syllables, which are computed (Unicode, section 3.12)
    SYLLABLE = 0xAC00
    LEADING = 0x1100
    VOWEL = 0x1161
    TRAILING = 0x11A7   # the one before the first
    N_LEADING = 19
    N_VOWELS = 21
    N_TRAILING = 28
    N_SYLLABLES = 11172

cdef dict made = {}     # name -> UnicodeForm


def is_form(str name not None):
    """Whether a name is one of FORMS, perhaps with OLDER after it."""
    return name.removesuffix(OLDER) in FORMS


def unicode_form(str name not None):
    """Return the UnicodeForm of a name; each is made once. Raises OptionError for an unknown name.

    >>> unicode_form("NFC").normalize("e\\u0301".encode()).decode()
    'é'
    """
    if name not in made:
        made[name] = UnicodeForm(name)
    return made[name]


@cython.final
cdef class UnicodeForm:
    """One of the FORMS. With OLDER after its name, it leaves characters alone that Unicode 9.0 does not know."""

    def __cinit__(self, str name not None):
        if not is_form(name):
            raise OptionError(f"{name!r:.60} is no normalization form of Unicode: there are {', '.join(FORMS)}")
        self.name = name
        self.is_local = self.keeps_start = True
        self.composes = name.removesuffix(OLDER).endswith("C")
        fill_tables(self)

    def __reduce__(self):
        return unicode_form, (self.name,)

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        """Overwrite `out` with the normalized text; False: the text stays as it is, and nothing is written.

        align: gets the offset in `text` for each byte of `out`, and one for the end: where a part begins that changes,
        else that of the same byte. In a part that becomes a space and marks, the marks have the place after the space.
        changed: gets the parts that change. Both may be NULL.
        """
        cdef vector[uint32_t] chars
        cdef vector[uint8_t] classes
        cdef uint32_t char = 0
        cdef int32_t pos = 0, last_begin = 0, n_copied = 0, begin, end, used
        cdef bint is_changed = False
        while True:
            pos = self.next_change(text, size, pos, &last_begin)
            if pos == size:
                break
            used = read_char(text + pos, size - pos, &char)
            begin = pos if self.flags_of(char) & BEGINS else last_begin
            end = pos + used
            while end < size:
                used = read_char(text + end, size - end, &char)
                if used == 0 or self.flags_of(char) & BEGINS:
                    break
                end += used
            pos = last_begin = end
            if not self.normalize_part(text + begin, end - begin, chars, classes):
                continue
            if not is_changed:
                is_changed = True
                out.clear()
                if align != NULL:
                    align.clear()
                if changed != NULL:
                    changed.clear()
            copy_bytes(text, n_copied, begin, out, align)
            write_part(chars, begin, self.end_of_space(text, begin, end, chars), out, align)
            if changed != NULL:
                changed.push_back(Changed(begin, end))
            n_copied = end
        if not is_changed:
            return False
        copy_bytes(text, n_copied, size, out, align)
        if align != NULL:
            align.push_back(size)
        return True

    cdef int32_t next_change(
        self, const uint8_t* text, int32_t size, int32_t pos, int32_t* last_begin,
    ) noexcept nogil:
        """Return the place of the next character that the form may change; `size`: there is none.

        last_begin: gets the last place where a part may begin.
        """
        cdef const uint16_t* page_of = self.page_of.data()
        cdef const uint8_t* pages = self.pages.data()
        cdef uint32_t char = 0
        cdef uint8_t flags
        cdef int32_t used
        while pos < size:
            if text[pos] < 0x80:
                while pos + 8 <= size and read_word(text + pos) & <uint64_t> 0x8080808080808080 == 0:
                    pos += 8
                while pos < size and text[pos] < 0x80:
                    pos += 1
                last_begin[0] = pos - 1
                continue
            used = read_char(text + pos, size - pos, &char)
            if used == 0:  # an ill-formed byte stays, and no part goes over it
                pos += 1
                last_begin[0] = pos
                continue
            flags = pages[page_of[char // PAGE] * <size_t> PAGE + char % PAGE]
            if flags & CHANGES:
                return pos
            if flags & BEGINS:
                last_begin[0] = pos
            pos += used
        return size

    cdef bint begins_part(self, const uint8_t* char, int32_t size) except -1 nogil:
        cdef uint32_t code_point = 0
        return read_char(char, size, &code_point) and self.flags_of(code_point) & BEGINS

    cdef uint8_t flags_of(self, uint32_t char) noexcept nogil:
        return self.pages[self.page_of[char // PAGE] * <size_t> PAGE + char % PAGE]

    cdef bint normalize_part(
        self, const uint8_t* text, int32_t size, vector[uint32_t]& chars, vector[uint8_t]& classes,
    ) except -1 nogil:
        """Set `chars` to the normalized form of a part of a text; False: it is the same text."""
        cdef uint32_t char = 0
        cdef int32_t pos = 0, used
        cdef uint8_t spelled[4]
        cdef size_t i
        chars.clear()
        classes.clear()
        while pos < size:
            pos += read_char(text + pos, size - pos, &char)
            self.take_apart(char, chars, classes)
        sort_marks(chars, classes)
        if self.composes:
            self.compose(chars, classes)
        pos = 0
        for i in range(chars.size()):
            used = encode_char(chars[i], spelled)
            if used > size - pos or memcmp(spelled, text + pos, used) != 0:
                return True
            pos += used
        return pos != size

    cdef int32_t end_of_space(
        self, const uint8_t* text, int32_t begin, int32_t end, const vector[uint32_t]& chars,
    ) noexcept nogil:
        """Return the end of the first character of a part if it alone becomes a space; else `begin`.

        chars: what the part becomes. No mark composes with a space, so what follows it comes from later in the text.
        """
        cdef unordered_map[uint32_t, uint64_t].iterator found
        cdef uint32_t char = 0
        cdef int32_t used
        if chars.size() < 2 or chars[0] != <uint32_t> b" ":
            return begin
        used = read_char(text + begin, end - begin, &char)
        found = self.places.find(char)
        if found != self.places.end() and cython.operator.dereference(found).second & 0xFF != 1:
            return begin
        return begin + used

    cdef int take_apart(self, uint32_t char, vector[uint32_t]& chars, vector[uint8_t]& classes) except -1 nogil:
        """Append the parts of a character, or itself, with their classes."""
        cdef uint32_t number = char - SYLLABLE
        cdef unordered_map[uint32_t, uint64_t].iterator found
        cdef uint64_t place, k
        if number < N_SYLLABLES:
            chars.push_back(LEADING + number // (N_VOWELS * N_TRAILING))
            chars.push_back(VOWEL + number % (N_VOWELS * N_TRAILING) // N_TRAILING)
            if number % N_TRAILING:
                chars.push_back(TRAILING + number % N_TRAILING)
            classes.resize(chars.size(), 0)
            return 0
        found = self.places.find(char)
        if found == self.places.end():
            chars.push_back(char)
            self.add_class(char, classes)
            return 0
        place = cython.operator.dereference(found).second
        for k in range(place >> 8, (place >> 8) + (place & 0xFF)):
            chars.push_back(self.parts[k])
            self.add_class(self.parts[k], classes)
        return 0

    cdef int add_class(self, uint32_t char, vector[uint8_t]& classes) except -1 nogil:
        cdef unordered_map[uint32_t, uint8_t].iterator found = self.classes.find(char)
        classes.push_back(0 if found == self.classes.end() else cython.operator.dereference(found).second)
        return 0

    cdef int compose(self, vector[uint32_t]& chars, vector[uint8_t]& classes) except -1 nogil:
        """Join characters in place: each mark with the last starter, unless a mark between them is in the way."""
        cdef int64_t starter = -1
        cdef size_t i, n = 0
        cdef uint32_t joined
        for i in range(chars.size()):
            if starter >= 0 and (n == <size_t> starter + 1 or classes[n - 1] < classes[i]):
                joined = self.composed(chars[starter], chars[i])
                if joined:
                    chars[starter] = joined
                    continue
            if classes[i] == 0:
                starter = n
            chars[n] = chars[i]
            classes[n] = classes[i]
            n += 1
        chars.resize(n)
        classes.resize(n)
        return 0

    cdef uint32_t composed(self, uint32_t first, uint32_t second) noexcept nogil:
        """Return what two characters compose; 0: nothing."""
        cdef uint32_t number = first - SYLLABLE
        cdef unordered_map[uint64_t, uint32_t].iterator found
        if first - <uint32_t> LEADING < N_LEADING and second - <uint32_t> VOWEL < N_VOWELS:
            return SYLLABLE + ((first - LEADING) * N_VOWELS + second - VOWEL) * N_TRAILING
        if number < N_SYLLABLES and number % N_TRAILING == 0 and 0 < second - <uint32_t> TRAILING < N_TRAILING:
            return first + second - TRAILING
        found = self.pairs.find(<uint64_t> first << 32 | second)
        return 0 if found == self.pairs.end() else cython.operator.dereference(found).second


cdef int write_part(
    const vector[uint32_t]& chars, int32_t begin, int32_t rest, vector[uint8_t]& out, vector[int32_t]* align,
) except -1 nogil:
    """Append characters that a part of the text becomes. The first one has the place `begin`, all others `rest`."""
    cdef uint8_t spelled[4]
    cdef size_t i
    cdef int32_t k, used
    for i in range(chars.size()):
        used = encode_char(chars[i], spelled)
        for k in range(used):
            out.push_back(spelled[k])
        if align != NULL:
            align.resize(out.size(), begin if i == 0 else rest)
    return 0


cdef int sort_marks(vector[uint32_t]& chars, vector[uint8_t]& classes) except -1 nogil:
    """Sort each run of marks by class; marks of one class keep their order."""
    cdef size_t i = 0, begin
    while i < chars.size():
        if classes[i] == 0:
            i += 1
            continue
        begin = i
        while i < chars.size() and classes[i]:
            i += 1
        if i - begin > 1:
            sort_run(chars, classes, begin, i)
    return 0


cdef int sort_run(vector[uint32_t]& chars, vector[uint8_t]& classes, size_t begin, size_t end) except -1 nogil:
    """Sort combining marks by class. A short run is sorted by insertion, a long run by counting."""
    cdef vector[uint32_t] sorted_chars
    cdef size_t counts[257]
    cdef size_t i, k
    cdef uint32_t char
    cdef uint8_t number
    if end - begin <= FEW_MARKS:
        for i in range(begin + 1, end):
            char, number, k = chars[i], classes[i], i
            while k > begin and classes[k - 1] > number:
                chars[k] = chars[k - 1]
                classes[k] = classes[k - 1]
                k -= 1
            chars[k] = char
            classes[k] = number
        return 0
    for k in range(257):
        counts[k] = 0
    for i in range(begin, end):
        counts[classes[i] + 1] += 1
    for k in range(256):
        counts[k + 1] += counts[k]
    sorted_chars.resize(end - begin)
    for i in range(begin, end):
        sorted_chars[counts[classes[i]]] = chars[i]
        counts[classes[i]] += 1
    k = 0
    for i in range(begin, end):  # counts[k] is now where the marks of class k end
        while i - begin >= counts[k]:
            k += 1
        chars[i] = sorted_chars[i - begin]
        classes[i] = <uint8_t> k
    return 0


cdef int fill_tables(UnicodeForm form) except -1:
    """Fill the tables of a form from the rules and the ranges of the package."""
    from spm_lite.base.unicode.ranges import combining_ranges, named_ranges, ranges_of
    from spm_lite.normalize.rules.rule_sets import decompositions

    cdef set newer = set()
    if form.name.endswith(OLDER):
        for first, last in ranges_of(combining_ranges.NEWER):
            newer.update(range(first, last + 1))
    cdef dict classes = {}
    for name, ranges in named_ranges(combining_ranges.CLASSES):
        for first, last in ranges:
            classes.update(dict.fromkeys(range(first, last + 1), int(name)))
    canonical, compatible, alone = decompositions()
    cdef dict parts = {ord(char): text for char, text in canonical.items() if ord(char) not in newer}
    cdef dict pairs = composing_pairs(parts, alone) if form.composes else {}
    if "K" in form.name:
        parts.update({ord(char): text for char, text in compatible.items() if ord(char) not in newer})
    for point, number in classes.items():
        if point not in newer:
            form.classes[<uint32_t> point] = <uint8_t> number
    for point, text in parts.items():
        form.places[<uint32_t> point] = <uint64_t> form.parts.size() << 8 | <uint64_t> len(text)
        for char in text:
            form.parts.push_back(<uint32_t> ord(char))
    for (first, second), point in pairs.items():
        form.pairs[<uint64_t> first << 32 | <uint64_t> second] = <uint32_t> point
    fill_flags(form, parts, {point for point in classes if point not in newer}, {second for _, second in pairs})
    return 0


cdef dict composing_pairs(dict parts, set alone):
    """Return (first, second) -> the character that they compose, of all that Unicode composes.

    parts: code point -> its full canonical decomposition. alone: characters that are never composed.
    """
    cdef dict by_parts = {text: point for point, text in parts.items() if chr(point) not in alone and len(text) > 1}
    cdef dict pairs = {}
    for text, point in by_parts.items():
        first = text[0] if len(text) == 2 else None if text[:-1] not in by_parts else chr(by_parts[text[:-1]])
        if first is not None:
            pairs[ord(first), ord(text[-1])] = point
    return pairs


cdef int fill_flags(UnicodeForm form, dict parts, set marks, set seconds) except -1:
    """Fill the pages of flags. marks: characters with a class. seconds: characters that may join the one before."""
    cdef bytearray flags = bytearray([BEGINS]) * 0x110000
    cdef int32_t page
    cdef dict number_of = {}
    if form.composes:
        seconds = seconds | {*range(VOWEL, VOWEL + N_VOWELS), *range(TRAILING + 1, TRAILING + N_TRAILING)}
    else:
        for point in range(SYLLABLE, SYLLABLE + N_SYLLABLES):
            flags[point] = BEGINS | CHANGES
    for point, text in parts.items():
        begins = ord(text[0]) not in marks and ord(text[0]) not in seconds
        is_kept = form.composes and len(text) > 1 and is_composed(form, text, point)
        flags[point] = BEGINS * begins | (0 if begins and is_kept else CHANGES)
    for point in marks | seconds:
        begins = point not in marks and point not in seconds
        flags[point] = BEGINS * begins | CHANGES
    for page in range(0x110000 // PAGE):
        content = bytes(flags[page * PAGE : (page + 1) * PAGE])
        if content not in number_of:
            number_of[content] = len(number_of)
            for byte in content:
                form.pages.push_back(byte)
        form.page_of.push_back(number_of[content])
    return 0


cdef bint is_composed(UnicodeForm form, str text, point):
    """Whether the parts of a character compose to it again."""
    cdef uint32_t char = ord(text[0])
    for second in text[1:]:
        char = form.composed(char, ord(second))
        if char == 0:
            return False
    return char == point
