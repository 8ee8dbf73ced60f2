cimport cython
from libc.math cimport HUGE_VAL, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.segment.char_trie cimport CharCodes, CharNode, CharTrie, may_advance, read_code
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token, go_on, unit_size
from spm_lite.vocab.vocab cimport NORMAL, USER_DEFINED, Vocab

cdef float LARGEST_FLOAT = <float> 3.4028234663852886e38
cdef float RESCALE_LIMIT = <float> 100000.0     # a path's sum beyond it is subtracted from all paths


@cython.final
cdef class UnigramScratch(Scratch):
    """Buffers of one block or chunk; they grow with the first texts and are reused."""


@cython.final
cdef class UnigramSegmenter(Segmenter):
    """Viterbi search over characters, equal to the reference in every rounding and tie.

    Source: Kudo 2018. Memory does not grow with the text, as long as places that no piece spans keep coming.
    """

    def __cinit__(self, Vocab vocab not None, bint compact):
        self.fill_scores()
        self.fill_trie()

    cdef int fill_scores(self) except -1:
        cdef float min_score = LARGEST_FLOAT
        cdef int64_t size
        cdef int32_t i
        self.path_scores.reserve(self.vocab.size)
        for i in range(self.vocab.size):
            if self.vocab.types[i] == USER_DEFINED:
                # The original counts the bytes of the piece as the model has it, U+2581 as three.
                size = self.vocab.begins[i + 1] - self.vocab.begins[i]
                self.path_scores.push_back(<float> (0.1 * <double> (size - 1)))
                continue
            self.path_scores.push_back(self.vocab.scores[i])
            if self.vocab.types[i] == NORMAL and self.vocab.scores[i] < min_score:
                min_score = self.vocab.scores[i]
        self.unknown_score = min_score - <float> 10.0
        self.greatest_score = fabs(self.unknown_score)
        for i in range(self.vocab.size):
            if self.vocab.types[i] == NORMAL or self.vocab.types[i] == USER_DEFINED:
                self.greatest_score = max(self.greatest_score, fabs(self.path_scores[i]))
        return 0

    cdef int fill_trie(self) except -1:
        cdef vector[uint8_t] piece
        cdef int32_t i, size
        self.trie = CharTrie(self.compact)
        with nogil:
            self.trie.expect(self.vocab.size, self.vocab.texts.size())
            for i in range(self.vocab.size):
                if self.vocab.types[i] == NORMAL or self.vocab.types[i] == USER_DEFINED:
                    size = self.vocab.matchable(i, self.compact, piece)
                    if size > 0:
                        self.trie.add(piece.data(), size, self.path_scores[i], i)
            self.trie.finish(self.unknown_score, self.vocab.unknown_index)
        return 0

    cdef Scratch new_scratch(self):
        return UnigramScratch()

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef float score = 0.0
        return self.segment_from(text, size, &score, <UnigramScratch> scratch, tokens)

    cdef int segment_from(
        self, const uint8_t* text, int32_t size, float* score, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Segment a text that follows others. score: of the path up to it; becomes that of the path up to its end."""
        cdef int32_t begin = 0, n_chars
        tokens.clear()
        while begin < size:
            n_chars = self.find_path(text + begin, size - begin, score, scratch)
            emit_path(scratch.arrivals.data(), scratch.chars.data(), begin, n_chars, tokens)
            begin += scratch.chars[n_chars].begin
        return 0

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
        of at most x. Then no partial sum is above x + n s, and each rounding moves a sum by at most half a unit in the
        last place of that. So two paths keep their order if their distance is above n such units. The limit demands
        more than 2 n.
        """
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
        self, const uint8_t* text, int32_t size, float* score, UnigramScratch scratch,
    ) except -1 nogil:
        """Fill the arrivals and characters of the block that `text` starts with; return the number of characters.

        The block ends with the text or, after BLOCK_SIZE characters, at a place that every path passes: no later text
        changes the path up to there. score: of the path up to `text`; becomes that of the path up to the block's end.
        """
        cdef const CharNode* nodes = self.trie.nodes
        cdef const int32_t* piece_ids = self.trie.piece_ids
        cdef int32_t reach = max(self.trie.longest, <int32_t> 4)
        cdef int64_t n_wanted = BLOCK_SIZE + 2 * <int64_t> reach, n_looks = 1 + reach // 16
        cdef int32_t begin = 0, frontier = 0, char_end
        cdef int32_t n_read = self.read_chars(text, size, 0, n_wanted, scratch)
        cdef const TextChar* chars = scratch.chars.data()
        cdef Arrival* arrivals = scratch.arrivals.data()
        arrivals[0] = Arrival(score[0], -1, -1)
        while begin < n_read and (begin < BLOCK_SIZE or frontier > begin):
            if <int64_t> begin + reach > n_read and chars[n_read].begin < size:
                n_wanted *= 2
                n_read = self.read_chars(text, size, n_read, n_wanted, scratch)
                chars = scratch.chars.data()
                arrivals = scratch.arrivals.data()
            go_on(scratch, n_looks)
            if arrivals[begin].score < -RESCALE_LIMIT or arrivals[begin].score > RESCALE_LIMIT:
                rescale(arrivals, begin, frontier)
            char_end = begin + 1 if self.compact else begin + unit_size(text + begin, size - begin, False)
            if not relax_from(nodes, piece_ids, chars, begin, char_end, arrivals, &frontier):
                relax(self.unknown_score, self.vocab.unknown_index, begin, char_end, arrivals, &frontier)
            begin = char_end
        score[0] = arrivals[begin].score
        return begin

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
            scratch.chars.resize(n_wanted + 1)
            scratch.arrivals.resize(n_wanted + 1)
        chars = scratch.chars.data()
        if n_read:
            pos = chars[n_read].begin
        while pos < size and n_read < n_wanted:
            chars[n_read].begin = pos
            pos += read_code(&table, text + pos, size - pos, compact, &chars[n_read].code)
            n_read += 1
        chars[n_read] = TextChar(0, pos)
        return n_read


cdef inline void arrive_from(
    const CharNode* nodes, const TextChar* chars, int32_t begin, Rivals* rivals,
) noexcept nogil:
    """Extend the two best paths that end at `begin` by every piece that starts there.

    A node where no piece ends has score -infinity, so adding it changes nothing and needs no branch.
    """
    cdef const TextChar* next_char = chars + begin + 1
    cdef Rivals* end = rivals + begin + 1
    cdef uint64_t begin_bits = <uint64_t> begin << 32
    cdef double best = rivals[begin].best, second = rivals[begin].second
    cdef uint32_t place = chars[begin].code, child
    cdef const CharNode* node = nodes + place
    while True:
        arrive(best + node.score, second + node.score, begin_bits | place, end)
        if not may_advance(node, next_char.code):
            break
        child = node.base + next_char.code
        node = nodes + child
        if node.parent != place:
            break
        place = child
        next_char += 1
        end += 1


cdef inline void arrive(double best, double second, uint64_t piece, Rivals* rivals) noexcept nogil:
    """Keep the two best of the present paths and of two new ones that end with `piece`.

    Without a branch: which path wins is unpredictable.
    """
    cdef uint64_t wins = <uint64_t> 0 - <uint64_t> (best > rivals.best)
    rivals.second = max(max(rivals.second, second), min(rivals.best, best))
    rivals.best = max(rivals.best, best)
    rivals.last ^= (piece ^ rivals.last) & wins


cdef inline bint relax_from(
    const CharNode* nodes, const int32_t* piece_ids, const TextChar* chars, int32_t begin, int32_t char_end,
    Arrival* arrivals, int32_t* frontier,
) noexcept nogil:
    """Extend the best path ending at `begin` by every piece that starts there.

    arrivals: final up to and including `begin`, set up to and including `frontier`. Return whether a piece ends at
    `char_end`, the end of the character at `begin`.
    """
    cdef uint32_t place = chars[begin].code, child
    cdef const CharNode* node = nodes + place
    cdef int32_t end = begin + 1
    cdef bint is_covered = False
    while True:
        if node.score != -HUGE_VAL:
            is_covered |= end == char_end
            relax(node.score, piece_ids[place], begin, end, arrivals, frontier)
        if not may_advance(node, chars[end].code):
            return is_covered
        child = node.base + chars[end].code
        node = nodes + child
        if node.parent != place:
            return is_covered
        place = child
        end += 1


cdef inline void relax(
    float piece_score, int32_t piece_id, int32_t begin, int32_t end, Arrival* arrivals, int32_t* frontier,
) noexcept nogil:
    """Set the arrival at `end` to the path over the edge (begin, end), if that is the first or a better one."""
    cdef float score = piece_score + arrivals[begin].score
    cdef int32_t pos
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
    cdef float base = arrivals[begin].score
    cdef int32_t pos
    arrivals[begin].score = 0.0
    for pos in range(begin + 1, frontier + 1):
        if arrivals[pos].begin >= 0:
            arrivals[pos].score = arrivals[pos].score - base


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
