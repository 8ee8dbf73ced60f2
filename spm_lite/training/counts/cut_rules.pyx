"""Compiles the options of a spec to rules, and says why a text is no chunk under them (`fault_of`).

Header: cut_rules.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp
from libcpp.vector cimport vector

from spm_lite.base.patterns.text_cuts cimport make_cuts
from spm_lite.base.structures.double_array cimport TrieCursor, trie_advance, trie_root
from spm_lite.base.unicode.bert_words cimport WordRules, end_of_word
from spm_lite.base.unicode.utf8 cimport char_size, decode_char
from spm_lite.encode.segment.split_text cimport set_rules
from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.training.counts.chunk_table cimport BOUNDARY_BYTE
from spm_lite.training.counts.phrases cimport NO_PHRASES, ONLY_LETTERS, SIGNS_TOO
from spm_lite.training.counts.piece_rules cimport (
    ANY_SCRIPT, NEVER, SPACE_MARK, PieceRules, PieceWalk, carried, class_in_bytes, class_of,
    extend_unit, is_cut, is_piece, max_units, start_walk,
)

from spm_lite.base.structures.double_array import build_units
from spm_lite.errors import OptionError, TrainingError
from spm_lite.formats.split_patterns import named_or_given
from spm_lite.kinds import CUTS, SPACE

cdef bytes SPACE_BYTES = SPACE.encode()
cdef dict MODES = {  # by value of kinds.CUTS
    "pieces": CUT_PIECES, "words": CUT_WORDS, "characters": CUT_CHARACTERS, "bytes": CUT_BYTES,
    "words of BERT": CUT_BERT_WORDS,
}

cdef dict INSIDE = {"letters": ONLY_LETTERS, "punctuation": SIGNS_TOO}  # by `inside` of `Superwords`
cdef dict REASONS = {  # why a text is no chunk, as words of an error message
    HOLDS_SPACE: "since it holds a space, which is written U+2581",
    HOLDS_META: "since it holds a special piece or the delimiter",
    IS_CUT: "since text is cut within it",
}


cdef PieceRules rules_from_spec(object spec, bint reference_rules):
    """Return the piece rules of a TrainerSpec."""
    cdef PieceRules rules
    rules.max_length = spec.max_sentencepiece_length
    rules.in_bytes = CUTS[spec.model_type] == "bytes"
    rules.by_script = spec.split_by_unicode_script
    rules.by_whitespace = spec.split_by_whitespace
    rules.by_number = spec.split_by_number
    rules.lone_digits = spec.split_digits is True
    rules.every_digit = not reference_rules
    rules.most_digits = 0 if spec.split_digits is True else <int> spec.split_digits
    # A digit of several bytes stays apart from others only if no piece holds a part of it and anything else.
    rules.whole_characters = rules.in_bytes and (spec.whole_characters or spec.graphemes or bool(spec.split_digits))
    rules.suffix = spec.treat_whitespace_as_suffix and not (rules.in_bytes and not rules.by_whitespace)
    rules.whitespace_only = spec.allow_whitespace_only_pieces
    rules.invisibles_join = spec.lossless and not reference_rules
    rules.reference_marks = reference_rules
    rules.most_words = 0 if spec.superwords is None or spec.split_by_whitespace else spec.superwords.max_words
    return rules


def is_valid_piece(text, spec, bint reference_rules=False):
    """Whether `text` (U+2581 for a space) may become a piece under the options of `spec`.

    text: str, or bytes (with real spaces) where pieces are bytes.
    """
    cdef PieceRules rules = rules_from_spec(spec, reference_rules)
    cdef PieceWalk walk
    start_walk(&walk)
    for unit in text if rules.in_bytes else map(ord, text):
        if not extend_unit(&rules, &walk, unit):
            return False
    return len(text) <= max_units(&rules) and is_piece(&rules, &walk)


def are_cut(str first not None, str second not None, spec):
    """Whether no piece may hold two characters (a space or U+2581 for a space) side by side under a spec."""
    cdef PieceRules rules = rules_from_spec(spec, False)
    first, second = first.replace(" ", SPACE), second.replace(" ", SPACE)
    return bool(is_cut(&rules, class_of(&rules, <uint32_t> ord(first)), class_of(&rules, <uint32_t> ord(second))))


@cython.final
cdef class CutRules:
    """The rules for normalizing and cutting text. Immutable, so all threads share one object."""

    def __cinit__(self, Normalizer normalizer, spec, meta_texts, reference_rules=False, are_normalized=False,
                  is_bert=False):
        """Compile the rules.

        spec: a TrainerSpec. meta_texts: the texts of all meta pieces.
        reference_rules: cut as the original does. are_normalized: the lines come from a pretokenizer.
        is_bert: the words of WordPiece are those of BERT (bert_words.pxd).
        """
        cdef int i
        self.normalizer = normalizer
        self.piece_rules = rules_from_spec(spec, reference_rules)
        self.mode = MODES[CUTS[spec.model_type]]
        self.inside = NO_PHRASES if spec.superwords is None else INSIDE[spec.superwords.inside]
        if self.mode == CUT_WORDS and reference_rules and may_begin_without_space(normalizer):
            self.mode = CUT_LINES  # the trainer cuts later: it knows whether the space mark is in the alphabet
        self.words = WordRules(spec.split_by_punctuation, is_bert)
        self.in_order = reference_rules and spec.model_type == "unigram"
        self.are_normalized = are_normalized
        if self.in_order:
            self.mode = CUT_LINES  # the original's seeds and sums depend on whole sentences and their order
        self.max_line_size = <uint64_t> -1 if spec.max_sentence_length is None else spec.max_sentence_length
        delimiter = spec.pretokenization_delimiter
        if reference_rules and " " in delimiter:
            delimiter = ""  # never found: the original has already replaced all spaces by U+2581
        for byte in self.normalized_form(delimiter):
            self.delimiter.push_back(byte)
        # Spaces are escaped by now, so a meta piece with a real space never matches.
        if self.mode == CUT_BYTES:
            keys = {text.encode(): i for i, text in enumerate(meta_texts)}
        else:
            # U+2581 is a space in pieces, even where a literal one of a text is kept as it is.
            space = " " if normalizer.compact else SPACE
            keys = {
                text.replace(SPACE, space).encode(): i for i, text in enumerate(meta_texts) if " " not in text and text
            }
        for i in range(256):
            self.meta_starts[i] = False
        for key in keys:
            if b"\0" in key:
                raise OptionError(f"the symbol {key.decode()!r} holds a NUL, which no symbol may")
            self.meta_starts[<uint8_t> key[0]] = True
        if keys:
            units = build_units(dict(sorted(keys.items())))
            for i in range(len(units) // 4):
                self.meta_units.push_back(int.from_bytes(units[4 * i : 4 * i + 4], "little"))
        self.has_boundaries = bool(keys) or not self.delimiter.empty()
        self.take_pattern(spec.split_pattern)
        self.fill_classes()

    cdef void fill_classes(self) noexcept:
        """Fill the tables of bytes."""
        cdef bint is_cut_everywhere = self.mode == CUT_CHARACTERS or self.piece_rules.max_length == 1
        cdef uint8_t byte
        cdef int i
        for i in range(256):
            self.boundary_starts[i] = self.meta_starts[i] or not self.delimiter.empty() and self.delimiter[0] == i
            self.run_classes[i] = NO_RUN
        for i in range(128):
            byte = <uint8_t> i
            if self.mode == CUT_BYTES:
                self.ascii_classes[i] = class_in_bytes(&self.piece_rules, &byte, 1)
            else:
                self.ascii_classes[i] = class_of(&self.piece_rules, i)
            if i == 0x20 and self.normalizer.compact:
                self.ascii_classes[i] = SPACE_MARK
            # Within a match of the pattern, which holds no boundaries, a byte that may begin one is as any other.
            if self.ascii_classes[i] <= ANY_SCRIPT and not is_cut_everywhere and (
                self.mode == CUT_BYTES or not self.boundary_starts[i]
            ):
                self.run_classes[i] = self.ascii_classes[i]

    cdef int take_pattern(self, pattern) except -1:
        """Set the rules of a split pattern, of its name, or of the splits of a model; empty: there is none.

        It sees a space as 0x20: rules of a training are well-formed, so its normalized text is compact.
        """
        cdef const PieceRules* rules = &self.piece_rules
        self.has_pattern = bool(pattern)
        self.cuts_matches = rules.by_script or rules.by_whitespace or rules.by_number or rules.lone_digits
        if self.has_pattern:
            cuts = named_or_given(pattern)
            if isinstance(cuts, tuple):
                self.cuts = make_cuts(cuts)
            else:
                set_rules(&self.split, cuts)
        return 0

    @property
    def in_bytes(self):
        """Whether chunks are bytes of texts, in which a space is a space and no boundary stands."""
        return self.mode == CUT_BYTES

    def normalized_form(self, text):
        """Return the bytes that `text` (U+2581 for a space) has in normalized text."""
        if self.normalizer.compact and not self.normalizer.lossless:
            text = text.replace(SPACE, " ")
        return text.encode()

    def marked_text(self, bytes line):
        """Return a line in normalized form, with U+2581 for a space and U+001F for a boundary."""
        cdef vector[uint8_t] text, marked
        cdef int32_t size, step, i = 0
        cdef bytes result
        if len(line) > 0x7FFFFFFF:
            raise TrainingError(f"a line of {len(line)} bytes: 2^31 - 1 is the limit; split it")
        self.normalizer.normalize_into(<const uint8_t*> PyBytes_AS_STRING(line), <int32_t> len(line), text, NULL)
        size = <int32_t> text.size()
        marked.reserve(size)
        while i < size:
            step = self.boundary_size(text.data() + i, size - i)
            if step > 0:
                marked.push_back(BOUNDARY_MARK)
                i += step
            else:
                marked.push_back(text.data()[i])
                i += 1
        result = (<const char*> marked.data())[:marked.size()] if marked.size() else b""
        return result.replace(b" ", SPACE_BYTES) if self.normalizer.compact else result

    def why_no_chunk(self, bytes chunk):
        """Return why these rules cannot produce `chunk`, as words of an error message; None if they can."""
        cdef vector[uint8_t] scratch
        cdef Fault fault
        if not 0 < len(chunk) <= 0x7FFFFFFF:
            return f"since it has {len(chunk)} bytes"
        fault = self.fault_of(<const uint8_t*> PyBytes_AS_STRING(chunk), <int32_t> len(chunk), scratch)
        if fault == ILL_FORMED:
            return f"since it holds the byte 0x{first_ill_formed(chunk):02X}, which is no UTF-8"
        return None if fault == NO_FAULT else REASONS[fault]

    cdef Fault fault_of(self, const uint8_t* text, int32_t size, vector[uint8_t]& scratch) except FAILED nogil:
        """Return why these rules cannot produce a chunk of 1 or more bytes. scratch: any vector, for its memory.

        Older versions cut at the digits of the original only, and their tables may be used.
        """
        cdef bint in_bytes = self.mode == CUT_BYTES
        cdef PieceRules rules = self.piece_rules
        cdef int32_t step
        cdef uint8_t left = NEVER, right
        cdef bint is_first = True
        rules.every_digit = False
        if not in_bytes and memchr(text, 0x20, size) != NULL:
            return HOLDS_SPACE
        if self.mode == CUT_BERT_WORDS:
            return IS_CUT if end_of_word(&self.words, text, size) < size else NO_FAULT
        if self.normalizer.compact and not in_bytes:
            size = unescape_spaces(text, size, scratch)
            text = scratch.data()
        while size > 0:
            step = char_size(text, size)
            if step == 0 and text[0] != BOUNDARY_BYTE and not in_bytes:
                return ILL_FORMED
            if self.boundary_size(text, size) > 0:
                return HOLDS_META
            right = NEVER
            if step > 0:
                right = class_of(&rules, decode_char(text, step))
                right = SPACE_MARK if text[0] == 0x20 else right
            if in_bytes:
                right = class_in_bytes(&rules, text, step)
            if not is_first and (
                ((self.mode == CUT_PIECES or in_bytes) and is_cut(&rules, left, right))
                or (self.mode == CUT_WORDS and right == SPACE_MARK) or self.mode == CUT_CHARACTERS
            ):
                return IS_CUT
            is_first = False
            left = carried(left, right) if in_bytes else right
            step = max(step, 1)
            text += step
            size -= step
        return NO_FAULT

    cdef int32_t meta_size(self, const uint8_t* text, int32_t size) noexcept nogil:
        """Return the bytes of the longest meta piece at the start of `text` (at least 1 byte); 0: none."""
        cdef const uint32_t* units = self.meta_units.data()
        cdef TrieCursor cursor
        cdef int32_t i, longest = 0
        if not self.meta_starts[text[0]]:
            return 0
        trie_root(units, &cursor)
        for i in range(size):
            if not trie_advance(units, &cursor, text[i]):
                break
            if cursor.value >= 0:
                longest = i + 1
        return longest

    cdef int32_t boundary_size(self, const uint8_t* text, int32_t size) noexcept nogil:
        """Return the bytes of the meta piece or delimiter at the start of `text`; 0: an ordinary character.

        Meta pieces take precedence: a delimiter that a meta piece overlaps is ordinary text.
        """
        cdef int32_t found = self.meta_size(text, size)
        cdef int32_t n = <int32_t> self.delimiter.size()
        cdef int32_t i
        if found > 0 or n == 0 or n > size or memcmp(text, self.delimiter.data(), n) != 0:
            return found
        for i in range(1, n):
            if text[i] & 0xC0 != 0x80 and self.meta_size(text + i, size - i) > 0:
                return 0
        return n


cdef int first_ill_formed(bytes chunk) except -1:
    """Return the first byte that is neither UTF-8 nor a boundary."""
    cdef const uint8_t* text = <const uint8_t*> PyBytes_AS_STRING(chunk)
    cdef int32_t size = <int32_t> len(chunk), step
    while size > 0:
        step = char_size(text, size)
        if step == 0 and text[0] != BOUNDARY_BYTE:
            return text[0]
        text += max(step, 1)
        size -= max(step, 1)
    return 0


cdef int32_t unescape_spaces(const uint8_t* text, int32_t size, vector[uint8_t]& result) except -1 nogil:
    """Fill `result` with the text, with a space for each U+2581, and return its size."""
    cdef int32_t i = 0
    result.clear()
    result.reserve(size)
    while i < size:
        if size - i >= 3 and text[i] == 0xE2 and text[i + 1] == 0x96 and text[i + 2] == 0x81:
            result.push_back(0x20)
            i += 3
        else:
            result.push_back(text[i])
            i += 1
    return <int32_t> result.size()


cdef bint may_begin_without_space(Normalizer normalizer):
    """Whether a normalized text may begin with a character other than the space mark."""
    return not normalizer.add_dummy_prefix or normalizer.whitespace_as_suffix
