cimport cython
from libc.math cimport HUGE_VAL, fabs, frexp, ldexp
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.algorithm cimport reverse
from libcpp.vector cimport vector

from spm_lite.machine cimport prefetch
from spm_lite.segment.first_chars cimport NO_BASE, FirstChars, FirstCharTable, read_first
from spm_lite.segment.piece_trie cimport build_piece_trie
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token, unit_size
from spm_lite.trie.double_array cimport TrieCursor, trie_advance, trie_root
from spm_lite.vocab.vocab cimport NORMAL, USER_DEFINED, Vocab

cdef float LARGEST_FLOAT = <float> 3.4028234663852886e38
cdef float RESCALE_LIMIT = <float> 100000.0     # a running sum beyond it is taken off all paths


@cython.final
cdef class UnigramScratch(Scratch):
    """Arrivals of one block; grown by the first texts, then reused."""


@cython.final
cdef class UnigramSegmenter(Segmenter):
    """Viterbi search over byte positions, equal to the reference in every rounding and tie.

    Source: Kudo 2018. Memory does not grow with the text as long as some place in it is spanned by no piece.
    """

    def __init__(self, Vocab vocab not None, bint compact):
        super().__init__(vocab, compact)
        self.fill_scores()
        self.fill_edges()

    cdef int fill_scores(self) except -1:
        cdef float min_score = LARGEST_FLOAT
        cdef int64_t size
        cdef int32_t i
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
        self.unknown_edge = PieceEdge(self.unknown_score, self.vocab.unknown_index)
        self.greatest_score = fabs(self.unknown_score)
        for i in range(self.vocab.size):
            if self.vocab.types[i] == NORMAL or self.vocab.types[i] == USER_DEFINED:
                self.greatest_score = max(self.greatest_score, fabs(self.path_scores[i]))
        return 0

    cdef int fill_edges(self) except -1:
        cdef vector[int32_t] piece_ids
        cdef size_t k
        build_piece_trie(
            self.vocab, self.compact, 1 << NORMAL | 1 << USER_DEFINED, self.units, &self.longest, &piece_ids
        )
        for k in range(piece_ids.size()):
            self.edges.push_back(PieceEdge(self.path_scores[piece_ids[k]], piece_ids[k]))
        self.firsts = FirstCharTable()
        return self.firsts.fill(self.units, self.compact)

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
        """The same for a text that follows others; score: of the path up to it, then of that up to its end."""
        cdef int32_t begin = 0, block_size
        tokens.clear()
        while begin < size:
            block_size = self.find_path(text + begin, size - begin, score, scratch.arrivals)
            emit_path(scratch.arrivals.data(), begin, block_size, tokens)
            begin += block_size
        return 0

    cdef float segment_alone(
        self, const uint8_t* text, int32_t size, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Segment a chunk without knowing what stands before it. The result holds up to an absolute score of that which
        is returned: to there the chunk has one best path, however sums are rounded. 0: not even at the start of a text.

        Rounding is monotone, so the path with the greatest rounded sum is found whatever the sums on the way, and if no
        other can reach that sum it is the only one. A path of at most n pieces none of which has an absolute score
        above s, behind a score of at most x, has no partial sum above x + n s; each rounding moves it by at most half
        of the last place of that, so the order of two paths holds if their distance is above n such places. Here it is
        above twice as many.
        """
        cdef double margin, reach
        cdef int32_t n_units = 0
        cdef int exponent = 0
        margin = self.find_margin(text, size, scratch.rivals, &n_units)
        emit_best(scratch.rivals.data(), size, tokens)
        reach = <double> n_units * self.greatest_score
        if not margin > 0 or not reach < RESCALE_LIMIT:
            return 0
        # n * 2^(e - 24) * 2 < margin, where 2^e is above all partial sums. (margin / n is at least 2^(exponent - 1).)
        frexp(min(margin, <double> RESCALE_LIMIT) / <double> n_units, &exponent)
        return <float> max(0.0, min(ldexp(1.0, min(exponent + 21, 17)), <double> RESCALE_LIMIT) - reach)

    cdef double find_margin(
        self, const uint8_t* text, int32_t size, vector[Rivals]& grown, int32_t* n_units,
    ) except? -1.0 nogil:
        """How much better the best path of a chunk is than any other; infinity: there is no other.

        n_units: the number of characters. Sums are in double precision: far more exact than what is asked of them.
        """
        cdef FirstChars firsts = self.firsts.view
        cdef const uint32_t* units = firsts.units
        cdef const PieceEdge* edges = self.edges.data()
        cdef Rivals* rivals
        cdef TrieCursor cursor, next
        cdef int32_t begin = 0, char_end, next_size, pos, n = 0
        cdef bint is_covered
        if <int32_t> grown.size() < size + 1:
            grown.resize(size + 1)
        rivals = grown.data()
        rivals[0] = Rivals(0, -HUGE_VAL, -1, -1)
        for pos in range(1, size + 1):
            rivals[pos] = Rivals(-HUGE_VAL, -HUGE_VAL, -1, -1)
        next_size = read_first(&firsts, text, size, &next) if size > 0 else 0
        while begin < size:
            cursor = next
            char_end = begin + next_size
            if char_end < size:
                # What the next character leads to comes from memory meanwhile.
                next_size = read_first(&firsts, text + char_end, size - char_end, &next)
                if next.base != NO_BASE and char_end + next_size < size:
                    prefetch(units + (next.base ^ text[char_end + next_size]))
                if next.value >= 0:
                    prefetch(edges + next.value)
            is_covered = cursor.value >= 0
            if is_covered:
                arrive(rivals, begin, char_end, edges + cursor.value)
            if cursor.base != NO_BASE:
                for pos in range(char_end, size):
                    if not trie_advance(units, &cursor, text[pos]):
                        break
                    if cursor.value >= 0:
                        arrive(rivals, begin, pos + 1, edges + cursor.value)
            if not is_covered:
                arrive(rivals, begin, char_end, &self.unknown_edge)
            begin = char_end
            n += 1
        n_units[0] = n
        return rivals[size].best - rivals[size].second

    cdef int32_t find_path(
        self, const uint8_t* text, int32_t size, float* score, vector[Arrival]& grown,
    ) except -1 nogil:
        """Fill the arrivals of a block that starts `text`; its bytes are returned.

        The block ends with the text or, beyond BLOCK_SIZE bytes, where every path must pass: the path up to there
        depends on nothing behind. score: of the path up to `text`; becomes that of the path up to the block's end.
        """
        cdef const uint32_t* units = self.units.data()
        cdef const PieceEdge* edges = self.edges.data()
        cdef bint compact = self.compact
        cdef int32_t reach = max(self.longest, <int32_t> 4)
        cdef int32_t begin = 0, frontier = 0, char_end
        cdef int64_t room = grown.size()
        cdef Arrival* arrivals
        if room < reach + 2:
            grown.resize(BLOCK_SIZE + 2 * reach)
            room = grown.size()
        arrivals = grown.data()
        arrivals[0] = Arrival(score[0], -1, -1)
        while begin < size and (begin < BLOCK_SIZE or frontier > begin):
            if <int64_t> begin + reach >= room:
                grown.resize(2 * room)
                room = grown.size()
                arrivals = grown.data()
            if arrivals[begin].score < -RESCALE_LIMIT or arrivals[begin].score > RESCALE_LIMIT:
                rescale(arrivals, begin, frontier)
            char_end = begin + unit_size(text + begin, size - begin, compact)
            if not relax_from(units, edges, text, size, begin, char_end, arrivals, &frontier):
                relax(&self.unknown_edge, begin, char_end, arrivals, &frontier)
            begin = char_end
        score[0] = arrivals[begin].score
        return begin


cdef inline void arrive(Rivals* rivals, int32_t begin, int32_t end, const PieceEdge* edge) noexcept nogil:
    """Let the two best paths to `begin`, each longer by one piece, compete at `end`."""
    cdef Rivals* place = rivals + end
    cdef double score = edge.score
    cdef double best = rivals[begin].best + score
    if best > place.best:
        place.second = max(place.best, rivals[begin].second + score)
        place.best = best
        place.piece_id = edge.piece_id
        place.begin = begin
    elif best > place.second:
        place.second = best


cdef int emit_best(const Rivals* rivals, int32_t size, vector[Token]& tokens) except -1 nogil:
    """Let `tokens` be the best path to `size`."""
    cdef int32_t end = size
    tokens.clear()
    while end > 0:
        tokens.push_back(Token(rivals[end].piece_id, rivals[end].begin, end))
        end = rivals[end].begin
    reverse(tokens.begin(), tokens.end())
    return 0


cdef inline bint relax_from(
    const uint32_t* units, const PieceEdge* edges, const uint8_t* text, int32_t size, int32_t begin,
    int32_t char_end, Arrival* arrivals, int32_t* frontier,
) noexcept nogil:
    """Extend the best path ending at `begin` by every piece that starts there.

    arrivals: final up to and including `begin`, set up to and including `frontier`. Tells whether a piece ends at
    `char_end`, the end of the character at `begin`.
    """
    cdef TrieCursor cursor
    cdef int32_t pos, end
    cdef bint is_covered = False
    trie_root(units, &cursor)
    for pos in range(begin, size):
        if not trie_advance(units, &cursor, text[pos]):
            break  # no piece continues this prefix
        end = pos + 1
        if cursor.value < 0:
            continue  # a prefix of some piece, not a piece
        is_covered |= end == char_end
        relax(edges + cursor.value, begin, end, arrivals, frontier)
    return is_covered


cdef inline void relax(
    const PieceEdge* edge, int32_t begin, int32_t end, Arrival* arrivals, int32_t* frontier,
) noexcept nogil:
    """Take the path over (begin, end) if it is the first or a better one to `end`."""
    cdef float score = edge.score + arrivals[begin].score
    cdef int32_t pos
    if end > frontier[0]:
        for pos in range(frontier[0] + 1, end):
            arrivals[pos].begin = -1
        frontier[0] = end
    # Strict: on equal scores the earlier begin, the longer last piece, stays.
    elif arrivals[end].begin >= 0 and not score > arrivals[end].score:
        return
    arrivals[end] = Arrival(score, edge.piece_id, begin)


cdef void rescale(Arrival* arrivals, int32_t begin, int32_t frontier) noexcept nogil:
    """Let the path to `begin` have score 0; the differences stay, later roundings change, as in the reference."""
    cdef float base = arrivals[begin].score
    cdef int32_t pos
    arrivals[begin].score = 0.0
    for pos in range(begin + 1, frontier + 1):
        if arrivals[pos].begin >= 0:
            arrivals[pos].score = arrivals[pos].score - base


cdef int emit_path(const Arrival* arrivals, int32_t offset, int32_t size, vector[Token]& tokens) except -1 nogil:
    """Append the path that ends at `size`, read backwards; `offset` is where the block starts in the text."""
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
        token[0] = Token(arrivals[end].piece_id, offset + arrivals[end].begin, offset + end)
        end = arrivals[end].begin
    return 0
