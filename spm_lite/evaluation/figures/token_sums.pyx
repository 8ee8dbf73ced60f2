"""Adds up tokens by id, by the letter words they touch, and by their unknown or byte-spelled characters.

`TokenSums.add` lists the steps. Header: token_sums.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.unicode.utf8 cimport read_char
from spm_lite.evaluation.figures.character_counts cimport script_numbers
from spm_lite.evaluation.figures.text_shape cimport LetterWord, add_fields
from spm_lite.texts.text_view cimport TextView

LOSS_FIELDS = 4     # of a text with unknown tokens: its number, then unknown tokens, their bytes, their characters


cdef inline uint8_t kind_of(TokenSums sums, int32_t token_id) noexcept nogil:
    return sums.kinds[token_id] if token_id >= 0 else <uint8_t> UNKNOWN_TOKEN


cdef inline bint find_span(
    TokenSums sums, const TextTokens* tokens, size_t i, size_t* next_full, int32_t* begin, int32_t* end,
) noexcept nogil:
    """Set the place of token `i` in the text; False: it touches nothing.

    An empty span is that of the next token that has one, if that begins at the same place. A lone U+2581 keeps its own.
    next_full: of the tokens from `i` on, the first with a span that is not empty; 0 before the first call.
    """
    begin[0] = tokens.places[2 * i]
    end[0] = tokens.places[2 * i + 1]
    if begin[0] < end[0]:
        return True
    if kind_of(sums, tokens.ids[i]) & SPACE_TOKEN:
        return False
    next_full[0] = max(next_full[0], i)
    while next_full[0] < tokens.n and tokens.places[2 * next_full[0]] == tokens.places[2 * next_full[0] + 1]:
        next_full[0] += 1
    if next_full[0] == tokens.n or tokens.places[2 * next_full[0]] != begin[0]:
        return False
    end[0] = tokens.places[2 * next_full[0] + 1]
    return True


cdef inline bint next_char(Walker* walker, int32_t begin, int32_t end, uint32_t* code_point) noexcept nogil:
    """Set `code_point` to the next character of [begin, end) not counted yet, and move on; False: there is none."""
    cdef int32_t step
    begin = max(begin, walker.covered)
    if begin >= end:
        return False
    while walker.pos < walker.size:
        step = read_char(walker.text + walker.pos, walker.size - walker.pos, code_point)
        if step == 0:
            step, code_point[0] = 1, 0xFFFD
        walker.pos += step
        walker.n += 1
        if walker.n > begin:
            walker.covered = walker.n
            return True
    return False


@cython.final
cdef class TokenSums:
    """Adds up the tokens of one text after the other.

    size: of the vocabulary. unknown_id: -1: none. byte_ids, space_ids: ids of byte pieces, and of pieces that are only
    U+2581.
    """

    def __cinit__(self, int32_t size, int32_t unknown_id, byte_ids, space_ids):
        cdef int32_t i
        self.counts.resize(<size_t> size + 1)
        self.kinds.resize(<size_t> size + 1)
        self.lengths = Int32Array()
        self.losses = Int32Array()
        self.kinds[size] = UNKNOWN_TOKEN
        if 0 <= unknown_id < size:
            self.kinds[unknown_id] = UNKNOWN_TOKEN
        for i in byte_ids:
            self.kinds[i] |= BYTE_TOKEN
        for i in space_ids:
            self.kinds[i] |= SPACE_TOKEN

    cdef int add(self, const TextView* text, TextTokens tokens) except -1 nogil:
        """Count the tokens of a text, and what the unknown ones among them lose."""
        cdef int64_t n_unknown = 0, n_bytes = 0, n_chars = 0, unknown_bytes = 0
        cdef int32_t length = <int32_t> tokens.n
        cdef int32_t loss[4]
        self.count_ids(&tokens, &n_unknown, &n_bytes)
        self.totals.tokens += <int64_t> tokens.n
        self.totals.unknown_tokens += n_unknown
        self.totals.byte_tokens += n_bytes
        if tokens.places != NULL:
            self.touch_words(&tokens)
            if n_bytes:
                self.totals.byte_characters += self.walk_bytes(text, &tokens)
            if n_unknown:
                n_chars = self.walk_unknown(text, &tokens, &unknown_bytes)
                self.totals.unknown_characters += n_chars
                self.totals.unknown_bytes += unknown_bytes
        if n_unknown:
            loss[0] = <int32_t> self.lengths.size
            loss[1], loss[2], loss[3] = <int32_t> n_unknown, <int32_t> unknown_bytes, <int32_t> n_chars
            self.losses.append(loss, 4)
        return self.lengths.append(&length, 1)

    cdef int count_ids(self, TextTokens* tokens, int64_t* n_unknown, int64_t* n_bytes) except -1 nogil:
        """Count ids, unknown ones and byte pieces."""
        cdef int64_t* counts = self.counts.data()
        cdef const uint8_t* kinds = self.kinds.data()
        cdef int32_t last = <int32_t> self.kinds.size() - 1, token_id
        cdef size_t i
        for i in range(tokens.n):
            token_id = tokens.ids[i]
            if token_id < 0 or token_id > last:
                token_id = last
            counts[token_id] += 1
            n_unknown[0] += kinds[token_id] & UNKNOWN_TOKEN
            n_bytes[0] += kinds[token_id] & BYTE_TOKEN
        n_bytes[0] //= <int> BYTE_TOKEN
        return 0

    cdef int touch_words(self, const TextTokens* tokens) except -1 nogil:
        """Count the letter words of the text by the tokens that touch them."""
        cdef const LetterWord* words = tokens.words
        cdef size_t n_words = tokens.n_words, first = 0, k, i, next_full = 0
        cdef int32_t begin = 0, end = 0, n
        cdef bint is_unknown
        self.touched.assign(n_words, 0)
        for i in range(tokens.n):
            if not find_span(self, tokens, i, &next_full, &begin, &end):
                continue
            while first < n_words and words[first].end <= begin:
                first += 1
            is_unknown = kind_of(self, tokens.ids[i]) & UNKNOWN_TOKEN != 0
            k = first
            while k < n_words and words[k].begin < end:
                self.totals.touches += 1
                if is_unknown:
                    self.touched[k] = -1
                elif self.touched[k] >= 0:
                    self.touched[k] += 1
                k += 1
        for k in range(n_words):
            n = self.touched[k]
            self.totals.lost += n < 0
            self.totals.whole += n == 1
            self.totals.split += n == 0 or n > 1
        return 0

    cdef int64_t walk_unknown(self, const TextView* text, const TextTokens* tokens, int64_t* n_bytes) except -1 nogil:
        """Count and return the characters within unknown tokens; add the bytes of these tokens to `n_bytes`."""
        cdef Walker walker = Walker(text.data, text.size, 0, 0, 0)
        cdef size_t i, k = 0
        cdef int32_t begin = 0, end = 0, first_byte
        cdef int64_t n_chars = 0, n
        cdef uint32_t code_point = 0
        for i in range(tokens.n):
            if not kind_of(self, tokens.ids[i]) & UNKNOWN_TOKEN:
                continue
            n = 0
            first_byte = -1
            begin, end = tokens.places[2 * i], tokens.places[2 * i + 1]
            while next_char(&walker, begin, end, &code_point):
                if first_byte < 0:
                    first_byte = walker.pos - size_of(code_point)
                self.unknown_chars[code_point] += 1
                self.totals.unknown_scripts[script_numbers[code_point]] += 1
                n += 1
            n_chars += n
            if tokens.unknown_sizes != NULL:
                self.add_unknown_size(tokens.unknown_sizes[2 * k], tokens.unknown_sizes[2 * k + 1])
                n_bytes[0] += tokens.unknown_sizes[2 * k]
            else:
                first_byte = walker.pos - first_byte if first_byte >= 0 else 0
                self.add_unknown_size(first_byte, <int32_t> n)
                n_bytes[0] += first_byte
            k += 1
        return n_chars

    cdef int add_unknown_size(self, int32_t n_bytes, int32_t n_chars) noexcept nogil:
        self.totals.unknown_byte_sizes[min(n_bytes, <int32_t> N_SIZES - 1)] += 1
        self.totals.unknown_character_sizes[min(n_chars, <int32_t> N_SIZES - 1)] += 1
        return 0

    cdef int64_t walk_bytes(self, const TextView* text, const TextTokens* tokens) noexcept nogil:
        """Count the characters that are spelled as byte pieces, and return their number."""
        cdef Walker walker = Walker(text.data, text.size, 0, 0, 0)
        cdef size_t i
        cdef int32_t begin = 0, end = 0
        cdef int64_t n_chars = 0
        cdef uint32_t code_point = 0
        for i in range(tokens.n):
            if not kind_of(self, tokens.ids[i]) & BYTE_TOKEN:
                continue
            begin, end = tokens.places[2 * i], tokens.places[2 * i + 1]
            while next_char(&walker, begin, end, &code_point):
                self.totals.byte_scripts[script_numbers[code_point]] += 1
                n_chars += 1
        return n_chars

    def merge(self, TokenSums other not None):
        """Add the sums of another thread, without its texts."""
        add_fields(<int64_t*> &self.totals, <const int64_t*> &other.totals, sizeof(TokenTotals))
        cdef size_t i
        for i in range(self.counts.size()):
            self.counts[i] += other.counts[i]
        for item in other.unknown_chars:
            self.unknown_chars[item.first] += item.second

    def take_texts(self):
        """Return (tokens of each text, rows of LOSS_FIELDS) since the last call; both are Int32Array."""
        lengths, losses = self.lengths, self.losses
        self.lengths, self.losses = Int32Array(), Int32Array()
        return lengths, losses

    def id_counts(self):
        """Return how often each id occurs, as a list, and at its end how often an unknown token has no id."""
        return list(self.counts)

    def unknown_characters(self):
        """Return [(character, how often)] of the characters within unknown tokens, in any order."""
        return [(chr(item.first), item.second) for item in self.unknown_chars]

    def result(self):
        """Return the totals as a dict; scripts and sizes by their number."""
        totals = dict(self.totals)
        for name, values in totals.items():
            if isinstance(values, list):
                totals[name] = {i: n for i, n in enumerate(values) if n}
        return totals


cdef inline int32_t size_of(uint32_t code_point) noexcept nogil:
    """Bytes of UTF-8; an ill-formed byte was read as U+FFFD, and counts as its three."""
    return 1 if code_point < 0x80 else 2 if code_point < 0x800 else 3 if code_point < 0x10000 else 4
