"""Finds added tokens in a text from left to right: at each place the longest, and no two that overlap.

`find` is the search. Header: added_tokens.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, TrieKey, build_double_array, trie_advance, trie_root
from spm_lite.base.unicode.split_classes cimport WHITE, split_classes
from spm_lite.base.unicode.utf8 cimport char_size, read_char

from spm_lite.errors import ModelError


@cython.final
cdef class AddedTokens:
    """The added tokens that are looked for at one stage of a text. Source: `AddedVocabulary` of tokenizers.

    tokens: (text as it stands there, id, single_word, lstrip, rstrip) of each. are_spaces_white: a space is white
    space; else it is the sign of a space, which no token takes.
    Raises ModelError for a text that is empty or holds a NUL.

    >>> AddedTokens([(b"<a>", 7, False, True, False)]).find_all(b"x <a>y")
    [(7, 1, 5)]
    """

    def __cinit__(self, tokens, bint are_spaces_white=True):
        cdef vector[TrieKey] keys
        cdef TrieKey key
        cdef bytes text
        by_text = {}
        for one in tokens:
            by_text.setdefault(one[0], one)
        self.tokens = tuple(sorted(by_text.values()))
        self.are_spaces_white = are_spaces_white
        self.classes = split_classes()
        for text, piece_id, single_word, lstrip, rstrip in self.tokens:
            if not text or 0 in text:
                raise ModelError(f"an added token has at least 1 byte, none of them NUL: {text!r:.60}")
            key.data = <const uint8_t*> <const char*> text
            key.size = <int32_t> len(text)
            key.value = <int32_t> self.rules.size()
            self.rules.push_back(AddedRule(piece_id, single_word, lstrip, rstrip))
            self.begins[key.data[0]] = 1
            self.longest = max(self.longest, key.size)
            self.takes_white |= lstrip
            if single_word:
                self.longest_word = max(self.longest_word, key.size)
            keys.push_back(key)
        build_double_array(keys.data(), keys.size(), self.units)

    def __reduce__(self):
        return AddedTokens, (self.tokens, bool(self.are_spaces_white))

    def find_all(self, bytes text not None):
        """Return (id, begin, end) of each token in a text, with the white space that it takes."""
        cdef const uint8_t* data = <const uint8_t*> <const char*> text
        cdef FoundToken found = FoundToken(-1, 0, 0, 0)
        cdef list all_found = []
        while self.find(data, <int32_t> len(text), found.end, found.next, &found):
            all_found.append((found.piece_id, found.begin, found.end))
        return all_found

    def may_hold(self, bytes text not None):
        """Whether the text of some token stands in a text, whatever is beside it."""
        cdef const uint8_t* data = <const uint8_t*> <const char*> text
        cdef int32_t size = <int32_t> len(text), pos, number = 0
        for pos in range(size):
            if self.begins[data[pos]] and self.longest_at(data + pos, size - pos, &number):
                return True
        return False

    cdef bint find(
        self, const uint8_t* text, int32_t size, int32_t taken, int32_t pos, FoundToken* found,
    ) except -1 nogil:
        """Find the next token from `pos` on; False: there is none. taken: where the token before it ends.

        A token whose place is in the white space that the one before it takes is passed over.
        """
        cdef const AddedRule* rule
        cdef int32_t number = 0, used, begin, end, step = 0
        while pos < size:
            if not self.begins[text[pos]]:
                pos += 1
                continue
            used = self.longest_at(text + pos, size - pos, &number)
            if used == 0:
                pos += 1
                continue
            rule = &self.rules[number]
            begin, end = pos, pos + used
            pos = end
            if rule.single_word and (is_word_before(text, begin) or is_word_after(text, size, end)):
                continue
            if rule.lstrip:
                while begin > 0 and self.is_white_at(text + char_before(text, begin), size, &step):
                    begin = char_before(text, begin)
                begin = max(begin, taken)
            if rule.rstrip:
                while end < size and self.is_white_at(text + end, size - end, &step):
                    end += step
            if begin < end:
                found[0] = FoundToken(rule.piece_id, begin, end, pos)
                return True
            taken = end
        return False

    cdef int32_t longest_at(self, const uint8_t* text, int32_t size, int32_t* number) noexcept nogil:
        """Return the bytes of the longest token that the text starts with; 0: none. number: its place in `rules`."""
        cdef const uint32_t* units = self.units.data()
        cdef TrieCursor cursor
        cdef int32_t found = 0, i
        trie_root(units, &cursor)
        for i in range(size):
            if not trie_advance(units, &cursor, text[i]):
                break
            if cursor.value >= 0:
                found, number[0] = i + 1, cursor.value
        return found

    cdef bint is_white_at(self, const uint8_t* text, int32_t size, int32_t* step) noexcept nogil:
        """Whether the text starts with white space. step: set to the bytes of its first character."""
        cdef uint32_t code_point = 0
        step[0] = read_char(text, size, &code_point)
        if step[0] == 0 or (code_point == 0x20 and not self.are_spaces_white):
            return False
        return self.classes[code_point] == WHITE


cdef inline int32_t char_before(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the start of the character that ends at `pos` (not 0); an ill-formed byte is a character."""
    cdef int32_t begin = pos - 1
    while begin > 0 and pos - begin < 4 and text[begin] & 0xC0 == 0x80:
        begin -= 1
    return begin if char_size(text + begin, pos - begin) == pos - begin else pos - 1


cdef bint is_word_before(const uint8_t* text, int32_t pos) except -1 nogil:
    """Whether a character of words ends at `pos`."""
    cdef int32_t begin
    if pos == 0:
        return False
    begin = char_before(text, pos)
    return is_word_after(text, pos, begin)


cdef bint is_word_after(const uint8_t* text, int32_t size, int32_t pos) except -1 nogil:
    """Whether a character of words begins at `pos`: a letter, a mark, a digit, a connector or a joiner."""
    cdef uint32_t code_point = 0
    if pos >= size or read_char(text + pos, size - pos, &code_point) == 0:
        return False
    if code_point < 0x80:
        return 0x30 <= code_point <= 0x39 or 0x61 <= code_point | 0x20 <= 0x7A or code_point == 0x5F
    with gil:
        return is_word(chr(code_point))


def is_word(str sign not None):
    """Whether a character is one of words, in the Unicode of tokenizers, whatever that of Python is.

    >>> is_word("é"), is_word("_"), is_word("-")
    (True, True, False)
    """
    from spm_lite.base.patterns.character_sets import is_member, word

    return is_member(word("rust"), ord(sign))
