"""BPE of one chunk: symbols merge by rank, in an array while they are few, else in windows or by a heap.

`merge_short` serves the chunk cache, and `append_next` any text. The hot loop, `merge_few`, is in merge_array.pxd.
Header: bpe.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport KEY_BYTES
from spm_lite.base.structures.random cimport RandomStream, next_uniform
from spm_lite.encode.segment.bpe cimport PAIR_BYTES, add_pairs, is_joinable
from spm_lite.encode.segment.merge_array cimport (
    FEW_SYMBOLS, MergeArray, add_symbol, collect_ids, merge_few, start_few, symbol_size,
)
from spm_lite.encode.segment.merge_heap cimport Candidate, pop_merge, push_merge
from spm_lite.encode.segment.pair_merges cimport FIRST, LAST, NO_RANK, MergeSlot, PairMerges, find_merge
from spm_lite.encode.segment.merge_windows cimport SHARED_PART, find_shared, larger_window, next_window
from spm_lite.encode.segment.piece_table cimport NO_NUMBER, PieceTable, TableView, find_id, find_number, rank_at
from spm_lite.encode.segment.segmenter cimport TOKENS_AT_ONCE, Scratch, Segmenter, Token, go_on, look_around, unit_size
from spm_lite.vocab.piece_trie cimport build_piece_trie, match_symbol
from spm_lite.vocab.vocab cimport UNUSED, USER_DEFINED, Vocab

cdef enum:
    MAX_UNIT_BYTES = 4
    MERGE_WORK = 8              # merging a byte takes so many times longer than other work on it
    SIGNAL_MERGES = 1 << 18     # candidates of one window or chunk between two checks for signals
    LATER_SHIFT = 3             # if an eighth of all merges come later than the first that joins words, most words do


@cython.final
cdef class BpeScratch(Scratch):
    """Buffers for the symbols, candidates and tokens of one window or chunk; they grow and are reused."""

    cdef void start(self) noexcept nogil:
        self.sure_end = 0
        self.progress.is_open = False
        self.clear()

    cdef void clear(self) noexcept nogil:
        """Clear what the heap has left."""
        cdef size_t i
        for i in range(self.split_ids.size()):
            self.split_sizes[self.split_ids[i]] = 0
        self.split_ids.clear()
        self.symbols.clear()
        self.heap.clear()
        self.dropped.clear()

    cdef void open_chunk(self, int32_t begin, int32_t n_symbols) noexcept nogil:
        """Begin a chunk, in windows of `n_symbols`."""
        self.progress = Progress(begin, begin, n_symbols, True, False)
        self.last.clear()


@cython.final
cdef class BpeSegmenter(Segmenter):
    """BPE. `merge_short` merges a short chunk in one array (see merge_array.pxd): nearly all chunks go this way.

    A longer chunk is merged in overlapping windows (see merge_windows.pxd): of such arrays, in linear time, or, where
    two of them share no token, of more symbols with a heap of candidates (O(n log n)). BPE-dropout and UNUSED pieces
    need the heap for whole chunks.

    A chunk ends between two bytes that are neighbours in no piece, and at user-defined symbols. Nothing merges across
    such a place, so chunks are independent. With UNUSED pieces the whole text is one chunk: such a piece is split like
    its last candidate anywhere in the text. With a list of merges, `merge_listed` does all that in its own way.
    Source: Sennrich, Haddow, Birch 2016.
    """

    def __cinit__(self, Vocab vocab not None, bint compact):
        cdef int32_t longest = 0
        build_piece_trie(vocab, compact, 1 << USER_DEFINED, self.symbol_units, &longest)
        self.has_symbols = longest > 0
        self.heap_window = HEAP_WINDOW
        # Symbols are found before all merges, so nothing that merges can spell one. A list of merges may make one.
        self.table = PieceTable(vocab, compact, vocab.merge_list is not None)
        self.fill_joinable()
        if vocab.merge_list is not None:
            self.listed = PairMerges(vocab, self.table)
            self.has_unused = False  # no text becomes such a piece, and no merge needs one
        self.first_joining = <uint32_t> NO_NUMBER

    cdef int fill_joinable(self) except -1:
        cdef const uint8_t* text = self.table.texts.data()
        cdef const uint32_t* begins = self.table.begins.data()
        cdef int32_t i
        self.joinable.resize(PAIR_BYTES, 0)
        for i in range(self.vocab.size):
            add_pairs(self.joinable.data(), text + begins[i], <int32_t> (begins[i + 1] - begins[i]))
            self.has_unused |= self.vocab.types[i] == UNUSED and begins[i] < begins[i + 1]
        return 0

    cdef void find_first_joining(self) noexcept nogil:
        """Set `first_joining`, unless many merges inside words come later."""
        cdef const TableView* table = &self.table.view
        cdef const uint8_t* text
        cdef uint32_t number, first = NO_NUMBER, n_later = 0
        cdef int32_t size
        if self.has_symbols or self.listed is not None:
            return
        for number in range(table.n_pieces):
            text = table.texts + table.begins[table.ids[number]]
            size = <int32_t> (table.begins[table.ids[number] + 1] - table.begins[table.ids[number]])
            if next_word(text, size, 0) < size:
                first = min(first, rank_at(table, number))
            elif first != <uint32_t> NO_NUMBER and size > unit_size(text, size, True):
                n_later += 1
        if n_later <= table.n_pieces >> LATER_SHIFT:
            self.first_joining = first

    cdef Scratch new_scratch(self):
        scratch = BpeScratch()
        scratch.stream = NULL
        if self.has_unused:
            scratch.split_sizes.resize(self.vocab.size, 0)
        return scratch

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef int32_t begin = 0
        tokens.clear()
        scratch.start()
        if self.listed is not None:
            return self.merge_listed(text, size, <BpeScratch> scratch, tokens)
        if self.has_unused or (<BpeScratch> scratch).stream != NULL:
            return self.merge_whole(text, size, <BpeScratch> scratch, tokens)
        while begin < size:
            begin = self.append_next(text, size, begin, <size_t> size, <BpeScratch> scratch, tokens)
        return 0

    cdef int32_t segment_next(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        tokens.clear()
        if self.listed is not None:
            self.merge_listed(text, size, <BpeScratch> scratch, tokens)
            scratch.sure_end = size
            return size
        if not self.has_unused:
            return self.append_next(text, size, begin, TOKENS_AT_ONCE, <BpeScratch> scratch, tokens)
        self.merge_whole(text, size, <BpeScratch> scratch, tokens)
        scratch.sure_end = size
        return size

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

    cdef int merge_whole(
        self, const uint8_t* text, int32_t size, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Cut the text into symbols; merge them with a heap whenever a chunk is complete."""
        cdef vector[Symbol]* symbols = &scratch.symbols
        cdef const uint8_t* joinable = self.joinable.data()
        cdef const uint32_t* symbol_units = self.symbol_units.data() if self.has_symbols else NULL
        cdef int32_t begin = 0, prev = -1, length, piece_id = -1
        cdef bint is_symbol, was_symbol = True, is_bytes = self.vocab.is_bytes
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
                    self.merge_chunk(text, scratch, tokens)
            if prev >= 0:
                symbols.back().next = prev + 1
            symbols.push_back(Symbol(begin, length, prev, -1, piece_id))
            prev = <int32_t> symbols.size() - 1
            was_symbol = is_symbol
            begin += length
            go_on(scratch, length)
        return self.merge_chunk(text, scratch, tokens)

    cdef int merge_listed(
        self, const uint8_t* text, int32_t size, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Merge a text by a list of merges, a part after the other. All of the text is one part if that matters."""
        cdef int32_t begin = 0, length, piece_id = -1
        while begin < size:
            if self.has_symbols:
                length = match_symbol(self.symbol_units.data(), text + begin, size - begin, &piece_id)
                if length > 0:
                    tokens.push_back(Token(piece_id, begin, begin + length))
                    begin += length
                    go_on(scratch, length)
                    continue
            length = self.add_part(text, size, begin, scratch, tokens) - begin
            begin += length
            go_on(scratch, <int64_t> MERGE_WORK * length)
        return 0

    cdef int32_t add_part(
        self, const uint8_t* text, int32_t size, int32_t begin, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Append the tokens of the part of a text that begins at `begin`; return its end.

        A character that vanishes is in the token before it, or after it at the start of a part.
        """
        cdef int32_t pos = begin, first = begin, length, n = 0, i, piece_id, symbol_id = -1
        cdef int place = 0 if scratch.goes_on else FIRST
        cdef bint is_last = False, is_bytes = self.vocab.is_bytes
        while not is_last:
            length = 1 if is_bytes else unit_size(text + pos, size - pos, self.compact)
            is_last = pos + length == size or not self.listed.needs_whole and not is_joinable(
                self.joinable.data(), text[pos + length - 1], text[pos + length]
            ) or self.has_symbols and match_symbol(
                self.symbol_units.data(), text + pos + length, size - pos - length, &symbol_id
            ) > 0
            piece_id = self.listed.find_char(
                text + pos, length, place | LAST if is_last and not scratch.is_open else place,
            )
            pos += length
            place = 0
            if piece_id < 0 and self.listed.drops_unknown:
                if n > 0:
                    scratch.symbols[n - 1].size = pos - scratch.symbols[n - 1].begin
                    first = pos
                continue
            scratch.symbols.push_back(Symbol(first, pos - first, n - 1, n + 1, piece_id))
            n += 1
            first = pos
        if self.listed.looks_up and scratch.stream == NULL and not scratch.goes_on:
            piece_id = self.listed.find_piece(text + begin, pos - begin)
            if piece_id >= 0:
                tokens.push_back(Token(piece_id, begin, pos))
                scratch.clear()
                return pos
        if n == 0:
            return pos
        scratch.symbols[n - 1].next = -1
        if scratch.stream == NULL or not scratch.dropout >= 1:
            for i in range(n - 1):
                self.propose(text, i, scratch)
            self.merge_all(text, scratch)
        self.emit_listed(scratch, tokens)
        scratch.clear()
        return pos

    cdef int emit_listed(self, BpeScratch scratch, vector[Token]& tokens) except -1 nogil:
        """Append the tokens of the symbols that remain, unknown ones as the vocabulary has it."""
        cdef const Symbol* symbol = scratch.symbols.data()
        cdef const Symbol* end = symbol + scratch.symbols.size()
        cdef int32_t unknown = self.vocab.unknown_index, piece_id
        while symbol < end:
            if symbol.size:
                piece_id = symbol.piece_id if symbol.piece_id >= 0 else unknown
                if self.listed.fuses and symbol.piece_id < 0 and not tokens.empty() and (
                    tokens.back().piece_id == unknown and tokens.back().end == symbol.begin
                ):
                    tokens.back().end = symbol.begin + symbol.size
                else:
                    tokens.push_back(Token(piece_id, symbol.begin, symbol.begin + symbol.size))
            symbol += 1
        return 0

    cdef int merge_chunk(
        self, const uint8_t* text, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Merge the symbols of a chunk, append the tokens of the symbols that remain, and clear the scratch."""
        cdef Symbol* symbols = scratch.symbols.data()
        cdef int32_t n_symbols = <int32_t> scratch.symbols.size()
        cdef int32_t i
        if scratch.stream == NULL or not scratch.dropout >= 1:
            for i in range(n_symbols - 1):
                if symbols[i].next >= 0:
                    self.propose(text, i, scratch)
            self.merge_all(text, scratch)
        for i in range(n_symbols):
            if symbols[i].size:
                self.emit_symbol(text, symbols[i].begin, symbols[i].size, symbols[i].piece_id, scratch, tokens)
        scratch.clear()
        return 0

    cdef int32_t append_next(
        self, const uint8_t* text, int32_t size, int32_t begin, size_t n_most, BpeScratch scratch,
        vector[Token]& tokens,
    ) except -1 nogil:
        """Append tokens from `begin` on until there are `n_most`, or the text ends; return where they end.

        As `segment_next`. Tokens that may be withdrawn come in calls of their own, so that all others are sure.
        """
        cdef Progress* progress = &scratch.progress
        cdef size_t n_sure = 0
        cdef int32_t length, piece_id = -1
        cdef bint is_out
        while begin < size and tokens.size() < n_most:
            if not progress.is_open:
                n_sure = tokens.size()
                scratch.sure_end = begin
                length = 0
                if self.has_symbols:
                    length = match_symbol(self.symbol_units.data(), text + begin, size - begin, &piece_id)
                if length:
                    tokens.push_back(Token(piece_id, begin, begin + length))
                    begin += length
                    go_on(scratch, length)
                    continue
                scratch.open_chunk(begin, FEW_SYMBOLS)
            if self.append_window(text, size, scratch, tokens):
                go_on(scratch, <int64_t> MERGE_WORK * (progress.begin - begin))
                begin = progress.begin
                continue
            begin, is_out = progress.chunk_begin, progress.is_out
            scratch.open_chunk(begin, larger_window(progress.n_symbols, self.heap_window))
            tokens.resize(n_sure)
            if is_out:
                return begin
        if not progress.is_open:
            scratch.sure_end = begin
        elif n_sure and not progress.is_out:
            progress.is_open = False
            tokens.resize(n_sure)
            return progress.chunk_begin
        progress.is_out = True
        return begin

    cdef bint append_window(
        self, const uint8_t* text, int32_t size, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Merge the next window of a chunk; append the tokens before the one after it, or up to the chunk's end.

        False: it shares no token with the window before, or the next one would get no further.
        """
        cdef Progress* progress = &scratch.progress
        cdef const Token* last
        cdef const Token* window
        cdef size_t n_last = 0, n_skipped = 0, n_window, k
        if progress.n_symbols > FEW_SYMBOLS:
            self.merge_many(text, size, scratch)
        else:
            self.merge_array(text, size, scratch)
        if progress.begin > progress.chunk_begin:
            if not find_shared(scratch.last, scratch.window, &n_last, &n_skipped):
                return False
        n_window = next_window(scratch.window, n_skipped, scratch.place.latest, scratch.place.is_last)
        if n_window == 0:
            return False
        last = scratch.last.data()
        for k in range(n_last):
            self.emit_symbol(text, last[k].begin, last[k].end - last[k].begin, last[k].piece_id, scratch, tokens)
        window = scratch.window.data()
        for k in range(n_skipped, n_window):
            self.emit_symbol(
                text, window[k].begin, window[k].end - window[k].begin, window[k].piece_id, scratch, tokens,
            )
        scratch.last.assign(scratch.window.begin() + <ptrdiff_t> n_window, scratch.window.end())
        progress.begin = scratch.place.end if scratch.last.empty() else scratch.last.front().begin
        progress.is_open = not scratch.place.is_last
        return True

    cdef int merge_array(self, const uint8_t* text, int32_t size, BpeScratch scratch) except -1 nogil:
        """Set `scratch.window` to the tokens of the next FEW_SYMBOLS of a chunk, as if there were no others."""
        cdef uint8_t copy[FEW_SYMBOLS * MAX_UNIT_BYTES + KEY_BYTES]
        cdef MergeArray few
        cdef int32_t first = scratch.progress.begin, pos = 0, i = 1
        cdef int32_t room = min(size - first, <int32_t> (FEW_SYMBOLS * MAX_UNIT_BYTES))
        cdef bint is_last = False, is_bytes = self.vocab.is_bytes
        memcpy(copy, text + first, room)
        start_few(&few)
        while not is_last and few.n < FEW_SYMBOLS:
            add_symbol(&few, pos)
            if is_bytes:
                pos += 1
            elif self.compact:
                pos += symbol_size(copy + pos, room - pos)
            else:
                pos += unit_size(copy + pos, room - pos, False)
            is_last = self.ends_chunk(text, size, first + pos)
        merge_few(&self.table.view, copy, pos, &few, self.table.view.byte_pairs)
        scratch.place = WindowPlace(first + pos, first + few.begins[few.n - few.n // SHARED_PART + 1], is_last)
        scratch.window.clear()
        while i <= few.n:
            scratch.window.push_back(Token(few.ids[i], first + few.begins[i], first + few.begins[few.next[i]]))
            i = few.next[i]
        return 0

    cdef int merge_many(self, const uint8_t* text, int32_t size, BpeScratch scratch) except -1 nogil:
        """Set `scratch.window` to the tokens of the next symbols, as many as `progress` says, with a heap."""
        cdef int32_t pos = scratch.progress.begin, n_most = scratch.progress.n_symbols, n = 0, length, i
        cdef Symbol* symbols
        cdef bint is_last = False, is_bytes = self.vocab.is_bytes
        while not is_last and n < n_most:
            length = 1 if is_bytes else unit_size(text + pos, size - pos, self.compact)
            scratch.symbols.push_back(Symbol(pos, length, n - 1, n + 1, -1))
            n += 1
            pos += length
            is_last = self.ends_chunk(text, size, pos)
        symbols = scratch.symbols.data()
        symbols[n - 1].next = -1
        scratch.place = WindowPlace(pos, symbols[min(n - n // SHARED_PART, n - 1)].begin, is_last)
        for i in range(n - 1):
            self.propose(text, i, scratch)
        self.merge_all(text, scratch)
        scratch.window.clear()
        for i in range(n):
            if symbols[i].size:
                scratch.window.push_back(
                    Token(symbols[i].piece_id, symbols[i].begin, symbols[i].begin + symbols[i].size)
                )
        scratch.clear()
        return 0

    cdef inline bint ends_chunk(self, const uint8_t* text, int32_t size, int32_t pos) noexcept nogil:
        """Whether a chunk ends at `pos`, the end of a symbol that is not user-defined."""
        cdef int32_t piece_id = -1
        if pos == size or not is_joinable(self.joinable.data(), text[pos - 1], text[pos]):
            return True
        return self.has_symbols and match_symbol(self.symbol_units.data(), text + pos, size - pos, &piece_id) > 0

    cdef int32_t merge_short(self, const uint8_t* text, int32_t size, int32_t* ids, bint* is_late) noexcept nogil:
        """Fill `ids` with the ids of a short chunk, at most `size`, and return their number.

        No UNUSED piece can be in the chunk, and KEY_BYTES from any place in it must be readable. 0: call `segment`,
        as there are more than FEW_SYMBOLS symbols, a user-defined one, or an unknown one that is not replaced by byte
        pieces.
        is_late: set to whether some merge may come after one that joins words (`merge_words`).
        """
        cdef TableView table = self.table.view  # a copy: writes to the symbols cannot change it, as the compiler sees
        cdef MergeArray few
        cdef const uint32_t* symbol_units = self.symbol_units.data() if self.has_symbols else NULL
        cdef const int32_t* byte_ids = &self.vocab.byte_ids[0] if self.vocab.byte_fallback else NULL
        cdef int32_t begin = 0, piece_id = -1
        cdef bint is_bytes = self.vocab.is_bytes
        if self.listed is not None:
            return 0 if self.has_symbols else self.listed.merge_short(text, size, self.compact, ids)
        start_few(&few)
        while begin < size:
            if few.n == FEW_SYMBOLS:
                return 0
            if symbol_units != NULL and match_symbol(symbol_units, text + begin, size - begin, &piece_id):
                return 0
            add_symbol(&few, begin)
            begin += 1 if is_bytes else symbol_size(text + begin, size - begin)
        merge_few(&table, text, size, &few, table.byte_pairs)
        is_late[0] = few.last_rank >= self.first_joining
        return collect_ids(&table, text, &few, byte_ids, ids)

    cdef int32_t merge_words(
        self, const uint8_t* text, int32_t size, const int32_t* words, int32_t n, int32_t* ids,
    ) noexcept nogil:
        """As `merge_short`, from the ids of the words of the chunk, none of which is late; 0: call `merge_short`.

        Until the first merge that joins words, each word merges for itself. If no word has a merge that may come
        later, all words are merged by then.
        """
        cdef MergeArray few
        cdef const uint32_t* begins = self.table.view.begins
        cdef int32_t begin = 0, k
        if n > <int32_t> FEW_SYMBOLS:
            return 0
        start_few(&few)
        for k in range(n):
            add_symbol(&few, begin)
            few.ids[few.n] = words[k]
            begin += <int32_t> (begins[words[k] + 1] - begins[words[k]])
        if begin != size:
            return 0  # pieces of bytes
        merge_few(&self.table.view, text, size, &few, NULL)
        return collect_ids(&self.table.view, text, &few, NULL, ids)

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
        cdef const MergeSlot* merge
        cdef uint32_t number
        cdef int32_t piece_id, size
        if a.next < 0:
            return 0
        size = a.size + symbols[a.next].size
        if self.listed is not None:
            merge = find_merge(&self.listed.view, a.piece_id, symbols[a.next].piece_id)
            if merge.rank != <uint32_t> NO_RANK:
                push_merge(
                    scratch.heap, Candidate(<uint64_t> merge.rank << 32 | <uint32_t> left, merge.piece_id, size)
                )
            return 0
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
