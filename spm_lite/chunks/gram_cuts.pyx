cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from spm_lite.base.structures.bloom_filter cimport BloomFilter, BloomView, add_hash, may_hold
from spm_lite.base.unicode.char_words cimport BLOCK_BYTES, NO_CHAR, char_word_size, read_char_word
from spm_lite.chunks.pair_cuts cimport ContextCuts, PairView, Scan, pair_hash
from spm_lite.vocab.piece_reader cimport PieceSource, read_piece_char
from spm_lite.vocab.vocab cimport Vocab

cdef enum:
    MOST_PAIRS = BLOCK_BYTES - 1    # that are looked at together, those before included; one more where ASCII begins


@cython.final
cdef class GramCuts(ContextCuts):
    """The pieces of two and of three characters, and four that stand side by side in longer ones, all by hash.

    As they stand in compact text; those of ASCII alone are not kept: no place that is judged here is inside of one. A
    place that could be a cut may be missed, never the reverse.
    """

    def __init__(self, Vocab vocab not None):
        cdef PieceSource source = PieceSource(vocab)
        cdef const uint8_t* piece
        cdef int32_t i, size = 0
        self.grams = BloomFilter()
        for i in range(vocab.size):
            piece = source.piece(i, &size)
            if piece != NULL:
                add_grams(piece, size, self.grams)
        self.grams.fold()

    cdef int32_t* next_context_ends(
        self, const PairView* pairs, const uint8_t* text, int32_t size, bint is_whole, int32_t begin, Scan* scan,
        int32_t* ends, int32_t* n_plain,
    ) noexcept nogil:
        cdef BloomView view = self.grams.view     # a copy, so that what is written to the places cannot change it
        cdef int32_t places[BLOCK_BYTES + 1]    # where characters begin
        cdef uint32_t left = 0, right = 0
        cdef uint64_t two, three, four, two_before = 0, three_before = 0
        cdef uint32_t spanned = 0               # bit k: a piece may span the place before the last character but k
        cdef int32_t* end = ends
        cdef int32_t pos = scan.pos, n = 0, n_open, most = MOST_PAIRS, ascii_pair = 0
        cdef int32_t first = 1                  # character before which stands a place that is not judged yet
        if scan.left != NO_CHAR:
            pos -= char_word_size(scan.left)
            while text[pos] < 0x80 and pos > begin and text[pos - 1] < 0x80 and first < 3:
                pos -= 1
                first += 1
        n_open = 0 if pos == begin else 2       # places that pieces from further left may span
        places[0] = pos
        pos += read_char_word(text + pos, &left)
        while n < most and pos < size:
            n += 1
            places[n] = pos
            pos += read_char_word(text + pos, &right)
            two = pair_hash(left, right)
            three = next_hash(two_before, right)
            four = next_hash(three_before, right)
            spanned = spanned << 1 | may_hold(&view, two) | (n <= n_open)
            spanned |= (<uint32_t> 0 - (may_hold(&view, three) & (n > 1))) & 3
            spanned |= (<uint32_t> 0 - (may_hold(&view, four) & (n > 2))) & 7
            if n - 2 >= first:
                end[0] = places[n - 2]
                end += ~spanned >> 2 & 1
            two_before, three_before = two, three
            if (left | right) < 0x80 and n >= first and ascii_pair == 0:
                ascii_pair = n
                most = n + 1
            left = right
        if pos >= size and is_whole:
            end = write_end(places, n - 1, spanned >> 1, first, ascii_pair, end)
            end = write_end(places, n, spanned, first, ascii_pair, end)
        if ascii_pair:
            scan.pos = places[ascii_pair]
            scan.left = text[scan.pos - 1]
        elif pos >= size:
            scan.pos = min(pos, size)
            scan.left = left
        else:
            # What is behind the last cut is looked at once more; without one, what is before it counts as not known.
            scan.pos = (end - 1)[0] if end > ends else places[n - 2]
            scan.left = <uint32_t> NO_CHAR
        n_plain[0] = <int32_t> (end - ends) // 2  # so it is in Thai
        return end


cdef inline int32_t* write_end(
    const int32_t* places, int32_t n, uint32_t spanned, int32_t first, int32_t ascii_pair, int32_t* end,
) noexcept nogil:
    """Write down the place before character `n` if bit 0 of `spanned` is not set.

    Unless it was judged before, or is left to those who look at ASCII.
    """
    if n < first or spanned & 1 or (0 < ascii_pair <= n):
        return end
    end[0] = places[n]
    return end + 1


cdef inline uint64_t next_hash(uint64_t before, uint32_t right) noexcept nogil:
    """The hash of characters whose hash is `before`, with one more behind them."""
    return (before ^ right) * <uint64_t> 0xD1342543DE82EF95


cdef void add_grams(const uint8_t* piece, int32_t size, BloomFilter grams) noexcept nogil:
    """Enter a piece of two or three characters, or all four that stand side by side in a longer one."""
    cdef uint64_t two = 0, three = 0, four = 0, two_before = 0, three_before = 0
    cdef uint32_t left = 0, right = 0, ascii
    cdef int32_t pos = read_piece_char(piece, &left), n = 1
    ascii = left < 0x80                 # bit k: the last character but k is
    while pos < size:
        pos += read_piece_char(piece + pos, &right)
        n += 1
        ascii = ascii << 1 | (right < 0x80)
        two = pair_hash(left, right)
        three = next_hash(two_before, right)
        four = next_hash(three_before, right)
        if n > 3 and ascii & 15 != 15:
            add_hash(grams, four)
        two_before, three_before = two, three
        left = right
    if n == 2 and ascii != 3:
        add_hash(grams, two)
    elif n == 3 and ascii != 7:
        add_hash(grams, three)
