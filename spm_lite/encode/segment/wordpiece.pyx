"""Longest match: a trie walk from each place of a word; in a long word an Aho-Corasick automaton from the right.

The hot loop is that of `match_pieces`. Header: wordpiece.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcmp
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, TrieKey, build_double_array, trie_advance, trie_root
from spm_lite.base.structures.radix_sort cimport sorts_before
from spm_lite.base.unicode.bert_words cimport SPACE, WordRules, end_of_word, is_dropped
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, is_mark, marked_id
from spm_lite.base.unicode.utf8 cimport char_size, count_chars, decode_char
from spm_lite.encode.segment.segmenter cimport TOKENS_AT_ONCE, Scratch, Segmenter, Token, go_on
from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.vocab.vocab cimport NORMAL, Vocab

from spm_lite.errors import ModelError

cdef enum:
    LONG_WORD = 512     # bytes; in shorter words the longest piece is found by a walk from each place


@cython.final
cdef class WordPieceScratch(Scratch):
    """Buffers for one word."""


@cython.final
cdef class WordPieceSegmenter(Segmenter):
    """The longest piece that begins a word, then the longest that continues it, and so on.

    In a long word an automaton over the reversed pieces finds, in one pass from the right, the longest piece at every
    place; so the time is linear in the word, whatever the pieces are.
    Source: Schuster and Nakajima 2012; failure links as in Aho and Corasick 1975 (compare Song et al. 2021).
    """

    def __cinit__(self, Vocab vocab not None, bint compact):
        rules = vocab.word_rules
        if rules is None:
            raise ModelError("model type 'wordpiece' needs rules for words, which only its own files have")
        self.prefix = rules.continuation_prefix.encode()
        self.by_char = rules.unknown_by_char
        self.max_length = rules.max_word_length
        self.rules = WordRules(rules.split_by_punctuation, rules.bert_words)
        self.fill_tries()

    cdef int fill_tries(self) except -1:
        """Make the tries. Values are ids."""
        cdef vector[TrieKey] firsts, laters
        cdef TrieKey key
        cdef const uint8_t* prefix = <const uint8_t*> <const char*> self.prefix
        cdef int32_t i, n_prefix = <int32_t> len(self.prefix)
        for i in range(self.vocab.size):
            if self.vocab.types[i] != NORMAL:
                continue
            key.data = self.vocab.texts.data() + self.vocab.begins[i]
            key.size = <int32_t> (self.vocab.begins[i + 1] - self.vocab.begins[i])
            key.value = i
            firsts.push_back(key)
            if key.size > n_prefix and memcmp(key.data, prefix, n_prefix) == 0:
                key.data += n_prefix
                key.size -= n_prefix
                laters.push_back(key)
        with nogil:
            sort(firsts.begin(), firsts.end(), sorts_before)
            sort(laters.begin(), laters.end(), sorts_before)
            build_double_array(firsts.data(), firsts.size(), self.first_units)
            build_double_array(laters.data(), laters.size(), self.later_units)
        return 0

    cdef Scratch new_scratch(self):
        return WordPieceScratch()

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef int32_t begin = 0
        tokens.clear()
        while begin < size:
            begin = self.append_word(text, size, begin, scratch, tokens)
        close_gaps(tokens, 0)
        return 0

    cdef int32_t segment_next(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef int32_t pos = begin
        tokens.clear()
        while pos < size and tokens.size() < <size_t> TOKENS_AT_ONCE:
            pos = self.append_word(text, size, pos, scratch, tokens)
        close_gaps(tokens, begin)
        scratch.sure_end = pos
        return pos

    cdef int32_t append_word(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Append the tokens of the word from `begin` on, with the spaces before it, and return where it ends."""
        cdef WordRules rules = self.rules
        cdef int32_t pos = begin, end
        while pos < size and text[pos] == SPACE:
            pos += 1
        if pos == size:
            return size
        if self.vocab.n_added and is_mark(text + pos, size - pos):
            tokens.push_back(Token(marked_id(text + pos), pos, pos + <int32_t> MARK_SIZE))
            return pos + <int32_t> MARK_SIZE
        end = pos + end_of_word(&rules, text + pos, size - pos)
        self.match_word(text + pos, end - pos, <WordPieceScratch> scratch, pos, tokens)
        go_on(scratch, end - begin)
        return end

    cdef int match_word(
        self, const uint8_t* word, int32_t size, WordPieceScratch scratch, int32_t begin, vector[Token]& tokens,
    ) except -1 nogil:
        """Append the tokens of one word, which begins at the offset `begin` of the text."""
        cdef const int32_t* origins = NULL
        cdef size_t n_before = tokens.size()
        cdef int32_t whole = size
        if self.rules.is_bert and self.drop_signs(word, size, scratch):
            word, size = scratch.word.data(), <int32_t> scratch.word.size()
            origins = scratch.origins.data()
        if size == 0:
            return 0
        if count_chars(word, size) > self.max_length:
            tokens.push_back(Token(self.vocab.unknown_index, begin, begin + whole))
        elif self.match_pieces(word, size, False, scratch, begin, origins, tokens) < size:
            tokens.resize(n_before)
            tokens.push_back(Token(self.vocab.unknown_index, begin, begin + whole))
        return 0

    cdef int32_t match_pieces(
        self, const uint8_t* word, int32_t size, bint goes_on, WordPieceScratch scratch, int32_t begin,
        const int32_t* origins, vector[Token]& tokens,
    ) except -1 nogil:
        cdef const uint32_t* units = self.later_units.data() if goes_on else self.first_units.data()
        cdef TrieCursor cursor
        cdef int32_t pos = 0, end, found, piece_id = -1
        cdef bint is_long = size > LONG_WORD
        if is_long:
            self.match_long(word, size, scratch)
        while pos < size:
            found = 0
            if is_long and (pos or goes_on):
                found, piece_id = scratch.sizes[pos], scratch.ids[pos]
            else:
                trie_root(units, &cursor)
                for end in range(pos, size):
                    if not trie_advance(units, &cursor, word[end]):
                        break
                    if cursor.value >= 0:
                        found, piece_id = end + 1 - pos, cursor.value
            if found == 0:
                if not self.by_char:
                    return pos
                found, piece_id = max(char_size(word + pos, size - pos), 1), self.vocab.unknown_index
            if origins == NULL:
                tokens.push_back(Token(piece_id, begin + pos, begin + pos + found))
            else:
                tokens.push_back(Token(piece_id, begin + origins[pos], begin + origins[pos + found]))
            pos += found
            units = self.later_units.data()
        return size

    cdef int32_t known_size(self, const uint8_t* word, int32_t size) noexcept nogil:
        """Return the bytes of the longest beginning of a word that is not too long, counted as in `match_word`."""
        cdef int32_t pos = 0, step, length = 0
        if size <= self.max_length:
            return size
        while pos < size:
            step = char_size(word + pos, size - pos)
            if not self.rules.is_bert:
                length += word[pos] & 0xC0 != 0x80
            elif step and not is_dropped(decode_char(word + pos, step)):
                length += 1
            if length > self.max_length:
                return pos
            pos += max(step, 1)
        return size

    cdef int32_t size_by_chars(self, const uint8_t* word, int32_t size, int64_t* length) noexcept nogil:
        cdef const uint32_t* units = self.later_units.data()
        cdef TrieCursor cursor
        cdef int32_t pos = 0, step, k
        cdef bint is_known
        while pos < size and length[0] <= self.max_length:
            step = char_size(word + pos, size - pos)
            if step == 0:
                break
            is_known = self.by_char or pos == 0 or self.rules.is_bert and is_dropped(decode_char(word + pos, step))
            if not is_known:
                trie_root(units, &cursor)
                k = 0
                while k < step and trie_advance(units, &cursor, word[pos + k]):
                    k += 1
                is_known = k == step and cursor.value >= 0
            if not is_known:
                break
            length[0] += 1
            pos += step
        return pos

    cdef bint drop_signs(self, const uint8_t* word, int32_t size, WordPieceScratch scratch) except -1 nogil:
        """Copy a word without what BERT drops; False: there is nothing to drop."""
        cdef int32_t pos = 0, step, k
        cdef bint is_found = False
        while pos < size and not is_found:
            step = char_size(word + pos, size - pos)
            # All of these characters but NUL begin with a byte above 0xED. Ill-formed bytes count as U+FFFD.
            if step == 0:
                is_found, step = True, 1
            elif word[pos] == 0 or word[pos] > 0xED:
                is_found = is_dropped(decode_char(word + pos, step))
            pos += step
        if not is_found:
            return False
        scratch.word.clear()
        scratch.origins.clear()
        pos = 0
        while pos < size:
            step = char_size(word + pos, size - pos)
            if step and not is_dropped(decode_char(word + pos, step)):
                for k in range(step):
                    scratch.word.push_back(word[pos + k])
                    scratch.origins.push_back(pos + k)
            pos += max(step, 1)
        scratch.origins.push_back(size)
        return True

    cdef int match_long(self, const uint8_t* word, int32_t size, WordPieceScratch scratch) except -1 nogil:
        """Fill `sizes` and `ids` with the longest continuation piece at every offset, in one pass from the right."""
        cdef int32_t pos, node = 0, other
        if not self.has_nodes:
            with gil:
                with cython.critical_section(self):
                    if not self.has_nodes:
                        self.make_nodes()
                        self.has_nodes = True
        scratch.sizes.resize(size)
        scratch.ids.resize(size)
        for pos in range(size - 1, -1, -1):
            other = self.child(node, word[pos])
            while other < 0 and node:
                node = self.nodes[node].fail
                other = self.child(node, word[pos])
            node = max(other, <int32_t> 0)
            scratch.sizes[pos] = self.nodes[node].longest
            scratch.ids[pos] = self.nodes[node].piece_id
        return 0

    cdef inline int32_t child(self, int32_t node, uint8_t byte) noexcept nogil:
        """The child of a node by a byte; -1: none."""
        cdef int32_t i = self.nodes[node].first_child
        while i >= 0 and self.nodes[i].byte != byte:
            i = self.nodes[i].sibling
        return i

    cdef int32_t add_child(self, int32_t node, uint8_t byte) except -1:
        cdef int32_t i = self.child(node, byte)
        if i < 0:
            i = <int32_t> self.nodes.size()
            self.nodes.push_back(MatchNode(-1, self.nodes[node].first_child, 0, 0, -1, byte))
            self.nodes[node].first_child = i
        return i

    cdef int make_nodes(self) except -1:
        """Make the automaton over the reversed continuation pieces, breadth first."""
        cdef vector[int32_t] queue
        cdef int32_t i, node, above, k, n_prefix = <int32_t> len(self.prefix)
        cdef int64_t begin, end
        cdef size_t place = 0
        self.nodes.clear()
        self.nodes.push_back(MatchNode(-1, -1, 0, 0, -1, 0))
        for i in range(self.vocab.size):
            begin, end = self.vocab.begins[i], self.vocab.begins[i + 1]
            if self.vocab.types[i] != NORMAL or end - begin <= n_prefix:
                continue
            if memcmp(self.vocab.texts.data() + begin, <const char*> self.prefix, n_prefix) != 0:
                continue
            node = 0
            for k in range(<int32_t> (end - begin) - 1, n_prefix - 1, -1):
                node = self.add_child(node, self.vocab.texts[begin + k])
            self.nodes[node].longest = <int32_t> (end - begin) - n_prefix
            self.nodes[node].piece_id = i
        queue.push_back(0)
        while place < queue.size():
            above = queue[place]
            place += 1
            i = self.nodes[above].first_child
            while i >= 0:
                self.link(above, i)
                queue.push_back(i)
                i = self.nodes[i].sibling
        return 0

    cdef void link(self, int32_t above, int32_t node) noexcept:
        """Set where a node fails to, and the longest piece that ends there if none ends at the node itself."""
        cdef int32_t fail = above, found = -1
        while fail and found < 0:
            fail = self.nodes[fail].fail
            found = self.child(fail, self.nodes[node].byte)
        self.nodes[node].fail = found if found >= 0 and found != node else 0
        if self.nodes[node].longest == 0:
            self.nodes[node].longest = self.nodes[self.nodes[node].fail].longest
            self.nodes[node].piece_id = self.nodes[self.nodes[node].fail].piece_id


cdef void close_gaps(vector[Token]& tokens, int32_t begin) noexcept nogil:
    """Let each token begin where the one before it ends: spaces and what BERT drops belong to the token after them.

    begin: where the first one begins.
    """
    cdef int32_t end = begin
    cdef size_t i
    for i in range(tokens.size()):
        tokens[i].begin = end
        end = tokens[i].end


def words_of(bytes text, Normalizer normalizer not None, WordPieceSegmenter segmenter not None):
    """Return the words of a text as they are matched: normalized, without spaces, and without what BERT drops."""
    cdef WordPieceScratch scratch = WordPieceScratch()
    cdef vector[uint8_t] normalized
    cdef const uint8_t* data
    cdef int32_t size, begin = 0, end
    cdef list found = []
    normalizer.normalize_into(<const uint8_t*> <const char*> text, <int32_t> len(text), normalized, NULL)
    data, size = normalized.data(), <int32_t> normalized.size()
    while begin < size:
        if data[begin] == SPACE:
            begin += 1
            continue
        end = begin + end_of_word(&segmenter.rules, data + begin, size - begin)
        if not (segmenter.rules.is_bert and segmenter.drop_signs(data + begin, end - begin, scratch)):
            found.append((<const char*> data)[begin:end])
        elif scratch.word.size():
            found.append((<const char*> scratch.word.data())[:scratch.word.size()])
        begin = end
    return found
