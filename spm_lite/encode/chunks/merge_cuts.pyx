"""Fills the table of merge levels from the pieces, and judges the places of a text a row of pairs at a time.

`next_merge_ends` has the steps. `read_pairs` and `mark_cuts` have the hot loops. Header: merge_cuts.pxd.
"""

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from spm_lite.base.structures.bloom_filter cimport BloomFilter, add_hash, may_hold
from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.intrinsics cimport first_lowest
from spm_lite.base.unicode.utf8 cimport BLOCK_BYTES, NO_CHAR, char_word_size, read_char_word, read_word
from spm_lite.encode.chunks.pair_cuts cimport PairView, Scan, may_cut
from spm_lite.encode.chunks.space_cuts cimport may_cut_space
from spm_lite.encode.segment.piece_table cimport PieceTable, TableView
from spm_lite.vocab.vocab cimport USER_DEFINED, Vocab

cdef enum:
    PAIRS_AT_ONCE = BLOCK_BYTES     # pairs of a row, which are judged together
    PAIRS_BEHIND = 2            # pairs after a place that must be known to judge it
    MIN_LOGARITHM = 15          # log2 of the buckets, 256 KB: with fewer, pairs of a bucket could share a tag
    MAX_LOGARITHM = 18

cdef enum:
    N_CODES = 1 << 16
    ODD_CODE = 1 << 16          # of a character above U+FFFF, or of an ill-formed one

cdef enum:
    # The entry of a pair, from the lowest bit on: the level of the piece that the pair is; the lowest level of all
    # pieces that hold the pair; whether the bucket is crowded; a tag. Merge ranks are divided into levels: a piece of
    # a lower level merges earlier.
    LEVEL_BITS = 7
    NO_LEVEL = (1 << 7) - 1     # the pair is no piece, or is in no piece
    IS_CROWDED = 1 << 14        # some pairs found no room in the bucket: a pair not in it may still be in pieces
    TAG_SHIFT = 15
    FREE_ENTRY = (1 << 14) - 1  # both levels NO_LEVEL, and tag 0


cdef struct PairRow:
    # The pairs of adjacent characters of a text: pair k, from 1 to n, is characters k - 1 and k.
    int32_t places[PAIRS_AT_ONCE + 1]       # byte offsets of the characters
    uint8_t levels[PAIRS_AT_ONCE + 2]       # of the piece that the pair is
    uint8_t lowest[PAIRS_AT_ONCE + 2]       # of all pieces that hold the pair; NO_LEVEL: none does, so it may be cut
    uint8_t triples[PAIRS_AT_ONCE + 2]      # the pair may be in a piece together with the character before it
    uint8_t firsts[PAIRS_AT_ONCE + 2]       # the pair merges before its neighbours
    uint8_t cuts[PAIRS_AT_ONCE + 2]         # the text may be cut inside the pair
    int32_t n
    bint ends_in_ascii                      # pair n is two ASCII characters


@cython.final
cdef class MergeCuts:
    """A table of the merge levels of the pairs of characters inside the pieces of a vocabulary.

    It holds pairs with a non-ASCII character and both characters below U+10000. A pair that finds no room counts as one
    that may merge at any time. So a valid cut can be missed, never invented.
    """

    def __cinit__(self, Vocab vocab not None, PieceTable table not None, int64_t n_pairs):
        """n_pairs: about the number of pairs that are looked up."""
        cdef const TableView* view = &table.view
        cdef const uint32_t* begin
        cdef uint32_t number, first = 0
        cdef int32_t i
        self.triples = BloomFilter()
        self.take_buckets(n_pairs)
        self.mark_symbols(view, vocab)
        for number in range(view.n_pieces):
            if view.ranks == NULL or view.ranks[number] != view.ranks[first]:
                first = number  # the first of the pieces with the same rank
            begin = view.begins + view.ids[number]
            self.enter_piece(view.texts + begin[0], <int32_t> (begin[1] - begin[0]), level_of(first, view.n_pieces))
        for i in range(vocab.size):
            if vocab.types[i] == USER_DEFINED:  # of no number, and of the lowest level: see `enter_pair`
                begin = view.begins + i
                self.enter_piece(view.texts + begin[0], <int32_t> (begin[1] - begin[0]), 0)
        self.triples.fold()
        self.view.triples = self.triples.view

    cdef int take_buckets(self, int64_t n_pairs) except -1:
        """Make free buckets for about `n_pairs` pairs."""
        cdef uint32_t logarithm = MIN_LOGARITHM
        while logarithm < MAX_LOGARITHM and <int64_t> 1 << logarithm < n_pairs:
            logarithm += 1
        refill(self.buckets, <size_t> 1 << logarithm, <uint64_t> FREE_ENTRY << 32 | <uint64_t> FREE_ENTRY)
        self.view = MergeView(self.buckets.data(), 32 - logarithm, self.triples.view)
        return 0

    cdef int mark_symbols(self, const TableView* table, Vocab vocab) except -1:
        """Mark the characters of user-defined symbols: whether they merge with others is not known beforehand."""
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
        """Enter the pairs and triples of a piece that satisfy `is_looked_up`."""
        cdef uint32_t left = 0, right = 0, pair = 0
        cdef int32_t first_size = read_code(piece, &left), pos = first_size, right_size
        cdef bint is_pair, was_pair = False     # `is_looked_up`
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
        """Note that a pair is in a piece of this level. is_whole: the pair is the piece."""
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
            n_known -= 1        # the last pair is judged with the pairs that follow
            scan[0] = Scan(row.places[row.n], text[row.places[row.n - 1]])
        elif pos >= size:
            scan.pos = min(pos, size)
            read_char_word(text + row.places[row.n], &scan.left)
        else:
            n_known -= <int32_t> PAIRS_BEHIND
            k = n_known
            while k > 1 and not row.cuts[k]:
                k -= 1
            # Text after the last cut is scanned again. Without a cut, the text before `pos` counts as unknown then.
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
    """Fill `row` with the next pairs, looked up, up to a pair of ASCII. Return the offset after the last character."""
    cdef uint32_t left = 0, right = 0, pair = 0, found
    cdef int32_t pos = scan.pos, n = 0
    cdef uint8_t has_no_pair = 1    # 1: the pair before is not in the table
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
    """Set the sentinel pairs around a row: unknown ones, or cuts where the text begins or ends."""
    cdef int32_t behind = row.n + 1
    row.levels[0] = row.levels[behind] = <uint8_t> NO_LEVEL
    row.lowest[0] = <uint8_t> NO_LEVEL if is_begin else 0
    row.lowest[behind] = <uint8_t> NO_LEVEL if is_end else 0
    row.triples[1], row.triples[behind] = not is_begin, not is_end


cdef inline void mark_cuts(PairRow* row) noexcept nogil:
    """Mark the pairs where the text may be cut. The last pairs may lack marks unless the text ends."""
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
    """Mix two codes into one word whose upper bits are a hash. Different pairs of the table get different words."""
    cdef uint32_t word = left << 16 | right
    return (word ^ word >> 15) * <uint32_t> 0x9E3779B1


cdef inline uint32_t tag_of(uint32_t pair) noexcept nogil:
    """The lower bits of a mixed pair, which identify it in its bucket."""
    return pair & (<uint32_t> 0xFFFFFFFF >> TAG_SHIFT)


cdef inline uint64_t triple_hash(uint32_t pair, uint32_t right) noexcept nogil:
    """A hash of a mixed pair and the code of the character after it."""
    return (pair ^ <uint64_t> right << 32) * <uint64_t> 0x9E3779B97F4A7C15


cdef inline uint32_t find_levels(const MergeView* merges, uint32_t pair) noexcept nogil:
    """The two levels of a mixed pair, laid out as in an entry."""
    cdef uint64_t bucket = merges.buckets[pair >> merges.bucket_shift]
    cdef uint32_t first = <uint32_t> bucket, second = <uint32_t> (bucket >> 32)
    cdef uint32_t found = <uint32_t> FREE_ENTRY
    found = <uint32_t> NO_LEVEL if first & <uint32_t> IS_CROWDED else found
    found = second if second >> TAG_SHIFT == tag_of(pair) else found
    found = first if first >> TAG_SHIFT == tag_of(pair) else found  # last: a free second entry matches tag 0
    return found


cdef uint32_t level_of(uint32_t number, uint32_t n_pieces) noexcept nogil:
    """The level of the piece with this number. Early merges get finer levels."""
    return <uint32_t> (sqrt(<double> number / n_pieces) * (NO_LEVEL - 1))


cdef inline uint32_t with_level(uint32_t entry, uint32_t tag, uint32_t level, bint is_whole) noexcept nogil:
    """Return the entry of a pair after one more piece with it is entered."""
    cdef uint32_t own = level if is_whole else entry & NO_LEVEL
    cdef uint32_t lowest = min(level, entry >> LEVEL_BITS & NO_LEVEL)
    return tag << TAG_SHIFT | entry & <uint32_t> IS_CROWDED | lowest << LEVEL_BITS | own


cdef inline int32_t read_code(const uint8_t* text, uint32_t* code) noexcept nogil:
    """Return the size in bytes of the first character of `text`, as `read_char_word` does.

    code: set to its code point or ODD_CODE. WORD_BYTES must be readable.
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
    """1: the pair test allows a cut between the characters at two offsets; else 0."""
    cdef uint32_t left_unit = 0, right_unit = 0
    read_char_word(text + left, &left_unit)
    read_char_word(text + right, &right_unit)
    if pairs.spaces.row_words and right_unit == 0x20 and left_unit != 0x20:
        return may_cut_space(&pairs.spaces, text, right)
    return may_cut(pairs, left_unit, right_unit)
