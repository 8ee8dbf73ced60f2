"""A class for each kind of segmenter: `fill` segments the text once, and `count` redoes the end of a prefix.

The exception is BPE with UNUSED pieces, and with few lists of merges: there `count` redoes the whole prefix.
Header: prefix_counts.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.patterns.pattern_scanner cimport IS_HELD, IS_MATCH
from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.signals cimport check_signals
from spm_lite.base.unicode.bert_words cimport WordRules, end_of_word
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.split_classes cimport (
    CASELESS, GPT2, LOWER, MARK, NO_CLASS, O200K, UPPER, WHITE, SplitRules,
)
from spm_lite.base.unicode.token_mark cimport MARK_SIZE
from spm_lite.encode.segment.bpe cimport PAIR_BYTES, BpeScratch, BpeSegmenter, add_pairs, is_joinable
from spm_lite.encode.segment.byte cimport ByteSegmenter
from spm_lite.encode.segment.byte_fallback cimport ByteFallback
from spm_lite.encode.segment.char cimport CharSegmenter
from spm_lite.encode.segment.char_trie cimport TextChar
from spm_lite.encode.segment.pair_merges cimport PairMerges
from spm_lite.encode.segment.segmenter cimport Segmenter, Token, unit_size
from spm_lite.encode.segment.split_text cimport SplitScratch, SplitSegmenter
from spm_lite.encode.segment.split_rules cimport class_at, end_of_match, is_letter, is_line_end
from spm_lite.base.patterns.text_cuts cimport CutScratch, Part, Restart
from spm_lite.encode.segment.unigram cimport Arrival, UnigramScratch, UnigramSegmenter
from spm_lite.encode.segment.word cimport WordSegmenter
from spm_lite.encode.segment.wordpiece cimport WordPieceScratch, WordPieceSegmenter
from spm_lite.vocab.vocab cimport USER_DEFINED, Vocab

cdef enum:
    SPACE = 0x20
    CHAR_BYTES = 4
    NO_PART = -1
    LOOKED_AT = 8   # bytes after a match: the next character, or "'re" and the like


@cython.final
cdef class PieceReach:
    """The longest pieces and joinable byte pairs of a vocabulary; immutable, shared by all its PrefixCounts."""

    def __cinit__(self, Segmenter segmenter not None):
        cdef Vocab vocab = segmenter.vocab
        cdef vector[uint8_t] piece
        cdef int32_t i, k, size
        self.joinable.resize(PAIR_BYTES, 0)
        self.reach.resize(65536, CHAR_BYTES)
        self.longest = CHAR_BYTES
        self.longest_symbol = 0
        for i in range(vocab.size):
            size = vocab.matchable(i, segmenter.compact, piece)
            self.longest = max(self.longest, size)
            if vocab.types[i] == USER_DEFINED:
                self.longest_symbol = max(self.longest_symbol, size)
            if size > 1:
                k = <int32_t> piece[0] << 8 | piece[1]
                self.reach[k] = max(self.reach[k], size)
            add_pairs(self.joinable.data(), piece.data(), size)


cdef class PrefixCounts:
    """The counts of the prefixes of one text; `fill` sets the text."""

    def __cinit__(
        self, Segmenter segmenter not None, PieceReach pieces not None, bint skips_spaces, bint escapes_spaces,
    ):
        self.segmenter = segmenter
        self.pieces = pieces
        self.scratch = segmenter.new_scratch()
        self.skips_spaces = skips_spaces
        self.has_marks = escapes_spaces and not segmenter.compact
        self.is_sure = True
        if segmenter.vocab.merge_list is not None or segmenter.vocab.is_cut:
            self.keeps_unknown = ByteFallback(segmenter.vocab, segmenter.compact).keeps_unknown

    cdef int fill(self, const uint8_t* text, int32_t size) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} does not count")

    cdef int fill_part(self, const uint8_t* text, int32_t size) except -1 nogil:
        return self.fill(text, size)

    cdef int start(self, const uint8_t* text, int32_t size) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} has no words")

    cdef int32_t word_beyond(self, int64_t limit) noexcept nogil:
        return -1

    cdef int32_t word_end(self, const uint8_t* text, int32_t size) noexcept nogil:
        return size

    cdef bint is_apart(self, const uint8_t* text, int32_t pos, int32_t size) noexcept nogil:
        return False

    cdef int set_gaps(self, uint64_t gaps) except -1:
        return 0

    cdef int32_t first_match(
        self, int32_t split, const uint8_t* text, int32_t size, bint is_whole, int32_t* end, int32_t* reach,
    ) except -1 nogil:
        return 0

    cdef int64_t count(self, int32_t end, const uint8_t* tail, int32_t tail_size) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} does not count")

    cdef int32_t first_beyond(self, int64_t limit) except? -1 nogil:
        return -1

    cdef bint is_cut(self, int32_t pos) noexcept nogil:
        """Whether no piece spans `pos`, an offset inside the text."""
        return not is_joinable(self.pieces.joinable.data(), self.text[pos - 1], self.text[pos])

    cdef bint is_visible_end(self, int32_t end) noexcept nogil:
        """Whether a prefix that ends here keeps its last character: spaces at its end may be removed."""
        if not self.skips_spaces:
            return True
        if not self.has_marks:
            return self.text[end - 1] != SPACE
        return end < 3 or not is_space_mark(self.text + end - 3, 3)

    cdef int32_t visible_end(self, int32_t end) noexcept nogil:
        """Return the end of a prefix without the spaces at its end that may be removed."""
        while end > 0 and not self.is_visible_end(end):
            end -= 3 if self.has_marks else 1
        return end

    cdef int32_t next_unit(self, int32_t pos) noexcept nogil:
        """Return the end of the character at `pos`, which is inside the text."""
        return pos + unit_size(self.text + pos, self.size - pos, self.segmenter.compact)

    cdef inline int64_t count_token(self, const uint8_t* text, Token token, bint* was_unknown) noexcept nogil:
        """Return the number of ids of one token. was_unknown: of the token before it; set to that of this token."""
        cdef bint in_run = was_unknown[0]
        cdef int64_t n_ids
        cdef int32_t k
        was_unknown[0] = token.piece_id == self.segmenter.vocab.unknown_index
        if not was_unknown[0]:
            return 1
        if not self.segmenter.vocab.byte_fallback:
            return 0 if in_run and not self.keeps_unknown else 1
        n_ids = token.end - token.begin
        if self.segmenter.compact:  # an escaped space becomes the three bytes of U+2581
            for k in range(token.begin, token.end):
                n_ids += 2 * (text[k] == SPACE)
        return n_ids

    cdef int64_t count_tokens(
        self, const uint8_t* text, const vector[Token]& tokens, bint was_unknown,
    ) noexcept nogil:
        """Return the number of ids of the tokens of `text`. was_unknown: the token before them is unknown."""
        cdef int64_t n_ids = 0
        cdef size_t i
        for i in range(tokens.size()):
            n_ids += self.count_token(text, tokens.data()[i], &was_unknown)
        return n_ids

    cdef int set_ending(
        self, int32_t begin, int32_t end, const uint8_t* tail, int32_t tail_size,
    ) except -1 nogil:
        """Set `ending` to text[begin:end] followed by `tail`."""
        cdef int32_t k
        self.ending.assign(self.text + begin, self.text + end)
        for k in range(tail_size):
            self.ending.push_back(tail[k])
        return 0


@cython.final
cdef class UnigramPrefixes(PrefixCounts):
    """The counts for Unigram: one search for the best path (Viterbi) gives the counts of all prefixes."""

    cdef int fill(self, const uint8_t* text, int32_t size) except -1 nogil:
        cdef double score = 0.0
        cdef int32_t begin = 0, n_chars, checked = 0
        self.text = text
        self.size = size
        refill(self.counts, <size_t> size + 1, -1)
        self.scores.resize(<size_t> size + 1)
        self.is_unknown.resize(<size_t> size + 1)
        self.counts[0] = 0
        self.scores[0] = 0.0
        self.is_unknown[0] = 0
        while begin < size:
            n_chars = (<UnigramSegmenter> self.segmenter).find_path(
                text + begin, size - begin, &score, <UnigramScratch> self.scratch,
            )
            begin += self.fill_block(begin, n_chars)
            self.scores[begin] = score
            if begin - checked > FILL_BYTES:
                checked = begin
                check_signals()
        return 0

    cdef int32_t fill_block(self, int32_t begin, int32_t n_chars) noexcept nogil:
        """Fill the counts in a block from the arrivals of its search; return the bytes of the block."""
        cdef const Arrival* arrivals = (<UnigramScratch> self.scratch).arrivals.data()
        cdef const TextChar* chars = (<UnigramScratch> self.scratch).chars.data()
        cdef int64_t* counts = self.counts.data() + begin
        cdef double* scores = self.scores.data() + begin
        cdef uint8_t* is_unknown = self.is_unknown.data() + begin
        cdef int32_t size = chars[n_chars].begin, k = 0, pos, origin
        cdef bint is_run
        while k < n_chars:
            if self.segmenter.compact:
                k += 1
            else:
                k += unit_size(self.text + begin + k, size - k, False)
            pos = chars[k].begin
            origin = chars[arrivals[k].begin].begin
            is_run = is_unknown[origin]
            counts[pos] = counts[origin] + self.count_token(
                self.text + begin, Token(arrivals[k].piece_id, origin, pos), &is_run,
            )
            scores[pos] = arrivals[k].score
            is_unknown[pos] = is_run
        return size

    cdef int64_t count(self, int32_t end, const uint8_t* tail, int32_t tail_size) except -1 nogil:
        cdef int32_t begin = end
        cdef double score
        if tail_size == 0 and self.counts[end] >= 0:
            return self.counts[end]
        # Segment again from the last offset before `end` that no piece spans.
        while begin > 0 and (begin == end or self.counts[begin] < 0 or not self.is_cut(begin)):
            begin -= 1
        self.set_ending(begin, end, tail, tail_size)
        score = self.scores[begin]
        (<UnigramSegmenter> self.segmenter).segment_from(
            self.ending.data(), <int32_t> self.ending.size(), &score, <UnigramScratch> self.scratch, self.tokens,
        )
        return self.counts[begin] + self.count_tokens(self.ending.data(), self.tokens, self.is_unknown[begin])

    cdef int32_t first_beyond(self, int64_t limit) except? -1 nogil:
        cdef int32_t pos = 0, last_fit = 0, next_pos
        while pos < self.size:
            next_pos = self.next_unit(pos)
            if pos > 0 and self.counts[pos] > limit and self.is_cut(pos) and self.is_visible_end(next_pos):
                return next_pos
            pos = next_pos
            if self.counts[pos] <= limit:
                last_fit = pos
            elif pos - last_fit >= self.pieces.longest and self.is_visible_end(pos):
                return pos
        return -1


@cython.final
cdef class MergedPrefixes(PrefixCounts):
    """The counts for BPE and character models: a prefix that ends inside a token has only its last tokens redone."""

    def __cinit__(self, Segmenter segmenter not None, PieceReach pieces, bint skips_spaces, bint escapes_spaces):
        cdef PairMerges listed = None
        if isinstance(segmenter, BpeSegmenter):
            self.is_whole = (<BpeSegmenter> segmenter).has_unused
            listed = (<BpeSegmenter> segmenter).listed
        if listed is not None and listed.needs_whole:
            self.is_one_part = True
            self.looks_up = listed.looks_up
            self.is_by_part = listed.is_by_part
            self.drops = listed.drops_unknown and (not segmenter.vocab.is_bytes or lacks_bytes(listed))
            self.is_whole = (<BpeSegmenter> segmenter).has_symbols or self.drops and self.is_by_part
        self.is_sure = not self.is_whole and not self.drops

    cdef int fill(self, const uint8_t* text, int32_t size) except -1 nogil:
        cdef int32_t begin = 0, end
        self.text = text
        self.size = size
        self.tokens.clear()
        while begin < size:
            end = size
            if self.segmenter.compact and not self.is_whole and not self.is_one_part and size - begin > FILL_BYTES:
                end = begin + FILL_BYTES
                while end < size and (text[end] & 0xC0 == 0x80 or not self.is_cut(end)):
                    end += 1
                check_signals()
            self.append_tokens(begin, end)
            begin = end
        if self.drops:
            self.fill_known_ends()
        return self.fill_counts()

    cdef int fill_known_ends(self) except -1 nogil:
        cdef int32_t pos = 0, step, known = 0, k
        self.known_ends.resize(<size_t> self.size + 1)
        self.known_ends[0] = 0
        while pos < self.size:
            step = 1 if self.segmenter.vocab.is_bytes else self.next_unit(pos) - pos
            if (<BpeSegmenter> self.segmenter).listed.find_char(self.text + pos, step, 0) >= 0:
                known = pos + step
            for k in range(pos + 1, pos + step + 1):
                self.known_ends[k] = known
            pos += step
        return 0

    cdef int append_tokens(self, int32_t begin, int32_t end) except -1 nogil:
        """Add the tokens of text[begin:end]; no piece spans either end."""
        cdef size_t i
        self.segmenter.segment(self.text + begin, end - begin, self.scratch, self.others)
        for i in range(self.others.size()):
            self.tokens.push_back(
                Token(self.others[i].piece_id, begin + self.others[i].begin, begin + self.others[i].end)
            )
        return 0

    cdef int fill_counts(self) except -1 nogil:
        return sum_up(self, self.tokens, self.counts, self.was_unknown)

    cdef int64_t count(self, int32_t end, const uint8_t* tail, int32_t tail_size) except -1 nogil:
        cdef size_t n_tokens = first_ending_after(self.tokens, end), n_back = 2, first
        cdef int64_t found
        if self.is_whole or self.is_one_part and tail_size or self.looks_up and end <= self.pieces.longest:
            return self.count_from(0, end, tail, tail_size)
        if tail_size == 0 and (end == 0 or n_tokens and self.tokens[n_tokens - 1].end == end):
            if end == self.size or self.is_open or not self.is_by_part:
                return self.counts[n_tokens]
        if self.drops:
            end = self.known_ends[end]
            n_tokens = first_ending_after(self.tokens, end)
            if end == 0 or self.known_ends[self.tokens[n_tokens].end] == end:
                return 0 if end == 0 else self.counts[n_tokens + 1]
        while True:
            first = n_tokens - n_back if n_back < n_tokens else 0
            # The tail may complete a user-defined symbol: segment from its start or before.
            if first == 0 or tail_size == 0 or self.tokens[first].begin <= end - self.pieces.longest_symbol:
                found = self.count_from(first, end, tail, tail_size)
                if found >= 0:
                    return found
            n_back *= 2

    cdef int64_t count_from(
        self, size_t first, int32_t end, const uint8_t* tail, int32_t tail_size,
    ) except -2 nogil:
        """Return `count`, segmenting only from token `first` on; -1: the tokens before it may change."""
        cdef int32_t begin = self.tokens[first].begin if first else 0
        cdef Token* other
        self.set_ending(begin, end, tail, tail_size)
        if self.is_one_part:
            (<BpeScratch> self.scratch).goes_on = first > 0
            (<BpeScratch> self.scratch).is_open = self.is_open
        self.segmenter.segment(self.ending.data(), <int32_t> self.ending.size(), self.scratch, self.others)
        if self.is_one_part:
            (<BpeScratch> self.scratch).goes_on = (<BpeScratch> self.scratch).is_open = False
        if first:
            other = self.others.data()
            if self.others.empty() or begin + other.end != self.tokens[first].end:
                return -1
            if self.is_by_part and self.tokens[first].end >= end:
                return -1  # the last character is another symbol where a part ends
        return self.counts[first] + self.count_tokens(
            self.ending.data(), self.others, first > 0 and self.was_unknown[first],
        )

    cdef int32_t first_beyond(self, int64_t limit) except? -1 nogil:
        cdef size_t i = max(first_above(self.counts, limit), <size_t> 1)
        cdef int32_t pos, k, next_pos, reached = 0
        cdef bint is_over
        if i == self.counts.size():
            return -1
        pos = self.tokens[i - 1].end
        for k in range(max(0, pos - self.pieces.longest), pos):
            # Assume that all of these prefixes are within the limit: a check would segment each.
            reached = max(reached, self.reach_from(k))
        while pos < self.size or not self.is_by_part:
            self.is_open = self.is_by_part  # longer texts have no end of a part here
            is_over = self.count(pos, NULL, 0) > limit
            self.is_open = False
            if not is_over:
                reached = max(reached, self.reach_from(pos))
            elif pos >= reached and self.is_visible_end(pos) and not (self.looks_up and pos <= self.pieces.longest):
                return pos
            if pos == self.size:
                return -1
            next_pos = self.next_unit(pos)
            if is_over and not (self.is_whole or self.is_one_part):
                if self.is_cut(pos) and self.is_visible_end(next_pos):
                    return next_pos
            pos = next_pos
        return -1

    cdef int32_t reach_from(self, int32_t pos) noexcept nogil:
        """Return an upper bound of the end of a token that begins at `pos`, from its first two bytes."""
        if pos + 1 >= self.size or self.is_by_part:
            return pos + self.pieces.longest
        return pos + self.pieces.reach[<int32_t> self.text[pos] << 8 | self.text[pos + 1]]


@cython.final
cdef class WordPrefixes(PrefixCounts):
    """The counts for word models. Words are independent; a word longer than all pieces is unknown, whatever follows."""

    cdef int fill(self, const uint8_t* text, int32_t size) except -1 nogil:
        self.text = text
        self.size = size
        self.segmenter.segment(text, size, self.scratch, self.tokens)
        return sum_up(self, self.tokens, self.counts, self.was_unknown)

    cdef int fill_part(self, const uint8_t* text, int32_t size) except -1 nogil:
        self.text = text
        self.size = size
        self.tokens.assign(1, Token((<WordSegmenter> self.segmenter).find_word(text, size, size), 0, size))
        return sum_up(self, self.tokens, self.counts, self.was_unknown)

    cdef int64_t count(self, int32_t end, const uint8_t* tail, int32_t tail_size) except -1 nogil:
        cdef size_t i = first_ending_after(self.tokens, end)
        cdef int32_t begin
        cdef bint was_unknown
        if tail_size == 0 and (end == 0 or i and self.tokens[i - 1].end == end):
            return self.counts[i]
        if i and self.tokens[i - 1].end == end:
            i -= 1  # the tail may continue the word before it
        begin = self.tokens[i].begin if i < self.tokens.size() else end
        was_unknown = self.was_unknown[i]
        if tail_size == 0 and end - begin > self.pieces.longest:
            return self.counts[i] + self.count_token(
                self.text, Token(self.segmenter.vocab.unknown_index, begin, end), &was_unknown,
            )
        self.set_ending(begin, end, tail, tail_size)
        self.segmenter.segment(self.ending.data(), <int32_t> self.ending.size(), self.scratch, self.others)
        return self.counts[i] + self.count_tokens(self.ending.data(), self.others, was_unknown)

    cdef int32_t first_beyond(self, int64_t limit) except? -1 nogil:
        cdef size_t i
        cdef int32_t pos
        for i in range(self.tokens.size()):
            pos = self.tokens[i].begin
            if self.counts[i] <= limit:
                pos = self.sure_of_more(i, limit)
            elif i:
                pos = self.next_unit(pos)
            while pos <= self.tokens[i].end:
                if pos > self.tokens[i].begin and self.is_visible_end(pos):
                    return pos
                if pos >= self.tokens[i].end:
                    break
                pos = self.next_unit(pos)
        return -1

    cdef int32_t sure_of_more(self, size_t i, int64_t limit) noexcept nogil:
        """Return the offset in word `i` from which any continuation has more than `limit` ids; none: its end + 1."""
        cdef int32_t begin = self.tokens[i].begin, end = self.tokens[i].end, pos = begin
        if not self.segmenter.vocab.byte_fallback and self.counts[i] + (0 if self.was_unknown[i] else 1) <= limit:
            return end + 1
        while pos < end:
            pos = self.next_unit(pos)
            if pos - begin <= self.pieces.longest:
                continue
            if not self.segmenter.vocab.byte_fallback or self.counts[i] + pos - begin > limit:
                return pos
        return end + 1


@cython.final
cdef class WordPiecePrefixes(PrefixCounts):
    """The counts for WordPiece: words are independent, and of a prefix that ends inside a word, its end is redone."""

    def __cinit__(self, Segmenter segmenter not None, PieceReach pieces, bint skips_spaces, bint escapes_spaces):
        self.word_pieces = segmenter
        self.opened = segmenter.new_scratch()

    cdef int fill(self, const uint8_t* text, int32_t size) except -1 nogil:
        cdef WordRules rules = self.word_pieces.rules
        cdef int32_t pos = 0, begin
        self.start(text, size)
        while pos < size:
            while pos < size and text[pos] == SPACE:
                pos += 1
            begin = pos
            if pos < size:
                pos += end_of_word(&rules, text + pos, size - pos)
            self.segmenter.segment(text + begin, pos - begin, self.scratch, self.others)
            self.add_word(begin, pos)
        return 0

    cdef int fill_part(self, const uint8_t* text, int32_t size) except -1 nogil:
        self.start(text, size)
        self.others.clear()
        self.word_pieces.match_word(text, size, <WordPieceScratch> self.scratch, 0, self.others)
        return self.add_word(0, size)

    cdef int start(self, const uint8_t* text, int32_t size) except -1 nogil:
        self.text = text
        self.size = size
        self.words.clear()
        self.n_open = <size_t> NO_PART
        self.known_ends.clear()
        self.counts.clear()
        self.counts.push_back(0)
        return 0

    cdef int add_word(self, int32_t begin, int32_t end) except -1 nogil:
        """Add a word, whose tokens are in `others`."""
        self.words.push_back(Token(0, begin, end))
        self.known_ends.push_back(begin + self.word_pieces.known_size(self.text + begin, end - begin))
        self.counts.push_back(self.counts.back() + <int64_t> self.others.size())
        return 0

    cdef int64_t count(self, int32_t end, const uint8_t* tail, int32_t tail_size) except -1 nogil:
        cdef size_t i = first_ending_after(self.words, end)
        if tail_size == 0 and (end == 0 or i and self.words[i - 1].end == end):
            return self.counts[i]
        if tail_size == 0 and end > self.known_ends[i]:
            return self.counts[i] + 1
        if tail_size == 0 and not (end < self.size and self.text[end] & 0xC0 == 0x80):
            return self.counts[i] + self.count_in_word(i, end)
        if i and self.words[i - 1].end == end:
            i -= 1  # the tail may continue the word before it
        self.set_ending(min(self.words[i].begin, end) if i < self.words.size() else end, end, tail, tail_size)
        self.segmenter.segment(self.ending.data(), <int32_t> self.ending.size(), self.scratch, self.others)
        return self.counts[i] + <int64_t> self.others.size()

    cdef int open_word(self, size_t i) except -1 nogil:
        """Find the tokens of a word, or of what may be known of it."""
        cdef int32_t begin = self.words[i].begin, size = self.known_ends[i] - begin
        cdef const uint8_t* word = self.text + begin
        self.n_open = <size_t> NO_PART
        self.has_dropped = self.word_pieces.rules.is_bert and self.word_pieces.drop_signs(word, size, self.opened)
        if not self.has_dropped:
            self.opened.word.assign(word, word + size)
        self.open_tokens.clear()
        self.covered = self.word_pieces.match_pieces(
            self.opened.word.data(), <int32_t> self.opened.word.size(), False, self.opened, 0, NULL, self.open_tokens,
        )
        self.n_open = i
        return 0

    cdef int64_t count_in_word(self, size_t i, int32_t end) except -1 nogil:
        """Return the ids of a word of which only the characters before `end` are there.

        The whole word begins with the same pieces. Only the last one may be longer there.
        """
        cdef size_t n_whole
        cdef int32_t begin, covered
        if self.n_open != i:
            self.open_word(i)
        end = max(end - self.words[i].begin, 0)
        if self.has_dropped:
            end = first_from(self.opened.origins, end)
        if end > self.covered:
            return 1
        n_whole = first_ending_after(self.open_tokens, end)
        begin = self.open_tokens[n_whole - 1].end if n_whole else 0
        if begin == end:
            return <int64_t> n_whole
        self.others.clear()
        covered = self.word_pieces.match_pieces(
            self.opened.word.data() + begin, end - begin, n_whole > 0, <WordPieceScratch> self.scratch, 0, NULL,
            self.others,
        )
        return <int64_t> (n_whole + self.others.size()) if covered == end - begin else 1

    cdef int32_t first_beyond(self, int64_t limit) except? -1 nogil:
        cdef size_t i = first_above(self.counts, limit)
        if i == self.counts.size():
            return -1
        # What follows may lengthen the last word, and so change its ids; the words before it are whole.
        i += 1
        while i < self.counts.size():
            if self.counts[i] > limit and self.is_visible_end(self.words[i - 1].end):
                return self.words[i - 1].end
            i += 1
        return self.beyond_in_word(limit) if self.stays_known and self.word_beyond(limit) >= 0 else -1

    cdef int32_t word_end(self, const uint8_t* text, int32_t size) noexcept nogil:
        cdef WordRules rules = self.word_pieces.rules
        return end_of_word(&rules, text, size)

    cdef int32_t word_beyond(self, int64_t limit) noexcept nogil:
        if self.words.empty() or self.counts.back() <= limit or self.counts[self.words.size() - 1] > limit:
            return -1
        return self.words.back().begin

    cdef int32_t beyond_in_word(self, int64_t limit) except -2 nogil:
        """Return `first_beyond` in the last word: the end of a piece there, if no later text can change it; else -1."""
        cdef size_t i = self.words.size() - 1
        cdef int64_t k = limit - self.counts[i]
        cdef int32_t end
        if self.known_ends[i] < self.words[i].end:
            return -1
        if self.n_open != i:
            self.open_word(i)
        if self.covered < <int32_t> self.opened.word.size() or k >= <int64_t> self.open_tokens.size():
            return -1
        if self.open_tokens[k].begin + self.pieces.longest > self.covered:
            return -1
        end = self.open_tokens[k].end
        return self.words[i].begin + (self.opened.origins[end] if self.has_dropped else end)


@cython.final
cdef class PartPrefixes(PrefixCounts):
    """The counts where patterns cut. A prefix is redone from the first part that its end can change.

    A long part has a PrefixCounts of its own, which counts the prefixes that end in it.
    """

    def __cinit__(self, Segmenter segmenter not None, PieceReach pieces, bint skips_spaces, bint escapes_spaces):
        self.split = segmenter
        if isinstance(self.split.inner, WordPieceSegmenter):
            self.word_pieces = self.split.inner
        if self.split.cuts is not None:
            self.cuts = self.split.cuts.new_scratch()
            self.cuts.keeps_restarts = True
            self.n_splits = self.split.cuts.n_splits
        self.is_bytes = segmenter.vocab.is_bytes
        self.long_part = make_prefixes(self.split.inner, pieces, skips_spaces, escapes_spaces)
        if self.cuts is None:  # only the rules of a split pattern cut at line ends
            self.rest = make_prefixes(self.split.inner, pieces, skips_spaces, escapes_spaces)
            self.rest.keeps_unknown = self.rest.keeps_unknown and not self.split.fuses
        if self.split.fuses:
            self.long_part.keeps_unknown = False
        self.most_short = max(self.split.longest, pieces.longest, <int32_t> MARK_SIZE)

    cdef int fill(self, const uint8_t* text, int32_t size) except -1 nogil:
        self.start(text, size)
        return self.cut_by_rules() if self.cuts is None else self.cut_by_patterns()

    cdef int start(self, const uint8_t* text, int32_t size) except -1 nogil:
        self.text = text
        self.size = size
        self.parts.clear()
        self.restarts.assign(1, Restart(0, 0, 0, 0, 0 if self.cuts is None else self.split.cuts.n_splits, 0))
        self.counts.clear()
        self.counts.push_back(0)
        self.n_long = <size_t> NO_PART
        return 0

    cdef int cut_by_rules(self) except -1 nogil:
        cdef int32_t begin = 0, end
        cdef size_t i
        cdef bint at_end = False
        while begin < self.size:
            end = end_of_match(&self.split.rules, self.text, begin, self.size, &at_end)
            self.parts.push_back(Part(begin, end))
            self.append_count(Part(begin, end))
            self.restarts.push_back(Restart(end, <int32_t> self.parts.size(), 0, 0, 0, 0))
            begin = end
        i = self.parts.size()
        while i > 0:
            i -= 1
            self.restarts[i + 1].reach = self.restarts[i + 1].held = self.reach_of(i)
        return 0

    cdef int32_t reach_of(self, size_t i) noexcept nogil:
        """Return the reach of a match, after that of the next one: a bound from the rules of all split patterns.

        A match does not depend on text so far after it, except by the run of white space in which it ends, or, in
        O200K, by the letters that first were taken for the beginning of a word.
        """
        cdef const SplitRules* rules = &self.split.rules
        cdef int32_t begin = self.parts[i].begin, end = self.parts[i].end, step = 0, pos
        cdef uint8_t first, last = NO_CLASS, other
        if end == self.size:
            return self.size + 1
        other = class_at(rules, self.text, end, self.size, &step)
        first = class_at(rules, self.text, begin, end, &step)
        if first == WHITE and begin + step < end:
            pos = begin + step
            first = class_at(rules, self.text, pos, end, &step)
        if first == WHITE:
            return self.restarts[i + 2].reach if other == WHITE else end + <int32_t> LOOKED_AT
        if rules.form == O200K and (is_letter(other) or other == MARK):
            pos = end - 1
            while pos > begin and self.text[pos] & 0xC0 == 0x80:
                pos -= 1
            last = class_at(rules, self.text, pos, end, &step)
            if (is_letter(last) or last == MARK) and last != LOWER:
                return self.restarts[i + 2].reach
        return end + <int32_t> LOOKED_AT

    cdef int cut_by_patterns(self) except -1 nogil:
        cdef int32_t begin = 0
        cdef Part part
        cdef Restart restart
        self.cuts.start(True)
        while begin < self.size:
            begin = self.split.cuts.cut(self.text, begin, self.size, self.cuts)
            for restart in self.cuts.restarts:
                restart.n_parts += <int32_t> self.parts.size()
                restart.reach = max(restart.reach, self.restarts.back().reach)
                restart.held = max(restart.held, self.restarts.back().held)
                self.restarts.push_back(restart)
            self.parts.insert(self.parts.end(), self.cuts.parts.begin(), self.cuts.parts.end())
            for part in self.cuts.parts:
                self.append_count(part)
        return 0

    cdef int append_count(self, Part part) except -1 nogil:
        self.others.clear()
        self.split.append_whole(self.text, part.begin, part.end, <SplitScratch> self.scratch, self.others)
        self.counts.push_back(self.counts.back() + self.count_tokens(self.text, self.others, False))
        return 0

    cdef int64_t count(self, int32_t end, const uint8_t* tail, int32_t tail_size) except -1 nogil:
        cdef size_t i = self.restart_before(end), low
        cdef Restart restart
        cdef int64_t found
        cdef int32_t size
        if tail_size == 0 and end == self.size:
            return self.counts.back()
        while self.restarts[i].match_end and (
            tail_size > 0 or end > self.restarts[i].match_end or not self.cuts.match_ends[end] & IS_MATCH
        ):
            i -= 1
        restart = self.restarts[i]
        low, size = restart.n_parts, end - restart.begin
        if tail_size == 0 and low < self.parts.size() and self.parts[low].begin == restart.begin:
            if self.most_short < size <= self.parts[low].end - self.parts[low].begin:
                found = self.count_long(low, size, restart.n_splits)
                if found >= 0:
                    return self.counts[low] + found
        self.set_ending(restart.begin, end, tail, tail_size)
        return self.counts[low] + self.count_ending(restart.n_splits)

    cdef int64_t count_ending(self, int32_t n_splits) except -1 nogil:
        """Return the number of ids of `ending`, which the last `n_splits` splits cut."""
        cdef Part part
        if self.cuts is None or n_splits == self.split.cuts.n_splits:
            self.segmenter.segment(self.ending.data(), <int32_t> self.ending.size(), self.scratch, self.others)
            return self.count_tokens(self.ending.data(), self.others, False)
        self.others.clear()
        self.cuts.parts.clear()
        self.split.cuts.append_last(
            n_splits, self.ending.data(), <int32_t> self.ending.size(), self.cuts, self.cuts,
        )
        for part in self.cuts.parts:
            self.split.append_whole(
                self.ending.data(), part.begin, part.end, <SplitScratch> self.scratch, self.others,
            )
        return self.count_tokens(self.ending.data(), self.others, False)

    cdef size_t restart_before(self, int32_t end) noexcept nogil:
        """Return the index of the last restart that a prefix up to `end` has."""
        cdef size_t low = 1, high = self.restarts.size(), middle
        while low < high:
            middle = (low + high) // 2
            if self.restarts[middle].reach <= end:
                low = middle + 1
            else:
                high = middle
        return low - 1

    cdef int32_t held_end(self, size_t i, int32_t end) noexcept nogil:
        """Return the first place from `end` on such that each text with these bytes has the restart, or one too far."""
        cdef uint8_t held = IS_MATCH | IS_HELD
        cdef int32_t last = self.restarts[i].match_end
        end = max(end, self.restarts[i].held)
        if last:
            while end <= last and self.cuts.match_ends[end] & held != held:
                end += 1
            if end > last:
                return self.size + 1
        while end < self.size and self.text[end] & 0xC0 == 0x80:
            end += 1
        return end

    cdef int open_long(self, size_t i, int32_t n_splits) except -1 nogil:
        """Fill the counts of a long part, and find what its prefixes are cut into by the last `n_splits` splits."""
        cdef const uint8_t* text = self.text + self.parts[i].begin
        cdef int32_t size = self.parts[i].end - self.parts[i].begin
        if self.n_long == i and self.n_long_splits == n_splits:
            return 0
        self.n_long = <size_t> NO_PART
        self.long_part.fill_part(text, size)
        self.line_ends.clear()
        if self.cuts is not None:
            self.split.cuts.mark_ends(n_splits, text, size, self.cuts, self.ends)
        else:
            refill(self.ends, <size_t> size + 1, 0)
            if mark_ends(&self.split.rules, text, size, self.ends.data()):
                refill(self.line_ends, <size_t> size + 1, 0)
                mark_line_ends(text, size, self.line_ends.data())
        self.n_long, self.n_long_splits = i, n_splits
        self.rest_begin = NO_PART
        return 0

    cdef int64_t count_long(self, size_t i, int32_t size, int32_t n_splits) except -2 nogil:
        """Return the ids of the first `size` bytes of a long part, as a text of their own; -1: it is not known."""
        cdef int32_t first, end
        self.open_long(i, n_splits)
        if self.ends[size] & IS_MATCH:
            return self.long_part.count(size, NULL, 0)
        first = 0 if self.line_ends.empty() else self.line_ends[size]
        if first <= self.most_short:
            return -1
        if size - first <= self.most_short:
            self.set_ending(self.parts[i].begin + first, self.parts[i].begin + size, NULL, 0)
            self.segmenter.segment(self.ending.data(), <int32_t> self.ending.size(), self.scratch, self.others)
            return self.long_part.count(first, NULL, 0) + self.count_tokens(self.ending.data(), self.others, False)
        if self.rest_begin != first:
            end = first
            while end < self.parts[i].end - self.parts[i].begin and self.line_ends[end + 1] == first:
                end += 1
            self.rest.fill_part(self.text + self.parts[i].begin + first, end - first)
            self.rest_begin = first
        return self.long_part.count(first, NULL, 0) + self.rest.count(size - first, NULL, 0)

    cdef int32_t first_beyond(self, int64_t limit) except? -1 nogil:
        cdef size_t i = max(first_above(self.counts, limit), <size_t> 1), k = 0
        cdef int32_t end, found
        cdef int64_t most = max(limit, <int64_t> 0) * self.pieces.longest + 1     # bytes: no more are in so many ids
        end = self.beyond_in_long(limit)
        if end >= 0:
            return end
        while k < self.restarts.size() and <size_t> self.restarts[k].n_parts < i:
            k += 1
        if most < self.size and (k == self.restarts.size() or self.restarts[k].held > most) and self.has_limit():
            end = <int32_t> most
            while end < self.size and (self.text[end] & 0xC0 == 0x80 or not self.is_visible_end(end)):
                end += 1
            return end
        end = 0
        while k < self.restarts.size():
            found = self.held_end(k, end)
            if found > self.size:
                end = self.restarts[k].match_end  # other places in this match have no such end either
            elif self.is_visible_end(found):
                return found
            k += 1
        return -1

    cdef int32_t beyond_in_long(self, int64_t limit) except -2 nogil:
        """Return `first_beyond` from the long part in which the limit is passed; -1: none found.

        All parts before it must be sure, and whatever follows, the part must hold what is over the limit.
        """
        cdef size_t i = max(first_above(self.counts, limit), <size_t> 1) - 1
        cdef int32_t begin, end, k
        cdef size_t restart
        if i >= self.parts.size():
            return -1
        begin, end = self.parts[i].begin, self.parts[i].end
        restart = self.restart_before(end - 1)
        if end - begin <= 2 * self.most_short or self.restarts[restart].begin != begin:
            return -1
        self.open_long(i, self.restarts[restart].n_splits)
        if not self.long_part.is_sure:
            return -1
        self.long_part.stays_known = self.stays_known and end == self.size
        k = self.long_part.first_beyond(limit - self.counts[i])
        if k < 0:
            return -1
        k = max(k, self.most_short + 1)
        while k <= end - begin:
            k = self.held_end(restart, begin + k) - begin
            if k <= end - begin and self.ends[k] & IS_HELD and self.is_visible_end(begin + k):
                return begin + k
            k += 1
        return -1

    cdef int32_t word_beyond(self, int64_t limit) noexcept nogil:
        if self.parts.empty() or self.parts.back().end < self.size:
            return -1
        if self.counts.back() <= limit or self.counts[self.parts.size() - 1] > limit:
            return -1
        return self.parts.back().begin

    cdef int set_gaps(self, uint64_t gaps) except -1:
        cdef CutScratch scratch = self.cuts
        while scratch is not None:
            scratch.scan.is_gap = gaps & 1
            gaps >>= 1
            scratch = scratch.inner
        return 0

    cdef int32_t first_match(
        self, int32_t split, const uint8_t* text, int32_t size, bint is_whole, int32_t* end, int32_t* reach,
    ) except -1 nogil:
        return self.split.cuts.first_match(self.n_splits - split, text, size, is_whole, self.cuts, end, reach)

    cdef bint is_apart(self, const uint8_t* text, int32_t pos, int32_t size) noexcept nogil:
        cdef int32_t begin = pos - 1
        while begin > 0 and text[begin] & 0xC0 == 0x80:
            begin -= 1
        return self.cuts is not None and self.split.cuts.cuts_between(text + begin, pos - begin, size - begin)

    cdef bint has_limit(self) noexcept nogil:
        """Whether an id stands for no more bytes than the longest piece has: no text is dropped or fused."""
        if not self.is_bytes or self.cuts is not None and self.split.cuts.drops:
            return False
        if self.split.bpe.listed is None:
            return True
        return not (self.split.bpe.listed.fuses or (<MergedPrefixes> self.long_part).drops)


cdef bint mark_ends(const SplitRules* rules, const uint8_t* text, int32_t size, uint8_t* ends) noexcept nogil:
    """Set the flags of each beginning of one match of a split pattern, as `TextCuts.mark_ends` does.

    True: the match is white space, of which a prefix is cut after its last line end.
    """
    cdef int32_t pos = 0, step = 0, before = 0
    cdef uint8_t kind = class_at(rules, text, 0, size, &step)
    cdef bint is_white = kind == WHITE, has_line = False, was_soft = False
    if is_white and step < size:
        is_white = class_at(rules, text, step, size, &step) == WHITE
    while pos < size:
        kind = class_at(rules, text, pos, size, &step)
        before = pos
        pos += step
        if is_white:
            has_line |= rules.form != GPT2 and is_line_end(text[before])
            if not has_line or rules.takes_end:
                ends[pos] |= IS_MATCH
            if not has_line and before > 0:
                ends[before] |= IS_HELD  # the next match may take the last character
            if rules.form != GPT2 and is_line_end(text[before]):
                ends[pos] |= IS_HELD  # the match ends at this line end or a later one
            continue
        if rules.form == O200K and before > 0 and (text[before] == 0x27 or kind == UPPER and was_soft):
            break  # it may begin a match of its own, until more letters follow
        was_soft |= kind == LOWER or kind == CASELESS or kind == MARK
        ends[pos] = IS_MATCH | IS_HELD
    return is_white and has_line and not rules.takes_end


cdef void mark_line_ends(const uint8_t* text, int32_t size, int32_t* line_ends) noexcept nogil:
    """Set line_ends[k] to where the last line end of text[:k] ends; 0: it has none."""
    cdef int32_t k
    for k in range(size):
        line_ends[k + 1] = k + 1 if is_line_end(text[k]) else line_ends[k]


cdef bint lacks_bytes(PairMerges listed):
    """Whether some byte has no piece at some place of a part."""
    cdef int place, byte
    for place in range(4):
        for byte in range(256):
            if listed.ascii_ids[place][byte] < 0:
                return True
    return False


cdef int sum_up(
    PrefixCounts prefixes, const vector[Token]& tokens, vector[int64_t]& counts, vector[uint8_t]& was_unknown,
) except -1 nogil:
    """Fill counts[i] with the ids of the first i tokens, was_unknown[i] with whether token i - 1 is unknown."""
    cdef bint in_run = False
    cdef size_t i
    counts.resize(tokens.size() + 1)
    was_unknown.resize(tokens.size() + 1)
    counts[0] = 0
    was_unknown[0] = 0
    for i in range(tokens.size()):
        counts[i + 1] = counts[i] + prefixes.count_token(prefixes.text, tokens.data()[i], &in_run)
        was_unknown[i + 1] = in_run
    return 0


cdef size_t first_ending_after(const vector[Token]& tokens, int32_t pos) noexcept nogil:
    """Return the number of tokens that end at or before `pos`: the index of the first that ends after it."""
    cdef const Token* data = tokens.data()
    cdef size_t low = 0, high = tokens.size(), middle
    while low < high:
        middle = (low + high) // 2
        if data[middle].end <= pos:
            low = middle + 1
        else:
            high = middle
    return low


cdef int32_t first_from(const vector[int32_t]& align, int32_t pos) noexcept nogil:
    """Return the index of the first of some rising offsets that is at least `pos`; else that of the last one."""
    cdef const int32_t* data = align.data()
    cdef int32_t low = 0, high = <int32_t> align.size() - 1, middle
    while low < high:
        middle = (low + high) // 2
        if data[middle] < pos:
            low = middle + 1
        else:
            high = middle
    return low


cdef size_t first_above(const vector[int64_t]& counts, int64_t limit) noexcept nogil:
    """Return the index of the first count above `limit`, or the number of counts; they never decrease."""
    cdef const int64_t* data = counts.data()
    cdef size_t low = 0, high = counts.size(), middle
    while low < high:
        middle = (low + high) // 2
        if data[middle] <= limit:
            low = middle + 1
        else:
            high = middle
    return low


cdef PrefixCounts make_prefixes(Segmenter segmenter, PieceReach pieces, bint skips_spaces, bint escapes_spaces):
    """Return the PrefixCounts of a segmenter. skips_spaces: spaces at the end of a text are removed."""
    if isinstance(segmenter, UnigramSegmenter):
        return UnigramPrefixes(segmenter, pieces, skips_spaces, escapes_spaces)
    if isinstance(segmenter, SplitSegmenter):
        return PartPrefixes(segmenter, pieces, skips_spaces, escapes_spaces)
    if isinstance(segmenter, WordPieceSegmenter):
        return WordPiecePrefixes(segmenter, pieces, skips_spaces, escapes_spaces)
    if isinstance(segmenter, WordSegmenter):
        return WordPrefixes(segmenter, pieces, skips_spaces, escapes_spaces)
    if isinstance(segmenter, (BpeSegmenter, ByteSegmenter, CharSegmenter)):
        return MergedPrefixes(segmenter, pieces, skips_spaces, escapes_spaces)
    raise TypeError(f"{type(segmenter).__name__} has no PrefixCounts")
