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
    SHARED_SYMBOLS = 20         # of a window, at least, the next one has too
    SIGNAL_MERGES = 1 << 18     # candidates of one chunk, after which it looks for signals
    SIGNAL_WINDOWS = 1 << 12    # windows of one chunk, likewise


@cython.final
cdef class BpeScratch(Scratch):
    """Symbols and candidates of one chunk; grown by the first texts, then reused."""

    cdef void start(self) noexcept nogil:
        """Forget what a chunk has left, one that a signal has ended too."""
        cdef size_t i
        for i in range(self.split_ids.size()):
            self.split_sizes[self.split_ids[i]] = 0
        self.split_ids.clear()
        self.symbols.clear()
        self.heap.clear()
        self.dropped.clear()


@cython.final
cdef class BpeSegmenter(Segmenter):
    """Merging in windows of a chunk, in linear time, or by a heap of candidates, O(n log n).

    The latter where windows do not meet, where candidates are dropped at random, and with UNUSED pieces.

    A chunk ends where no piece has the bytes on both sides next to each other: nothing merges across such a place,
    and chunks do not influence each other. With UNUSED pieces the whole text is one chunk, since the way such a
    piece is taken apart depends on the last time it was formed, anywhere. Source: Sennrich, Haddow, Birch 2016.
    """

    def __init__(self, Vocab vocab not None, bint compact):
        cdef int32_t longest = 0
        super().__init__(vocab, compact)
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
        cdef bint is_symbol, was_symbol = True
        tokens.clear()
        (<BpeScratch> scratch).start()
        while begin < size:
            length = 0
            if symbol_units != NULL:
                length = match_symbol(symbol_units, text + begin, size - begin, &piece_id)
            is_symbol = length > 0
            if not is_symbol:
                length = unit_size(text + begin, size - begin, self.compact)
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
        """The same, where each candidate is dropped with probability `dropout` when its turn comes.

        is_returning: whether dropped candidates come back for the next merge, as in the paper (Provilkov, Emelianenko,
        Voita 2020), or are gone, as in the original. dropout: 0, less or NaN: no candidate is dropped; 1 or more: all.
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
        """Candidate what can be merged, append the symbols that remain, and empty the scratch."""
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
        """The same without a heap, FEW_SYMBOLS at a time; False: it cannot be done so, and nothing is appended.

        Tokens are what a text merges to exactly if any two neighbours of them, merged without the others, stay these:
        the first merge across a border would come for the two alone as well. Each window begins where a token of the
        one before it does, and shows that much for its own neighbours. So, where both have a token in common, those of
        the first up to it and those of the second behind it are the result. No symbol is user-defined.
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
        """The ids of a chunk that no UNUSED piece can be in, at most `size`; their number is returned.

        0: there are too many symbols, or one that is unknown, not spelled in bytes, or user-defined; `segment` tells.
        KEY_BYTES from any place in the chunk must be readable.
        """
        cdef TableView table = self.table.view  # a copy, so that what is written to the symbols cannot change it
        cdef MergeArray few
        cdef const uint32_t* symbol_units = self.symbol_units.data() if self.has_symbols else NULL
        cdef const int32_t* byte_ids = &self.vocab.byte_ids[0] if self.vocab.byte_fallback else NULL
        cdef int32_t begin = 0, piece_id = -1
        start_few(&few)
        while begin < size:
            if few.n == FEW_SYMBOLS:
                return 0
            if symbol_units != NULL and match_symbol(symbol_units, text + begin, size - begin, &piece_id):
                return 0
            add_symbol(&few, begin)
            begin += symbol_size(text + begin, size - begin)
        merge_few(&table, text, size, &few)
        return collect_ids(&table, text, &few, byte_ids, ids)

    cdef inline void join(self, Symbol* symbols, int32_t left, int32_t piece_id) noexcept nogil:
        """Let a symbol absorb its right neighbour: together they are a piece."""
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
        """Candidate until no candidate is left."""
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
                continue  # one of the two has changed
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
        """Append a symbol that remains; piece_id -1: not looked up."""
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
        """Append a symbol, taken apart as far as it is an UNUSED piece: the way it was last formed, anywhere."""
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
    """Candidate `n` symbols of a text, at most FEW_SYMBOLS, as if there were no others."""
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
    """Find a token that a window has too: number `k`, or one behind it, and the symbol number `i`, or one behind it.

    first: where the window begins, which token `k` and symbol `i` do. False: there is none.
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
