cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport KEY_BYTES
from spm_lite.base.structures.byte_pairs cimport PAIR_BYTES, add_pairs, is_joinable
from spm_lite.base.structures.random cimport RandomStream, next_uniform
from spm_lite.segment.merge_array cimport (
    FEW_SYMBOLS, MergeArray, add_symbol, collect_ids, merge_few, start_few, symbol_size,
)
from spm_lite.segment.merge_heap cimport Candidate, pop_merge, push_merge
from spm_lite.segment.piece_table cimport NO_NUMBER, PieceTable, TableView, find_id, find_number, rank_at
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token, go_on, look_around, unit_size
from spm_lite.vocab.piece_trie cimport build_piece_trie, match_symbol
from spm_lite.vocab.vocab cimport UNUSED, USER_DEFINED, Vocab

cdef enum:
    MAX_UNIT_BYTES = 4
    SHARED_SYMBOLS = 20         # smallest overlap of two windows
    SIGNAL_MERGES = 1 << 18     # candidates of one chunk between two checks for signals
    SIGNAL_WINDOWS = 1 << 12    # windows of one chunk between two checks for signals


@cython.final
cdef class BpeScratch(Scratch):
    """Buffers for the symbols and candidates of one chunk; they grow with the first texts and are reused."""

    cdef void start(self) noexcept nogil:
        """Clear what the last chunk left, even if a signal ended it."""
        cdef size_t i
        for i in range(self.split_ids.size()):
            self.split_sizes[self.split_ids[i]] = 0
        self.split_ids.clear()
        self.symbols.clear()
        self.heap.clear()
        self.dropped.clear()


@cython.final
cdef class BpeSegmenter(Segmenter):
    """BPE. `merge_short` merges a short chunk in one array (see merge_array.pxd): nearly all chunks go this way.

    A longer chunk is merged in overlapping windows of such arrays (linear time), or by `merge_all` with a heap of
    candidates (O(n log n)). The heap serves where two windows share no token, for BPE-dropout, and for UNUSED pieces.

    A chunk ends between two bytes that are neighbours in no piece, and at user-defined symbols. Nothing merges across
    such a place, so chunks are independent. With UNUSED pieces the whole text is one chunk: such a piece is split like
    its last candidate anywhere in the text. Source: Sennrich, Haddow, Birch 2016.
    """

    def __cinit__(self, Vocab vocab not None, bint compact):
        cdef int32_t longest = 0
        build_piece_trie(vocab, compact, 1 << USER_DEFINED, self.symbol_units, &longest)
        self.has_symbols = longest > 0
        self.table = PieceTable(vocab, compact)
        self.fill_joinable()

    cdef int fill_joinable(self) except -1:
        cdef const uint8_t* text = self.table.texts.data()
        cdef const uint32_t* begins = self.table.begins.data()
        cdef int32_t i
        self.joinable.resize(PAIR_BYTES, 0)
        for i in range(self.vocab.size):
            add_pairs(self.joinable.data(), text + begins[i], <int32_t> (begins[i + 1] - begins[i]))
            self.has_unused |= self.vocab.types[i] == UNUSED and begins[i] < begins[i + 1]
        return 0

    cdef Scratch new_scratch(self):
        scratch = BpeScratch()
        scratch.stream = NULL
        if self.has_unused:
            scratch.split_sizes.resize(self.vocab.size, 0)
        return scratch

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Cut the text into symbols; merge them whenever a chunk is complete."""
        cdef vector[Symbol]* symbols = &(<BpeScratch> scratch).symbols
        cdef const uint8_t* joinable = self.joinable.data()
        cdef const uint32_t* symbol_units = self.symbol_units.data() if self.has_symbols else NULL
        cdef int32_t begin = 0, prev = -1, length, piece_id = -1
        cdef bint is_symbol, was_symbol = True, is_bytes = self.vocab.is_bytes
        tokens.clear()
        (<BpeScratch> scratch).start()
        while begin < size:
            length = 0
            if symbol_units != NULL:
                length = match_symbol(symbol_units, text + begin, size - begin, &piece_id)
            is_symbol = length > 0
            if not is_symbol:
                length = 1 if is_bytes else unit_size(text + begin, size - begin, self.compact)
                piece_id = -1
            if is_symbol or was_symbol or not is_joinable(joinable, text[begin - 1], text[begin]):
                prev = -1
                if not self.has_unused and not symbols.empty():
                    self.merge_chunk(text, <BpeScratch> scratch, tokens)
            if prev >= 0:
                symbols.back().next = prev + 1
            symbols.push_back(Symbol(begin, length, prev, -1, piece_id))
            prev = <int32_t> symbols.size() - 1
            was_symbol = is_symbol
            begin += length
            go_on(scratch, length)
        self.merge_chunk(text, <BpeScratch> scratch, tokens)
        return 0

    cdef int segment_at_random(
        self, const uint8_t* text, int32_t size, double dropout, bint is_returning, RandomStream* stream,
        Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Segment with BPE-dropout: each candidate is dropped with probability `dropout` when it leaves the heap.

        is_returning: dropped candidates come back after the next merge, as in the paper (Provilkov, Emelianenko, Voita
        2020); else they are gone, as in the original. dropout: 0, less or NaN drops none; 1 or more drops all.
        """
        (<BpeScratch> scratch).stream = stream
        (<BpeScratch> scratch).dropout = dropout
        (<BpeScratch> scratch).is_returning = is_returning
        try:
            self.segment(text, size, scratch, tokens)
        finally:
            (<BpeScratch> scratch).stream = NULL
        return 0

    cdef int merge_chunk(
        self, const uint8_t* text, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Merge the symbols of a chunk, append the tokens of those that remain, and clear the scratch."""
        cdef Symbol* symbols = scratch.symbols.data()
        cdef int32_t n_symbols = <int32_t> scratch.symbols.size()
        cdef int32_t i
        if n_symbols > 1 and scratch.stream == NULL and not self.has_unused:
            if self.merge_windows(text, scratch, tokens):
                scratch.symbols.clear()
                return 0
        if scratch.stream == NULL or not scratch.dropout >= 1:
            for i in range(n_symbols - 1):
                if symbols[i].next >= 0:
                    self.propose(text, i, scratch)
            self.merge_all(text, scratch)
        for i in range(n_symbols):
            if symbols[i].size:
                self.emit_symbol(text, symbols[i].begin, symbols[i].size, symbols[i].piece_id, scratch, tokens)
        scratch.start()
        return 0

    cdef bint merge_windows(self, const uint8_t* text, BpeScratch scratch, vector[Token]& tokens) except -1 nogil:
        """Merge a chunk in windows of FEW_SYMBOLS symbols, without a heap. No symbol is user-defined.

        False: a window shares no token with the next, or gets no further; then nothing is appended.

        Why it is exact: tokens are the result of BPE if and only if every two neighbours, merged without the others,
        stay as they are. (The first merge across a border would happen with these two alone as well.) A window proves
        that for the neighbours in it, and begins where a token of the window before begins. So if two windows share a
        token, the result is the first one's tokens up to it, and the second one's after it.
        """
        cdef const Symbol* symbols = scratch.symbols.data()
        cdef MergeArray few
        cdef size_t n_before = tokens.size(), n_kept = n_before, next_kept = n_before
        cdef int32_t n_symbols = <int32_t> scratch.symbols.size(), first = 0, n_windows = 0, next_first
        cdef int32_t n, i, begin, end
        while True:
            n = min(n_symbols - first, <int32_t> FEW_SYMBOLS)
            merge_window(&self.table.view, text, symbols + first, n, &few)
            i = 1
            if first and not find_shared(&few, symbols[first].begin, tokens, &n_kept, &i):
                break
            tokens.resize(n_kept)
            next_first = first
            while i <= n:
                if i - 1 <= n - SHARED_SYMBOLS:
                    next_first, next_kept = first + i - 1, tokens.size()
                begin, end = few.begins[i], few.begins[few.next[i]]
                self.emit_symbol(text, symbols[first].begin + begin, end - begin, few.ids[i], scratch, tokens)
                i = few.next[i]
            if first + n == n_symbols:
                return True
            if next_first == first:
                break
            first, n_kept = next_first, next_kept
            n_windows += 1
            if n_windows % SIGNAL_WINDOWS == 0:
                look_around(scratch)
        tokens.resize(n_before)
        return False

    cdef int32_t merge_short(self, const uint8_t* text, int32_t size, int32_t* ids) noexcept nogil:
        """Fill `ids` with the ids of a short chunk, at most `size`, and return their number.

        No UNUSED piece can be in the chunk, and KEY_BYTES from any place in it must be readable. 0: call `segment`,
        as there are more than FEW_SYMBOLS symbols, a user-defined one, or an unknown one that is not replaced by byte
        pieces.
        """
        cdef TableView table = self.table.view  # a copy: writes to the symbols cannot change it, as the compiler sees
        cdef MergeArray few
        cdef const uint32_t* symbol_units = self.symbol_units.data() if self.has_symbols else NULL
        cdef const int32_t* byte_ids = &self.vocab.byte_ids[0] if self.vocab.byte_fallback else NULL
        cdef int32_t begin = 0, piece_id = -1
        cdef bint is_bytes = self.vocab.is_bytes
        start_few(&few)
        while begin < size:
            if few.n == FEW_SYMBOLS:
                return 0
            if symbol_units != NULL and match_symbol(symbol_units, text + begin, size - begin, &piece_id):
                return 0
            add_symbol(&few, begin)
            begin += 1 if is_bytes else symbol_size(text + begin, size - begin)
        merge_few(&table, text, size, &few)
        return collect_ids(&table, text, &few, byte_ids, ids)

    cdef inline void join(self, Symbol* symbols, int32_t left, int32_t piece_id) noexcept nogil:
        """Merge a symbol with its right neighbour into a piece."""
        cdef Symbol* a = symbols + left
        cdef Symbol* b = symbols + a.next
        a.size += b.size
        a.piece_id = piece_id
        a.next = b.next
        b.size = 0
        if a.next >= 0:
            symbols[a.next].prev = left

    cdef int propose(self, const uint8_t* text, int32_t left, BpeScratch scratch) except -1 nogil:
        """Add the candidate of `left` and its right neighbour, if they form a piece."""
        cdef const Symbol* symbols = scratch.symbols.data()
        cdef const Symbol* a = symbols + left
        cdef uint32_t number
        cdef int32_t piece_id, size
        if a.next < 0:
            return 0
        size = a.size + symbols[a.next].size
        number = find_number(&self.table.view, text + a.begin, size, size)
        if number == <uint32_t> NO_NUMBER:
            return 0
        piece_id = self.table.ids[number]
        push_merge(scratch.heap, Candidate(
            <uint64_t> rank_at(&self.table.view, number) << 32 | <uint32_t> left, piece_id, size,
        ))
        if self.has_unused and self.vocab.types[piece_id] == UNUSED:
            if scratch.split_sizes[piece_id] == 0:
                scratch.split_ids.push_back(piece_id)
            scratch.split_sizes[piece_id] = a.size
        return 0

    cdef int merge_all(self, const uint8_t* text, BpeScratch scratch) except -1 nogil:
        """Merge until no candidate is left."""
        cdef Symbol* symbols = scratch.symbols.data()
        cdef Symbol* a
        cdef Candidate merge
        cdef int32_t left
        cdef int64_t n_popped = 0
        while not scratch.heap.empty():
            pop_merge(scratch.heap, &merge)
            n_popped += 1
            if n_popped % SIGNAL_MERGES == 0:
                look_around(scratch)
            left = <int32_t> (merge.order & <uint32_t> 0xFFFFFFFF)
            a = symbols + left
            if a.size == 0 or a.next < 0 or a.size + symbols[a.next].size != merge.size:
                continue  # stale: one of the two has merged since
            if scratch.stream != NULL and next_uniform(scratch.stream) < scratch.dropout:
                if scratch.is_returning:
                    scratch.dropped.push_back(merge)
                continue
            self.join(symbols, left, merge.piece_id)
            if a.prev >= 0:
                self.propose(text, a.prev, scratch)
            if a.next >= 0:
                self.propose(text, left, scratch)
            while not scratch.dropped.empty():
                push_merge(scratch.heap, scratch.dropped.back())
                scratch.dropped.pop_back()
        return 0

    cdef int emit_symbol(
        self, const uint8_t* text, int32_t begin, int32_t size, int32_t piece_id, BpeScratch scratch,
        vector[Token]& tokens,
    ) except -1 nogil:
        """Append the token of a symbol that remains. piece_id: -1: not looked up."""
        if piece_id < 0:
            piece_id = find_id(&self.table.view, text + begin, size, size)
            if piece_id < 0:
                piece_id = self.vocab.unknown_index
        if self.has_unused and piece_id >= 0 and self.vocab.types[piece_id] == UNUSED:
            return self.emit_parts(text, begin, size, scratch, tokens, 0)
        tokens.push_back(Token(piece_id, begin, begin + size))
        return 0

    cdef int emit_parts(
        self, const uint8_t* text, int32_t begin, int32_t size, BpeScratch scratch,
        vector[Token]& tokens, int32_t depth,
    ) except -1 nogil:
        """Append the tokens of a symbol; an UNUSED piece is split like its last candidate, and so are its parts."""
        cdef int32_t piece_id = find_id(&self.table.view, text + begin, size, size)
        cdef int32_t split = 0
        if piece_id < 0:
            piece_id = self.vocab.unknown_index
        elif depth <= MAX_SPLIT_DEPTH and self.vocab.types[piece_id] == UNUSED:
            split = scratch.split_sizes[piece_id]
            if split:
                self.emit_parts(text, begin, split, scratch, tokens, depth + 1)
                return self.emit_parts(text, begin + split, size - split, scratch, tokens, depth + 1)
            piece_id = self.vocab.unknown_index
        tokens.push_back(Token(piece_id, begin, begin + size))
        return 0


cdef void merge_window(
    const TableView* table, const uint8_t* text, const Symbol* symbols, int32_t n, MergeArray* few,
) noexcept nogil:
    """Merge `n` symbols of a text, at most FEW_SYMBOLS, as if there were no others."""
    cdef uint8_t window[FEW_SYMBOLS * MAX_UNIT_BYTES + KEY_BYTES]
    cdef int32_t first = symbols[0].begin, k
    cdef int32_t size = symbols[n - 1].begin + symbols[n - 1].size - first
    memcpy(window, text + first, size)
    start_few(few)
    for k in range(n):
        add_symbol(few, symbols[k].begin - first)
    merge_few(table, window, size, few)


cdef bint find_shared(
    const MergeArray* few, int32_t first, const vector[Token]& tokens, size_t* k, int32_t* i,
) noexcept nogil:
    """Find the first token that a window has too, from token `k` and symbol `i` on; set both to it. False: none.

    first: byte offset at which the window, token `k` and symbol `i` begin.
    """
    cdef int32_t begin, end
    while k[0] < tokens.size() and i[0] <= few.n:
        begin = first + few.begins[i[0]]
        end = first + few.begins[few.next[i[0]]]
        if tokens[k[0]].begin == begin and tokens[k[0]].end == end:
            return True
        if tokens[k[0]].end <= end:
            k[0] += 1
        else:
            i[0] = few.next[i[0]]
    return False
