"""Viterbi search, block by block; for the cache, a search for the two best paths of one chunk.

`append_next` has the steps. The hot loop is `relax_from`, and for chunks `arrive_from` in the header.
Header: unigram.pxd.
"""

cimport cython
from libc.math cimport HUGE_VAL, fabs
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array, reserve_values
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.encode.segment.char_trie cimport CharCodes, CharNode, CharTrie, TextChar, may_advance, read_code
from spm_lite.encode.segment.segmenter cimport TOKENS_AT_ONCE, Scratch, Segmenter, Token, go_on, unit_size
from spm_lite.encode.segment.unigram cimport Rivals, arrive_from
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, is_mark, write_mark
from spm_lite.vocab.vocab cimport NORMAL, USER_DEFINED, Vocab, is_added, is_only_mark

cdef float LARGEST_FLOAT = <float> 3.4028234663852886e38
cdef double RESCALE_LIMIT = 100000.0    # in single precision, a path's sum beyond it is subtracted from all paths

cdef double DOUBLE_LIMIT = <double> (1 << LIMIT_BITS)


@cython.final
cdef class UnigramScratch(Scratch):
    """Buffers of one block or chunk; they grow with the first texts and are reused."""

    def __cinit__(self):
        self.steps = Int32Array()

    cdef void start(self) noexcept nogil:
        self.sure_end = self.block_end = 0
        self.score = 0.0
        self.steps.size = 0


@cython.final
cdef class UnigramSegmenter(Segmenter):
    """Viterbi search over characters, equal to the reference in every rounding and tie.

    Source: Kudo 2018. The path of a block is found when a place comes that no piece spans. Until then, each byte of
    the text takes four bytes of memory (`UnigramScratch.steps`).
    """

    def __cinit__(self, Vocab vocab not None, bint compact):
        self.most_arrivals = MOST_ARRIVALS
        self.fill_scores()
        self.fill_restarts()
        self.fill_trie()

    cdef int fill_scores(self) except -1:
        cdef const double* exact = <const double*> <const char*> self.vocab.exact_scores
        cdef int32_t n_exact = <int32_t> (len(self.vocab.exact_scores) // sizeof(double))
        cdef double min_score = LARGEST_FLOAT
        cdef int64_t size
        cdef int32_t i
        self.path_scores.reserve(self.vocab.size)
        self.is_double = n_exact > 0
        for i in range(n_exact):  # the package tokenizers looks at all pieces, whatever their type
            self.path_scores.push_back(exact[i])
            min_score = min(min_score, exact[i])
        for i in range(n_exact, self.vocab.size):
            if self.vocab.types[i] == USER_DEFINED:
                # The original counts the bytes of the piece as the model has it, U+2581 as three.
                size = self.vocab.begins[i + 1] - self.vocab.begins[i]
                self.path_scores.push_back(<float> (0.1 * <double> (size - 1)))
                continue
            self.path_scores.push_back(self.vocab.scores[i])
            if not self.is_double and self.vocab.types[i] == NORMAL and self.vocab.scores[i] < min_score:
                min_score = self.vocab.scores[i]
        self.unknown_score = self.add(-10.0, min_score)
        if self.is_double and self.vocab.unknown_index >= 0:
            self.path_scores[self.vocab.unknown_index] = self.unknown_score  # of a character, whatever the piece scores
        self.greatest_score = fabs(self.unknown_score)
        for i in range(self.vocab.size):
            if self.vocab.types[i] == NORMAL or self.vocab.types[i] == USER_DEFINED:
                self.greatest_score = max(self.greatest_score, fabs(self.path_scores[i]))
        return 0

    cdef int fill_restarts(self) except -1:
        """Say where sums in double precision begin anew: tokenizers cuts each part of a text alone."""
        cdef int32_t i
        cdef const uint8_t* text
        cdef int64_t size
        self.restarts = self.is_double and self.vocab.scores_restart
        if self.is_double and self.vocab.n_added:
            for i in range(self.vocab.size):
                self.ends_sums.push_back(is_added(self.vocab, i))
        if self.restarts:
            for i in range(self.vocab.size):
                text = self.vocab.texts.data() + self.vocab.begins[i]
                size = self.vocab.begins[i + 1] - self.vocab.begins[i]
                self.begins_sums.push_back(is_space_mark(text, size))
                self.is_space_known |= size == 3 and is_space_mark(text, size) and self.vocab.types[i] == NORMAL
        return 0

    cdef bint is_restart(self, const uint8_t* text, int32_t size, int32_t begin, UnigramScratch scratch) noexcept nogil:
        """Whether the sum begins anew at a character: it is a space mark, or follows an added token."""
        cdef const TextChar* chars = scratch.chars.data()
        cdef const Arrival* arrival = &scratch.arrivals[begin]
        cdef int32_t pos = chars[begin].begin
        if self.restarts and pos < size and (
            text[pos] == c" " if self.compact else is_space_mark(text + pos, size - pos)
        ):
            return True
        if self.ends_sums.empty() or arrival.begin < 0 or not self.ends_sums[arrival.piece_id]:
            return False
        pos = chars[arrival.begin].begin
        return is_mark(text + pos, size - pos)

    cdef double score_at_end(self, const uint8_t* text, int32_t size, UnigramScratch scratch) noexcept nogil:
        """The sum up to the end of the search, from which the next one goes on."""
        if self.is_double and self.is_restart(text, size, scratch.search.begin, scratch):
            return 0.0
        return scratch.arrivals[scratch.search.begin].score

    cdef int fill_trie(self) except -1:
        cdef vector[uint8_t] piece
        cdef int32_t i, size
        self.trie = CharTrie(self.compact)
        with nogil:
            self.trie.expect(
                self.vocab.size + self.vocab.n_added, self.vocab.texts.size() + MARK_SIZE * self.vocab.n_added,
            )
            for i in range(self.vocab.size):
                if is_added(self.vocab, i) and not is_only_mark(self.vocab, i):
                    piece.resize(MARK_SIZE)
                    write_mark(piece.data(), i)
                    self.trie.add(piece.data(), MARK_SIZE, 0.0, i)
                if self.vocab.types[i] == NORMAL or self.vocab.types[i] == USER_DEFINED:
                    size = self.vocab.matchable(i, self.compact, piece)
                    if size > 0:
                        self.trie.add(piece.data(), size, <float> self.path_scores[i], i)
            self.trie.finish(<float> self.unknown_score, self.vocab.unknown_index)
        return 0

    cdef Scratch new_scratch(self):
        return UnigramScratch()

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef double score = 0.0
        return self.segment_from(text, size, &score, <UnigramScratch> scratch, tokens)

    cdef int segment_from(
        self, const uint8_t* text, int32_t size, double* score, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Segment a text that follows others. score: of the path up to it; becomes that of the path up to its end."""
        cdef int32_t begin = 0
        tokens.clear()
        scratch.start()
        scratch.score = score[0]
        while begin < size:
            begin = self.append_next(text, size, begin, scratch, tokens)
        score[0] = scratch.score
        return 0

    cdef int32_t segment_next(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        tokens.clear()
        scratch.sure_end = self.append_next(text, size, begin, <UnigramScratch> scratch, tokens)
        return scratch.sure_end

    cdef int32_t append_next(
        self, const uint8_t* text, int32_t size, int32_t begin, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Append the tokens of the block that begins at `begin`, or the next ones of a long block; return their end."""
        cdef Search* search = &scratch.search
        if begin < scratch.block_end:
            return self.append_steps(text, begin, scratch, tokens)
        scratch.steps.size = 0
        self.open_block(text + begin, size - begin, scratch.score, scratch)
        self.search_on(text + begin, size - begin, self.most_arrivals, scratch)
        while search.frontier > search.begin:
            self.drop_arrivals(scratch)
            self.search_on(text + begin, size - begin, self.most_arrivals, scratch)
        scratch.score = self.score_at_end(text + begin, size - begin, scratch)
        scratch.block_begin = begin
        scratch.block_end = begin + scratch.chars[search.begin].begin
        if scratch.steps.size == 0:
            emit_path(scratch.arrivals.data(), scratch.chars.data(), begin, search.begin, tokens)
            return scratch.block_end
        self.drop_arrivals(scratch)
        turn_steps(scratch.steps.data, scratch.block_end - begin)
        return self.append_steps(text, begin, scratch, tokens)

    cdef int32_t append_steps(
        self, const uint8_t* text, int32_t begin, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Append the next tokens of a long block whose path is known; return where they end."""
        cdef const int32_t* steps = scratch.steps.data - <ptrdiff_t> scratch.block_begin
        cdef CharCodes table = self.trie.view()
        cdef int32_t first = begin, end
        cdef size_t n_most = tokens.size() + TOKENS_AT_ONCE
        while begin < scratch.block_end and tokens.size() < n_most:
            end = begin + steps[begin]
            tokens.push_back(Token(self.id_between(&table, text, begin, end), begin, end))
            begin = end
        go_on(scratch, begin - first)
        return begin

    cdef int32_t id_between(
        self, const CharCodes* table, const uint8_t* text, int32_t begin, int32_t end,
    ) noexcept nogil:
        """Return the id of the piece text[begin:end]; the unknown id if it is a character that no piece covers."""
        cdef const CharNode* nodes = self.trie.nodes
        cdef uint32_t code = 0, place, child
        begin += read_code(table, text + begin, end - begin, self.compact, &code)
        place = code
        while begin < end:
            begin += read_code(table, text + begin, end - begin, self.compact, &code)
            child = nodes[place].base + code
            if not may_advance(nodes + place, code) or nodes[child].parent != place:
                return self.vocab.unknown_index
            place = child
        return self.trie.piece_ids[place] if nodes[place].score != -HUGE_VAL else self.vocab.unknown_index

    cdef int32_t find_ids(
        self, const uint8_t* text, int32_t size, UnigramScratch scratch, int32_t* ids, float* limit,
    ) except -1 nogil:
        """Fill `ids` with the ids of a chunk, at most `size`, whatever text comes before it; return their number.

        limit: becomes the largest absolute score of the path before the chunk for which the ids are valid; 0: they
        are not valid even at the start of a text, and none are given. No ids and a limit above 0: a character is
        unknown; call `find_tokens`.
        """
        cdef const Rivals* rivals
        cdef int32_t n_ids = 0, k, end
        limit[0] = self.limit_of(self.find_margin(text, size, scratch), scratch.n_chars)
        if self.restarts and not self.is_space_known and size and text[0] == c" ":
            limit[0] = 0  # an unknown space mark, which `add_double` does not see
        rivals = scratch.rivals.data()
        end = scratch.n_chars if limit[0] > 0 else 0
        while end > 0:
            ids[n_ids] = self.trie.piece_ids[<uint32_t> rivals[end].last]
            if ids[n_ids] == self.vocab.unknown_index:
                return 0
            n_ids += 1
            end = <int32_t> (rivals[end].last >> 32)
        for k in range(n_ids // 2):  # the path was followed from its end
            ids[k], ids[n_ids - 1 - k] = ids[n_ids - 1 - k], ids[k]
        return n_ids

    cdef int find_tokens(self, UnigramScratch scratch, vector[Token]& tokens) except -1 nogil:
        """Fill `tokens` with the best path of the chunk last given to `find_ids` or `find_margin`."""
        cdef const Rivals* rivals = scratch.rivals.data()
        cdef const TextChar* chars = scratch.chars.data()
        cdef int32_t begin, end = scratch.n_chars, n_tokens = 0
        cdef Token* token
        while end > 0:
            n_tokens += 1
            end = <int32_t> (rivals[end].last >> 32)
        tokens.resize(n_tokens)
        token = tokens.data() + n_tokens
        end = scratch.n_chars
        while end > 0:
            token -= 1
            begin = <int32_t> (rivals[end].last >> 32)
            token[0] = Token(
                self.trie.piece_ids[<uint32_t> rivals[end].last], chars[begin].begin, chars[end].begin
            )
            end = begin
        return 0

    cdef float limit_of(self, double margin, int32_t n_chars) noexcept nogil:
        """The largest absolute score before a chunk for which rounding cannot change its best path; 0: none.

        Rounding is monotone, so the search finds the path with the greatest rounded sum. If no other path can reach
        that sum, it is the only best path. Let a path have at most n pieces of absolute score at most s, after a score
        of at most x. Then no partial sum is above x + n s. Each rounding moves a sum by at most half a unit in the last
        place of that. So two paths keep their order if their distance is above n such units. The limit demands
        more than 2 n.
        """
        if self.is_double:
            return self.double_limit_of(margin, n_chars)
        cdef double reach = <double> n_chars * self.greatest_score
        cdef double each = min(margin, <double> RESCALE_LIMIT) / <double> n_chars
        cdef uint64_t bits = 0
        if not margin > 0 or not reach < RESCALE_LIMIT:
            return 0
        memcpy(&bits, &each, 8)
        bits &= <uint64_t> 0x7FF << 52  # rounded down to a power of two; subnormal numbers to 0
        memcpy(&each, &bits, 8)
        # Partial sums below 2^e, where n * 2^(e - 24) * 2 < margin.
        return <float> max(0.0, min(each * <double> (1 << 22), <double> RESCALE_LIMIT) - reach)

    cdef float double_limit_of(self, double margin, int32_t n_chars) noexcept nogil:
        """As `limit_of`, for sums in double precision: the same limit for all chunks, or none.

        `find_margin` adds scores in single precision. Each is off by half a unit in the last place, 2^-24 of it, so two
        paths of at most n pieces are off by 2^-23 n s. Up to 2^LIMIT_BITS before the chunk, n roundings of each move it
        by at most 2^(LIMIT_BITS - 53) n: no partial sum is above 2^(LIMIT_BITS + 1). The limit demands twice as much.
        """
        cdef double reach = <double> n_chars * self.greatest_score
        cdef double error = reach / (1 << 22) + <double> n_chars / (1 << (51 - <int> LIMIT_BITS))
        if not margin > error or not reach < DOUBLE_LIMIT:
            return 0
        return <float> DOUBLE_LIMIT

    cdef double find_margin(self, const uint8_t* text, int32_t size, UnigramScratch scratch) except? -1.0 nogil:
        """By how much the best path of a chunk beats the second best; infinity: there is no other path.

        Sums are in double precision, which is far more exact than needed.
        """
        cdef const CharNode* nodes = self.trie.nodes
        cdef const int32_t* piece_ids = self.trie.piece_ids
        cdef const TextChar* chars
        cdef Rivals* rivals
        cdef int32_t n = self.read_chars(text, size, 0, size, scratch), k
        scratch.n_chars = n
        if scratch.rivals.size() <= <size_t> n:
            scratch.rivals.resize(n + 1)
        chars = scratch.chars.data()
        rivals = scratch.rivals.data()
        rivals[0] = Rivals(0, -HUGE_VAL, 0)
        for k in range(n):
            rivals[k + 1] = Rivals(-HUGE_VAL, -HUGE_VAL, 0)
            # The second nodes of all walks come from memory while the loop goes on.
            prefetch(nodes + (nodes[chars[k].code].base + chars[k + 1].code))
        for k in range(n):
            # The last piece of the best path to k is final now. Its id is needed if it is a part of the whole path.
            prefetch(piece_ids + <uint32_t> rivals[k].last)
            arrive_from(nodes, chars, k, rivals)
        return rivals[n].best - rivals[n].second

    cdef int32_t find_path(
        self, const uint8_t* text, int32_t size, double* score, UnigramScratch scratch,
    ) except -1 nogil:
        """Fill the arrivals and characters of the block that `text` starts with; return the number of characters.

        The block ends with the text or, after BLOCK_SIZE characters, at a place that every path passes: no later text
        changes the path up to there. score: of the path up to `text`; becomes that of the path up to the block's end.
        """
        self.open_block(text, size, score[0], scratch)
        self.search_on(text, size, INT32_MAX, scratch)
        score[0] = self.score_at_end(text, size, scratch)
        return scratch.search.begin

    cdef int open_block(
        self, const uint8_t* text, int32_t size, double score, UnigramScratch scratch,
    ) except -1 nogil:
        """Prepare the search in the block that `text` starts with. score: of the path up to it."""
        cdef int64_t n_wanted = BLOCK_SIZE + 2 * <int64_t> self.reach()
        scratch.search = Search(0, 0, self.read_chars(text, size, 0, n_wanted, scratch))
        scratch.arrivals[0] = Arrival(score, -1, -1)
        return 0

    cdef int search_on(
        self, const uint8_t* text, int32_t size, int32_t stop, UnigramScratch scratch,
    ) except -1 nogil:
        """Continue the search up to the end of the block, or to about `stop` arrivals: then some paths go further."""
        cdef const CharNode* nodes = self.trie.nodes
        cdef const int32_t* piece_ids = self.trie.piece_ids
        cdef const double* scores = self.path_scores.data()
        cdef bint has_restarts = self.restarts or not self.ends_sums.empty()
        cdef int32_t reach = self.reach(), begin = scratch.search.begin, frontier = scratch.search.frontier
        cdef int32_t n_read = scratch.search.n_read, char_end
        cdef int64_t n_looks = 1 + reach // 16
        cdef const TextChar* chars = scratch.chars.data()
        cdef Arrival* arrivals = scratch.arrivals.data()
        cdef int64_t most = <int64_t> stop + 2 * <int64_t> reach
        while begin < n_read and (begin < BLOCK_SIZE or frontier > begin) and begin < most:
            if <int64_t> begin + reach > n_read and chars[n_read].begin < size:
                n_read = self.read_chars(text, size, n_read, 2 * (<int64_t> begin + reach), scratch)
                chars = scratch.chars.data()
                arrivals = scratch.arrivals.data()
            go_on(scratch, n_looks)
            char_end = begin + 1
            if not self.compact:
                char_end = begin + unit_size(text + chars[begin].begin, size - chars[begin].begin, False)
            if self.is_double:
                if has_restarts and self.is_restart(text, size, begin, scratch):
                    arrivals[begin].score = 0.0
                if not relax_from(nodes, piece_ids, scores, chars, begin, char_end, arrivals, &frontier):
                    relax(self.unknown_score, False, self.vocab.unknown_index, begin, char_end, arrivals, &frontier)
                begin = char_end
                continue
            if arrivals[begin].score < -RESCALE_LIMIT or arrivals[begin].score > RESCALE_LIMIT:
                rescale(arrivals, begin, frontier)
            if not relax_from(nodes, piece_ids, NULL, chars, begin, char_end, arrivals, &frontier):
                relax(self.unknown_score, True, self.vocab.unknown_index, begin, char_end, arrivals, &frontier)
            begin = char_end
        scratch.search = Search(begin, frontier, n_read)
        return 0

    cdef int32_t reach(self) noexcept nogil:
        """Return the most characters between the ends of an edge."""
        return max(self.trie.longest, <int32_t> 4)

    cdef int drop_arrivals(self, UnigramScratch scratch) except -1 nogil:
        """Enter the final arrivals into `steps`, and drop the ones that no later edge begins before."""
        cdef Search* search = &scratch.search
        cdef TextChar* chars = scratch.chars.data()
        cdef Arrival* arrivals = scratch.arrivals.data()
        cdef int32_t n_dropped = max(0, search.begin - self.reach()), n_bytes = chars[search.begin].begin + 1, k
        cdef int32_t n_done = <int32_t> scratch.steps.size
        if n_done < n_bytes:
            reserve_values(scratch.steps, n_bytes - n_done)
        scratch.steps.size = n_bytes
        scratch.steps.data[0] = 0
        k = search.begin
        while k > 0 and chars[k].begin >= n_done:
            if arrivals[k].begin >= 0:  # a character ends there
                scratch.steps.data[chars[k].begin] = chars[k].begin - chars[arrivals[k].begin].begin
            k -= 1
        if n_dropped:
            search.begin -= n_dropped
            search.frontier -= n_dropped
            search.n_read -= n_dropped
            memmove(chars, chars + n_dropped, (search.n_read + 1) * sizeof(TextChar))
            memmove(arrivals, arrivals + n_dropped, (search.frontier + 1) * sizeof(Arrival))
            for k in range(search.begin + 1, search.frontier + 1):
                if arrivals[k].begin >= 0:
                    arrivals[k].begin -= n_dropped
        return 0

    cdef int32_t read_chars(
        self, const uint8_t* text, int32_t size, int32_t n_read, int64_t n_wanted, UnigramScratch scratch,
    ) except -1 nogil:
        """Read the first `n_wanted` characters of a text, or all, into the scratch; return how many it then holds.

        n_read: characters that it holds already. The scratch also gets room for the arrivals.
        """
        cdef CharCodes table = self.trie.view()
        cdef bint compact = self.compact
        cdef TextChar* chars
        cdef int32_t pos = 0
        n_wanted = min(n_wanted, <int64_t> size)
        if <int64_t> scratch.chars.size() <= n_wanted:
            scratch.arrivals.resize(n_wanted + 1)
            scratch.chars.resize(n_wanted + 1)  # last: its size is what is tested
        chars = scratch.chars.data()
        if n_read:
            pos = chars[n_read].begin
        while pos < size and n_read < n_wanted:
            chars[n_read].begin = pos
            pos += read_code(&table, text + pos, size - pos, compact, &chars[n_read].code)
            n_read += 1
        chars[n_read] = TextChar(0, pos)
        return n_read


cdef inline bint relax_from(
    const CharNode* nodes, const int32_t* piece_ids, const double* scores, const TextChar* chars, int32_t begin,
    int32_t char_end, Arrival* arrivals, int32_t* frontier,
) noexcept nogil:
    """Extend the best path ending at `begin` by every piece that starts there.

    scores: by id, whose sums are in double precision; NULL: those of the nodes count, in single precision. arrivals:
    final up to and including `begin`, set up to and including `frontier`. Return whether a piece ends at `char_end`,
    the end of the character at `begin`.
    """
    cdef uint32_t place = chars[begin].code, child
    cdef const CharNode* node = nodes + place
    cdef int32_t end = begin + 1
    cdef bint is_covered = False
    while True:
        if node.score != -HUGE_VAL:
            is_covered |= end == char_end
            if scores != NULL:
                relax(scores[piece_ids[place]], False, piece_ids[place], begin, end, arrivals, frontier)
            else:
                relax(node.score, True, piece_ids[place], begin, end, arrivals, frontier)
        if not may_advance(node, chars[end].code):
            return is_covered
        child = node.base + chars[end].code
        node = nodes + child
        if node.parent != place:
            return is_covered
        place = child
        end += 1


cdef inline void relax(
    double piece_score, bint is_single, int32_t piece_id, int32_t begin, int32_t end, Arrival* arrivals,
    int32_t* frontier,
) noexcept nogil:
    """Set the arrival at `end` to the path over the edge (begin, end), if that is the first or a better one."""
    cdef double score = piece_score + arrivals[begin].score
    cdef int32_t pos
    if is_single:
        score = <double> <float> score
    if end > frontier[0]:
        for pos in range(frontier[0] + 1, end):
            arrivals[pos].begin = -1
        frontier[0] = end
    # Strict: on equal scores the earlier begin, the longer last piece, stays.
    elif arrivals[end].begin >= 0 and not score > arrivals[end].score:
        return
    arrivals[end] = Arrival(score, piece_id, begin)


cdef void rescale(Arrival* arrivals, int32_t begin, int32_t frontier) noexcept nogil:
    """Subtract the score of the path to `begin` from all paths. Later roundings change, as in the reference."""
    cdef double base = arrivals[begin].score
    cdef int32_t pos
    arrivals[begin].score = 0.0
    for pos in range(begin + 1, frontier + 1):
        if arrivals[pos].begin >= 0:
            arrivals[pos].score = <double> <float> (arrivals[pos].score - base)


cdef void turn_steps(int32_t* steps, int32_t end) noexcept nogil:
    """Turn the last steps of paths into the next steps of the best path to `end`."""
    cdef int32_t step = steps[end], begin, before
    while end > 0:
        begin = end - step
        before = steps[begin]
        steps[begin] = step
        end, step = begin, before


cdef int emit_path(
    const Arrival* arrivals, const TextChar* chars, int32_t offset, int32_t size, vector[Token]& tokens,
) except -1 nogil:
    """Append the tokens of the path over `size` characters, from its end. offset: of the block in the text, bytes."""
    cdef int32_t end = size
    cdef size_t n_tokens = 0
    cdef Token* token
    while end > 0:
        n_tokens += 1
        end = arrivals[end].begin
    tokens.resize(tokens.size() + n_tokens)
    token = tokens.data() + tokens.size()
    end = size
    while end > 0:
        token -= 1
        token[0] = Token(
            arrivals[end].piece_id, offset + chars[arrivals[end].begin].begin, offset + chars[end].begin
        )
        end = arrivals[end].begin
    return 0
