"""The steps that texts take in tokenizers, each a class with its `apply`. Header: step_chain.pxd.

Offsets: a byte that a step writes has the offset where its source begins.
"""

cimport cython
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

from spm_lite.base.unicode.bert_words cimport PUNCTUATION, bert_kind
from spm_lite.base.unicode.graphemes cimport (
    CONJUNCT_EXTEND, CONSONANT, LINKER, OTHER, PREPEND, START_OF_TEXT, ZWJ, GraphemeContext, add_class, grapheme_class,
    is_joined,
)
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.split_classes cimport NUMBER, WHITE, split_classes
from spm_lite.base.unicode.utf8 cimport count_chars, read_char
from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.normalize.rules.char_flags cimport CONTINUES, FIRES, N_FLAGS, flags_place, may_fire
from spm_lite.normalize.rules.charsmap cimport Charsmap
from spm_lite.normalize.text_step cimport (
    Changed, TextStep, add_bytes, begin_out, copy_bytes, end_of_origin, end_out,
)
from spm_lite.normalize.text_writer cimport refuse_length

cdef enum:
    SPACE = 0x20
    LINE_FEED = 0x0A
    RETURN = 0x0D
    SMALL_CLUSTER = 6       # bytes: in a grapheme cluster of fewer, the shortest rule may stand for all of it

cdef enum:
    # When a StartStep puts its content before a text.
    ALWAYS = 0
    UNLESS_THERE = 1        # unless the text begins with it
    IF_THERE = 2            # if the text begins with it


cdef int assign(vector[uint8_t]& data, bytes content) except -1:
    """Copy the bytes of an object."""
    cdef const uint8_t* begin = <const uint8_t*> <const char*> content
    data.assign(begin, begin + len(content))
    return 0


cdef bint mark_rules(Charsmap charsmap, vector[uint8_t]& flags) except -1:
    """Add what the rules may do to each character."""
    cdef size_t i
    for i in range(charsmap.char_flags.size()):
        flags[i] |= charsmap.char_flags[i]
    return True


def plain_filter(TextStep form not None):
    """Return a Normalizer that copies the texts which steps leave as they are, and stops in others; None: no such text.

    These hold no white space but single spaces between other characters, no U+2581 and nothing that a rule begins with.
    With a dummy space, the Normalizer removes extra spaces as the steps do, which are words after rules alone. If
    these are those of one `Precompiled`, it is the form of the Normalizer, which changes characters on the way.
    """
    cdef TextStep rules = None
    cdef bint makes_words = makes_words_alone(form)
    cdef Charsmap charsmap = Charsmap()
    cdef const uint8_t* classes = split_classes()
    cdef uint32_t code_point
    charsmap.char_flags.resize(N_FLAGS, 0)
    if not form.mark_changed(charsmap.char_flags):
        return None
    for code_point in range(0x3001):
        if classes[code_point] == WHITE and code_point != SPACE:
            charsmap.char_flags[flags_place(code_point)] |= <uint8_t> FIRES
    if makes_words and isinstance(form, StepPair) and isinstance((<StepPair> form).second, WordsStep):
        if isinstance((<StepPair> form).first, PrecompiledStep):
            rules = (<StepPair> form).first
    return Normalizer(charsmap, makes_words, True, True, compact=True, form=rules)


cdef bint makes_words_alone(TextStep form) except -1:
    """Whether the steps are rules, and words between white space after them."""
    if isinstance(form, StepPair):
        return are_rules((<StepPair> form).first) and makes_words_alone((<StepPair> form).second)
    return isinstance(form, WordsStep) and (<WordsStep> form).is_simple and (<WordsStep> form).drops_white


cdef bint are_rules(TextStep form) except -1:
    if isinstance(form, StepPair):
        return are_rules((<StepPair> form).first) and are_rules((<StepPair> form).second)
    return isinstance(form, (RulesStep, PrecompiledStep))


@cython.final
cdef class StepPair(TextStep):
    """Two steps one after the other.

    >>> StepPair(StripStep(True, True), StartStep(b"_")).normalize(b" a ")
    b'_a'
    """

    def __cinit__(self, TextStep first not None, TextStep second not None):
        self.first = first
        self.second = second
        self.by_char = first.by_char and second.by_char
        self.is_local = first.is_local and second.is_local and (first.by_char or second.by_char)

    def __reduce__(self):
        return StepPair, (self.first, self.second)

    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1:
        return self.first.mark_changed(flags) and self.second.mark_changed(flags)

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        cdef vector[uint8_t] between
        cdef vector[int32_t] moved
        cdef vector[Changed] parts
        cdef Changed part
        cdef size_t k
        if not self.first.apply(text, size, between, &moved if align != NULL else NULL, changed):
            return self.second.apply(text, size, out, align, changed)
        if between.size() > <size_t> INT32_MAX:
            refuse_length(size, <int64_t> between.size())
        if not self.second.apply(
            between.data(), <int32_t> between.size(), out, align, &parts if changed != NULL else NULL,
        ):
            out.swap(between)
            if align != NULL:
                align.swap(moved)
        elif align != NULL:
            for k in range(align.size()):
                align.data()[k] = moved[align.data()[k]]
        for part in parts:  # so the first step changes each character by itself
            k = end_of_origin(moved, part.end - 1, <size_t> part.end)
            changed.push_back(Changed(moved[part.begin], moved[k]))
        return True

    cdef bint begins_part(self, const uint8_t* char, int32_t size) except -1 nogil:
        cdef vector[uint8_t] between
        if self.second.by_char or not self.first.apply(char, size, between, NULL, NULL):
            return self.first.begins_part(char, size) and self.second.begins_part(char, size)
        return not between.empty() and self.second.begins_part(between.data(), <int32_t> between.size())


@cython.final
cdef class RulesStep(TextStep):
    """Rules that change characters, wherever they stand. rules: a Normalizer that leaves spaces alone."""

    def __cinit__(self, Normalizer rules not None):
        cdef uint8_t flags = 0, of_char
        self.rules = rules
        for of_char in rules.charsmap.char_flags:
            flags |= of_char
        self.is_local = self.by_char = not flags & CONTINUES

    def __reduce__(self):
        return RulesStep, (self.rules,)

    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1:
        return mark_rules(self.rules.charsmap, flags)

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        if size == 0:
            return False
        self.rules.normalize_into(text, size, out, align)
        return <int32_t> out.size() != size or memcmp(out.data(), text, size) != 0


@cython.final
cdef class PrecompiledStep(TextStep):
    """The rules of a charsmap as `Precompiled` of tokenizers applies them: by grapheme clusters.

    In a cluster of less than six bytes the shortest rule that begins it stands for all of it. Else each character is
    looked up by itself. So most rules of several characters do nothing there, and some marks are lost.
    """

    def __cinit__(self, Charsmap charsmap not None):
        self.charsmap = charsmap

    def __reduce__(self):
        return PrecompiledStep, (self.charsmap,)

    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1:
        return mark_rules(self.charsmap, flags)

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        cdef const uint8_t* target = NULL
        cdef uint32_t code_point = 0
        cdef int32_t pos = 0, n_copied = 0, end = 0, used, target_size = 0
        cdef bint is_changed = False
        if self.charsmap.char_flags.empty():
            return False
        while True:
            pos = self.next_source(text, size, pos)
            if pos == size:
                break
            used = self.change_at(text, size, pos, &end, &target, &target_size)
            if used < 0:
                pos += max(read_char(text + pos, size - pos, &code_point), 1)
                continue
            if not is_changed:
                begin_out(out, align)
                is_changed = True
            copy_bytes(text, n_copied, pos, out, align)
            add_bytes(target, target_size, pos, out, align)
            pos += used
            n_copied = pos
        if is_changed:
            copy_bytes(text, n_copied, size, out, align)
            end_out(size, out, align)
            if align != NULL:
                self.keep_start(out, align.data())
        return is_changed

    cdef int32_t change_at(
        self, const uint8_t* text, int32_t size, int32_t pos, int32_t* end, const uint8_t** target,
        int32_t* target_size,
    ) noexcept nogil:
        """Do as the header says. end: of the cluster that holds the last character that was asked for."""
        cdef uint32_t code_point = 0
        cdef int32_t begin, used
        if self.charsmap.char_flags.empty():
            return -1
        if pos >= end[0]:
            begin = start_of_cluster(text, size, pos, end[0])
            end[0] = self.end_of_cluster(text, size, begin)
            # Nothing before `pos` may change: no rule begins this cluster if it begins there.
            if begin == pos and end[0] - pos < SMALL_CLUSTER:
                if self.charsmap.shortest_match(text + pos, end[0] - pos, target, target_size):
                    return end[0] - pos
        used = read_char(text + pos, end[0] - pos, &code_point)
        if used and self.charsmap.longest_match(text + pos, used, target, target_size) == used:
            return used
        return -1

    cdef int32_t next_source(self, const uint8_t* text, int32_t size, int32_t pos) noexcept nogil:
        """Return the place of the next character that a rule begins with; `size`: there is none.

        No rule changes the text before it, whatever the clusters are.
        """
        cdef const uint8_t* flags = self.charsmap.char_flags.data()
        cdef uint32_t code_point = 0
        cdef int32_t used
        while pos < size:
            if text[pos] < 0x80:
                if flags[text[pos]] & (FIRES | CONTINUES):
                    # A rule of several characters needs a second one that goes on with it.
                    if may_fire(flags, text[pos], text + pos + 1, size - pos - 1):
                        return pos
                pos += 1
                continue
            used = read_char(text + pos, size - pos, &code_point)
            if used and may_fire(flags, code_point, text + pos + used, size - pos - used):
                return pos
            pos += max(used, 1)
        return size

    cdef void keep_start(self, const vector[uint8_t]& out, int32_t* align) noexcept nogil:
        """Characters that go from the start of a text belong to the first one that stays, as in tokenizers."""
        cdef size_t k = 0
        while k < out.size() and (k == 0 or out[k] & 0xC0 == 0x80):
            align[k] = 0
            k += 1

    cdef int32_t end_of_cluster(self, const uint8_t* text, int32_t size, int32_t pos) noexcept nogil:
        """Return the end of the grapheme cluster that begins at `pos`.

        A virama joins the consonant after it only if a consonant is before it, as in Unicode 16.
        """
        cdef GraphemeContext context = GraphemeContext(START_OF_TEXT, 0)
        cdef uint32_t code_point = 0
        cdef uint8_t kind, last = START_OF_TEXT
        cdef bint in_conjunct = False       # a consonant, and marks that may stand within a conjunct
        cdef int32_t step
        while pos < size:
            step = read_char(text + pos, size - pos, &code_point)
            kind = grapheme_class(code_point) if step else <uint8_t> OTHER
            if last != START_OF_TEXT:
                if not is_joined(&context, kind) or (kind == CONSONANT and last != PREPEND and not in_conjunct):
                    break
            in_conjunct = kind == CONSONANT or (
                in_conjunct and (kind == CONJUNCT_EXTEND or kind == LINKER or kind == ZWJ)
            )
            add_class(&context, kind)
            last = kind
            pos += max(step, 1)
        return pos


cdef int32_t start_of_cluster(const uint8_t* text, int32_t size, int32_t pos, int32_t least) noexcept nogil:
    """Return a place at or before `pos`, at least `least`, where a grapheme cluster begins, and none ends before `pos`.

    `least` is one such place. A character that joins none before it begins a cluster, unless one before it says else.
    """
    cdef GraphemeContext context
    cdef uint32_t code_point = 0
    cdef uint8_t kind
    cdef int32_t begin = pos, found, step
    # Back to a character that surely begins a cluster: one of no class, after another one or at the start.
    while begin > least:
        step = read_char(text + begin, size - begin, &code_point)
        kind = grapheme_class(code_point) if step else <uint8_t> OTHER
        if kind == OTHER and grapheme_class(char_ending(text, begin)) != PREPEND:
            break
        begin -= 1
        while begin > least and text[begin] & 0xC0 == 0x80:
            begin -= 1
    # Forward, cluster by cluster, to the one that holds `pos`.
    found = begin
    context = GraphemeContext(START_OF_TEXT, 0)
    while begin <= pos:
        step = read_char(text + begin, size - begin, &code_point)
        kind = grapheme_class(code_point) if step else <uint8_t> OTHER
        if not is_joined(&context, kind):
            found = begin
        add_class(&context, kind)
        begin += max(step, 1)
    return found


cdef inline uint32_t char_ending(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the code point of the character that ends at `pos` (not 0); 0: ill-formed."""
    cdef uint32_t code_point = 0
    cdef int32_t begin = pos - 1
    while begin > 0 and pos - begin < 4 and text[begin] & 0xC0 == 0x80:
        begin -= 1
    return code_point if read_char(text + begin, pos - begin, &code_point) == pos - begin else 0


cdef inline int32_t space_bytes(
    const uint8_t* classes, bint is_white, const uint8_t* text, int32_t size,
) noexcept nogil:
    """Return the bytes of the space that the text begins with; 0: none. is_white: any White_Space is one."""
    cdef uint32_t code_point = 0
    cdef int32_t used
    if text[0] == SPACE:
        return 1
    if not is_white:
        return 0
    used = read_char(text, size, &code_point)
    return used if used and classes[code_point] == WHITE else 0


@cython.final
cdef class RunsStep(TextStep):
    """Each run of so many spaces or more becomes a content."""

    def __cinit__(self, bytes content not None, int32_t least, bint is_white=False):
        self.content = content
        assign(self.bytes, content)
        self.least = least
        self.is_white = is_white
        self.classes = split_classes()

    def __reduce__(self):
        return RunsStep, (self.content, self.least, bool(self.is_white))

    cdef int32_t space_at(self, const uint8_t* text, int32_t size) noexcept nogil:
        return space_bytes(self.classes, self.is_white, text, size)

    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1:
        return self.least > 1 or self.content == b" "

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        cdef const uint8_t* content = self.bytes.data()
        cdef int32_t n_content = <int32_t> self.bytes.size(), pos = 0, n_copied = 0, end, used, n
        cdef bint is_changed = False
        while pos < size:
            if text[pos] > SPACE and text[pos] < 0x80:
                pos += 1
                continue
            used = self.space_at(text + pos, size - pos)
            if used == 0:
                pos += 1
                continue
            end, n = pos, 0
            while end < size:
                used = self.space_at(text + end, size - end)
                if used == 0:
                    break
                end += used
                n += 1
            if n >= self.least:
                if not is_changed:
                    begin_out(out, align)
                    is_changed = True
                copy_bytes(text, n_copied, pos, out, align)
                add_bytes(content, n_content, pos, out, align)
                n_copied = end
            pos = end
        if is_changed:
            copy_bytes(text, n_copied, size, out, align)
            end_out(size, out, align)
        return is_changed


@cython.final
cdef class StripStep(TextStep):
    """Spaces at the ends of a text go."""

    def __cinit__(self, bint left, bint right, bint is_white=True):
        self.left = left
        self.right = right
        self.is_white = is_white
        self.classes = split_classes()

    def __reduce__(self):
        return StripStep, (bool(self.left), bool(self.right), bool(self.is_white))

    cdef int32_t space_at(self, const uint8_t* text, int32_t size) noexcept nogil:
        return space_bytes(self.classes, self.is_white, text, size)

    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1:
        return True

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        cdef int32_t begin = 0, end = size, used, last
        while self.left and begin < size:
            used = self.space_at(text + begin, size - begin)
            if used == 0:
                break
            begin += used
        while self.right and end > begin:
            last = end - 1
            while last > begin and text[last] & 0xC0 == 0x80:
                last -= 1
            if self.space_at(text + last, end - last) != end - last:
                break
            end = last
        if begin == 0 and end == size:
            return False
        begin_out(out, align)
        copy_bytes(text, begin, end, out, align)
        end_out(end, out, align)
        return True


@cython.final
cdef class StartStep(TextStep):
    """A content comes before a text that is not empty: always, unless the text begins with it, or only then."""

    def __cinit__(self, bytes content not None, int condition=ALWAYS):
        self.content = content
        assign(self.bytes, content)
        self.condition = condition
        # The first character decides: of a longer content, a text may end within it.
        self.is_local = condition == ALWAYS or count_chars(self.bytes.data(), <int32_t> self.bytes.size()) == 1

    def __reduce__(self):
        return StartStep, (self.content, self.condition)

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        cdef const uint8_t* content = self.bytes.data()
        cdef int32_t n = <int32_t> self.bytes.size()
        cdef bint is_there
        if size == 0 or n == 0:
            return False  # content of no bytes may have no address, which memcmp does not take
        is_there = size >= n and memcmp(text, content, n) == 0
        if (self.condition == UNLESS_THERE and is_there) or (self.condition == IF_THERE and not is_there):
            return False
        begin_out(out, align)
        add_bytes(content, n, 0, out, align)
        copy_bytes(text, 0, size, out, align)
        end_out(size, out, align)
        return True

    cdef bint begins_part(self, const uint8_t* char, int32_t size) except -1 nogil:
        return True


cdef inline int32_t end_of_plain(const uint8_t* text, int32_t pos, int32_t size) noexcept nogil:
    """Return the place of the next byte that may begin white space: a control, a space, or one of four lead bytes."""
    while pos < size and text[pos] > SPACE and text[pos] != 0xC2 and (text[pos] < 0xE1 or text[pos] > 0xE3):
        pos += 1
    return pos


cdef enum:
    # The kind of a character for words.
    IN_WORD = 0
    BETWEEN = 1         # white space between words
    ALONE = 2           # a word of its own
    IN_NUMBER = 3       # of a run that is a word of its own


cdef inline bint is_new_digit(uint32_t code_point) noexcept nogil:
    """Return whether a character is a digit since Unicode 17, which the component Digits knows and no class does."""
    return 0x11DE0 <= code_point <= 0x11DE9 or 0x16FF4 <= code_point <= 0x16FF6


@cython.final
cdef class WordsStep(TextStep):
    """A text is cut into words, and a space comes before each that does not begin with one, or with U+2581.

    So do pre-tokenizers of tokenizers before a Metaspace with the scheme "always". Spaces become U+2581 later.
    """

    def __cinit__(self, bint drops_white, bint by_punctuation=False, bint by_digits=False, bint by_numbers=False):
        self.drops_white = drops_white
        self.by_punctuation = by_punctuation
        self.by_digits = by_digits
        self.by_numbers = by_numbers
        self.is_simple = not (by_punctuation or by_digits or by_numbers)
        self.classes = split_classes()

    def __reduce__(self):
        flags = self.drops_white, self.by_punctuation, self.by_digits, self.by_numbers
        return WordsStep, tuple(map(bool, flags))

    cdef int kind_at(self, const uint8_t* text, int32_t size, int32_t* step) noexcept nogil:
        """Return the kind of the first character, and set `step` to its bytes."""
        cdef uint32_t code_point = 0
        cdef uint8_t kind
        step[0] = read_char(text, size, &code_point)
        if step[0] == 0:
            step[0] = 1
            return IN_WORD
        kind = NUMBER if is_new_digit(code_point) else self.classes[code_point]
        if kind == WHITE and self.drops_white:
            return BETWEEN
        if kind == NUMBER and self.by_digits:
            return ALONE
        if kind == NUMBER and self.by_numbers:
            return IN_NUMBER
        if self.by_punctuation and bert_kind(code_point) == PUNCTUATION:
            return ALONE
        return IN_WORD

    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1:
        return self.is_simple

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        cdef const uint8_t* space = <const uint8_t*> b" "
        cdef int32_t pos = 0, begin, step = 0
        cdef int kind, next_kind
        if size == 0:
            return False
        begin_out(out, align)
        while pos < size:
            kind = self.kind_at(text + pos, size - pos, &step)
            if kind == BETWEEN:
                pos += step
                continue
            begin = pos
            pos += step
            while pos < size and kind != ALONE:
                if self.is_simple:
                    pos = end_of_plain(text, pos, size)
                    if pos == size:
                        break
                next_kind = self.kind_at(text + pos, size - pos, &step)
                if next_kind != kind:
                    break
                pos += step
            if text[begin] != SPACE and not is_space_mark(text + begin, size - begin):
                add_bytes(space, 1, begin, out, align)
            copy_bytes(text, begin, pos, out, align)
        end_out(size, out, align)
        return True
