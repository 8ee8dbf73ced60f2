cimport cython
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from spm_lite.base.structures.bloom_filter cimport BloomFilter, add_hash, may_hold
from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.intrinsics cimport first_lowest
from spm_lite.base.unicode.char_words cimport BLOCK_BYTES, NO_CHAR, char_word_size, read_char_word, read_word
from spm_lite.chunks.pair_cuts cimport PairView, Scan, may_cut
from spm_lite.segment.piece_table cimport PieceTable, TableView
from spm_lite.vocab.vocab cimport USER_DEFINED, Vocab

cdef enum:
    PAIRS_AT_ONCE = BLOCK_BYTES     # that are looked at together
    PAIRS_BEHIND = 2            # that must be known behind a place to judge it
    MIN_LOGARITHM = 15          # of the number of buckets, 256 KB: with fewer a tag would not tell all pairs apart
    MAX_LOGARITHM = 18

cdef enum:
    N_CODES = 1 << 16
    ODD_CODE = 1 << 16          # of a character above U+FFFF, or of what is none

cdef enum:
    # Of a pair, from the lowest bit on: the level of the piece that it is, the lowest level of all that hold it,
    # whether its bucket is crowded, a tag. Orders of merging are divided into levels: a piece of a lower one merges
    # earlier.
    LEVEL_BITS = 7
    NO_LEVEL = (1 << 7) - 1     # of what is no piece
    IS_CROWDED = 1 << 14        # some have found no room in the bucket: of a pair that is not there, nothing is known
    TAG_SHIFT = 15
    FREE_ENTRY = (1 << 14) - 1  # no level twice, and tag 0


cdef struct PairRow:
    # The pairs of characters that stand side by side: pair k is that of the characters k - 1 and k, from 1 to n.
    int32_t places[PAIRS_AT_ONCE + 1]       # where characters begin
    uint8_t levels[PAIRS_AT_ONCE + 2]       # of the piece that a pair is
    uint8_t lowest[PAIRS_AT_ONCE + 2]       # of all pieces that hold it; NO_LEVEL: it may be cut apart
    uint8_t triples[PAIRS_AT_ONCE + 2]      # it may stand in a piece with the character before it
    uint8_t firsts[PAIRS_AT_ONCE + 2]       # it merges before its neighbours
    uint8_t cuts[PAIRS_AT_ONCE + 2]         # it may be cut apart
    int32_t n
    bint ends_in_ascii                      # pair n is one of ASCII


@cython.final
cdef class MergeCuts:
    """How early the pairs of characters inside the pieces of a vocabulary merge.

    For pairs of which one is not ASCII and both are below U+10000. What there is no room for counts as pairs that may
    merge at any time: a place that could be a cut may be missed, never the reverse.
    """

    def __init__(self, Vocab vocab not None, PieceTable table not None, int64_t n_pairs):
        """n_pairs: about how many such pairs there are."""
        cdef const TableView* view = &table.view
        cdef const uint32_t* begin
        cdef uint32_t number, first = 0
        self.triples = BloomFilter()
        self.take_buckets(n_pairs)
        self.mark_symbols(view, vocab)
        for number in range(view.n_pieces):
            if view.ranks == NULL or view.ranks[number] != view.ranks[first]:
                first = number  # of those that merge equally early
            begin = view.begins + view.ids[number]
            self.enter_piece(view.texts + begin[0], <int32_t> (begin[1] - begin[0]), level_of(first, view.n_pieces))
        self.triples.fold()
        self.view.triples = self.triples.view

    cdef int take_buckets(self, int64_t n_pairs) except -1:
        """Let there be room for so many pairs."""
        cdef uint32_t logarithm = MIN_LOGARITHM
        while logarithm < MAX_LOGARITHM and <int64_t> 1 << logarithm < n_pairs:
            logarithm += 1
        refill(self.buckets, <size_t> 1 << logarithm, <uint64_t> FREE_ENTRY << 32 | <uint64_t> FREE_ENTRY)
        self.view = MergeView(self.buckets.data(), 32 - logarithm, self.triples.view)
        return 0

    cdef int mark_symbols(self, const TableView* table, Vocab vocab) except -1:
        """Note the characters of user-defined symbols: whether they merge with others is not known beforehand."""
        cdef uint32_t pos, code = 0
        cdef int32_t i
        refill(self.symbol_chars, N_CODES // 64, <uint64_t> 0)
        for i in range(vocab.size):
            if vocab.types[i] != USER_DEFINED:
                continue
            pos = table.begins[i]
            while pos < table.begins[i + 1]:
                pos += <uint32_t> read_code(table.texts + pos, &code)
                if code < <uint32_t> ODD_CODE:
                    self.symbol_chars[code >> 6] |= <uint64_t> 1 << (code & 63)
        return 0

    cdef void enter_piece(self, const uint8_t* piece, int32_t size, uint32_t level) noexcept nogil:
        """Enter the pairs and triples of a piece, as far as they are looked up."""
        cdef uint32_t left = 0, right = 0, pair = 0
        cdef int32_t first_size = read_code(piece, &left), pos = first_size, right_size
        cdef bint is_pair, was_pair = False     # one that is looked up
        while pos < size:
            right_size = read_code(piece + pos, &right)
            is_pair = is_looked_up(left, right)
            if is_pair:
                if was_pair:
                    add_hash(self.triples, triple_hash(pair, right))
                self.enter_pair(left, right, level, first_size + right_size == size)
                pair = mix_pair(left, right)
            was_pair = is_pair
            pos += right_size
            left = right

    cdef void enter_pair(self, uint32_t left, uint32_t right, uint32_t level, bint is_whole) noexcept nogil:
        """Let a pair be in a piece of this level; is_whole: it is the piece."""
        cdef uint32_t pair = mix_pair(left, right), tag = tag_of(pair), half, entry
        cdef uint64_t* bucket = self.buckets.data() + (pair >> self.view.bucket_shift)
        if self.is_symbol_char(left) or self.is_symbol_char(right):
            level, is_whole = 0, False
        for half in range(0, 64, 32):
            entry = <uint32_t> (bucket[0] >> half)
            if entry == <uint32_t> FREE_ENTRY or entry >> TAG_SHIFT == tag:
                bucket[0] ^= <uint64_t> (entry ^ with_level(entry, tag, level, is_whole)) << half
                return
        bucket[0] |= <uint64_t> IS_CROWDED

    cdef inline bint is_symbol_char(self, uint32_t code) noexcept nogil:
        return self.symbol_chars[code >> 6] >> (code & 63) & 1

    cdef int32_t* next_merge_ends(
        self, const PairView* pairs, const uint8_t* text, int32_t size, bint is_whole, int32_t begin, Scan* scan,
        int32_t* ends, int32_t* n_plain,
    ) noexcept nogil:
        cdef PairRow row
        cdef int32_t pos = read_pairs(&self.view, pairs, text, size, scan, &row), n_known = row.n, k
        bound_row(&row, row.places[0] == begin, pos >= size and is_whole)
        mark_cuts(&row)
        if row.ends_in_ascii:
            n_known -= 1        # the last pair is looked at with those that follow
            scan[0] = Scan(row.places[row.n], text[row.places[row.n - 1]])
        elif pos >= size:
            scan.pos = min(pos, size)
            read_char_word(text + row.places[row.n], &scan.left)
        else:
            n_known -= <int32_t> PAIRS_BEHIND
            k = n_known
            while k > 1 and not row.cuts[k]:
                k -= 1
            # What is behind the last cut is looked at once more; without one, what is before it counts as not known.
            scan[0] = Scan(row.places[k if row.cuts[k] else n_known], NO_CHAR)
        n_plain[0] = 0
        for k in range(1, n_known + 1):
            ends[0] = row.places[k]
            ends += row.cuts[k]
            n_plain[0] += row.lowest[k] == NO_LEVEL
        return ends


cdef inline int32_t read_pairs(
    const MergeView* merges, const PairView* pairs, const uint8_t* text, int32_t size, const Scan* scan, PairRow* row,
) noexcept nogil:
    """Look up the next pairs, up to one of ASCII. Where the character behind the last one begins is returned."""
    cdef uint32_t left = 0, right = 0, pair = 0, found
    cdef int32_t pos = scan.pos, n = 0
    cdef uint8_t has_no_pair = 1    # the character before has none in the table
    cdef bint is_ascii = False
    if scan.left != NO_CHAR:
        pos -= char_word_size(scan.left)
    row.places[0] = pos
    pos += read_code(text + pos, &left)
    while n < <int32_t> PAIRS_AT_ONCE and pos < size and not is_ascii:
        n += 1
        row.places[n] = pos
        pos += read_code(text + pos, &right)
        if is_looked_up(left, right):
            row.triples[n] = <uint8_t> may_hold(&merges.triples, triple_hash(pair, right)) | has_no_pair
            pair = mix_pair(left, right)
            found = find_levels(merges, pair)
            row.levels[n], row.lowest[n] = <uint8_t> (found & NO_LEVEL), <uint8_t> (found >> LEVEL_BITS & NO_LEVEL)
            has_no_pair = 0
        else:
            is_ascii = (left | right) < 0x80
            row.levels[n], row.triples[n], has_no_pair = <uint8_t> NO_LEVEL, 1, 1
            row.lowest[n] = <uint8_t> NO_LEVEL if may_cut_at(pairs, text, row.places[n - 1], row.places[n]) else 0
        left = right
    row.n = n
    row.ends_in_ascii = is_ascii
    return pos


cdef inline void bound_row(PairRow* row, bint is_begin, bint is_end) noexcept nogil:
    """Let there be pairs around a row: of those that nothing is known of, or none where the text begins or ends."""
    cdef int32_t behind = row.n + 1
    row.levels[0] = row.levels[behind] = <uint8_t> NO_LEVEL
    row.lowest[0] = <uint8_t> NO_LEVEL if is_begin else 0
    row.lowest[behind] = <uint8_t> NO_LEVEL if is_end else 0
    row.triples[1], row.triples[behind] = not is_begin, not is_end


cdef inline void mark_cuts(PairRow* row) noexcept nogil:
    """Find the pairs that may be cut apart; what is found of the last ones holds only where the text ends."""
    cdef int32_t n = row.n, k
    row.firsts[0] = row.firsts[n + 1] = 0
    for k in range(1, n + 1):
        row.firsts[k] = (row.levels[k] < row.lowest[k - 1]) & (row.levels[k] < row.lowest[k + 1])
    for k in range(1, n + 1):
        row.cuts[k] = (
            (row.lowest[k] == NO_LEVEL)
            | (row.firsts[k - 1] & (row.triples[k] ^ 1)) | (row.firsts[k + 1] & (row.triples[k + 1] ^ 1))
            | (
                (row.levels[k] == NO_LEVEL) & (row.lowest[k] != 0)
                & (row.triples[k] ^ 1) & (row.triples[k + 1] ^ 1)
            )
        )


cdef inline bint is_looked_up(uint32_t left, uint32_t right) noexcept nogil:
    """Whether a pair of codes may be in the table."""
    return 0x80 <= (left | right) < <uint32_t> ODD_CODE


cdef inline uint32_t mix_pair(uint32_t left, uint32_t right) noexcept nogil:
    """Two codes in one word, of which the upper bits are a hash. No two pairs in the table have the same."""
    cdef uint32_t word = left << 16 | right
    return (word ^ word >> 15) * <uint32_t> 0x9E3779B1


cdef inline uint32_t tag_of(uint32_t pair) noexcept nogil:
    """What tells a mixed pair from others in its bucket."""
    return pair & (<uint32_t> 0xFFFFFFFF >> TAG_SHIFT)


cdef inline uint64_t triple_hash(uint32_t pair, uint32_t right) noexcept nogil:
    """A hash of a mixed pair and the code of the character behind it."""
    return (pair ^ <uint64_t> right << 32) * <uint64_t> 0x9E3779B97F4A7C15


cdef inline uint32_t find_levels(const MergeView* merges, uint32_t pair) noexcept nogil:
    """The two levels of a mixed pair, as an entry has them."""
    cdef uint64_t bucket = merges.buckets[pair >> merges.bucket_shift]
    cdef uint32_t first = <uint32_t> bucket, second = <uint32_t> (bucket >> 32)
    cdef uint32_t found = <uint32_t> FREE_ENTRY
    found = <uint32_t> NO_LEVEL if first & <uint32_t> IS_CROWDED else found
    found = second if second >> TAG_SHIFT == tag_of(pair) else found
    found = first if first >> TAG_SHIFT == tag_of(pair) else found  # last: a free one behind it seems to have tag 0
    return found


cdef uint32_t level_of(uint32_t number, uint32_t n_pieces) noexcept nogil:
    """The level of the piece with this number: those that merge early are told apart more finely."""
    return <uint32_t> (sqrt(<double> number / n_pieces) * (NO_LEVEL - 1))


cdef inline uint32_t with_level(uint32_t entry, uint32_t tag, uint32_t level, bint is_whole) noexcept nogil:
    """An entry of a pair that is in one more piece."""
    cdef uint32_t own = level if is_whole else entry & NO_LEVEL
    cdef uint32_t lowest = min(level, entry >> LEVEL_BITS & NO_LEVEL)
    return tag << TAG_SHIFT | entry & <uint32_t> IS_CROWDED | lowest << LEVEL_BITS | own


cdef inline int32_t read_code(const uint8_t* text, uint32_t* code) noexcept nogil:
    """Bytes of the character that `text` starts with, as `read_char_word` takes it, and its code point or ODD_CODE.

    WORD_BYTES must be readable.
    """
    cdef uint64_t word = first_lowest(read_word(text))
    cdef uint32_t char_word = 0
    cdef int32_t size
    # Three bytes, not below U+0800, no surrogate.
    if word & 0xC0C0F0 == 0x8080E0 and word & 0x200F != 0 and word & 0x200F != 0x200D:
        code[0] = <uint32_t> ((word & 0xF) << 12 | (word >> 2 & 0xFC0) | (word >> 16 & 0x3F))
        return 3
    size = read_char_word(text, &char_word)
    code[0] = <uint32_t> ODD_CODE
    if char_word < 0x80:
        code[0] = char_word
    elif size == 2 and char_word & 0x1E:  # not below U+0080
        code[0] = (char_word & 0x1F) << 6 | (char_word >> 8 & 0x3F)
    return size


cdef inline size_t may_cut_at(const PairView* pairs, const uint8_t* text, int32_t left, int32_t right) noexcept nogil:
    """1: the characters at two places may be cut apart, whatever stands around them; else 0."""
    cdef uint32_t left_unit = 0, right_unit = 0
    read_char_word(text + left, &left_unit)
    read_char_word(text + right, &right_unit)
    return may_cut(pairs, left_unit, right_unit)
