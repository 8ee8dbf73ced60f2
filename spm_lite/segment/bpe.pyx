import os

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

from spm_lite.machine cimport prefetch
from spm_lite.segment.piece_trie cimport build_piece_trie, match_symbol
from spm_lite.segment.random cimport Stream, next_uniform
from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token, unit_size
from spm_lite.vocab.vocab cimport UNUSED, USER_DEFINED, Vocab, is_plain

# Byte strings are polynomials in this odd number, modulo 2^64. A file's author does not know it, so no file can make
# all its pieces share one run of slots; ids do not depend on it.
cdef uint64_t HASH_BASE = <uint64_t> int.from_bytes(os.urandom(8), "little") | 1


cdef inline uint64_t hash_bytes(const uint8_t* text, int32_t size) noexcept nogil:
    """hash(xy) = hash(x) * base^|y| + hash(y), so neighbours are looked up without reading their text."""
    cdef uint64_t value = 0
    cdef int32_t i
    for i in range(size):
        value = value * HASH_BASE + text[i] + 1
    return value


cdef inline uint64_t pack_bytes(const uint8_t* text, int32_t size) noexcept nogil:
    """The bytes of a string of at most PACKED_BYTES in one word; of a longer one nothing."""
    cdef uint64_t packed = 0
    cdef int32_t i
    if size <= PACKED_BYTES:
        for i in range(size):
            packed |= <uint64_t> text[i] << 8 * i
    return packed


cdef inline uint64_t key_of(uint64_t packed, uint64_t hash, int32_t size) noexcept nogil:
    """What a string is looked up by: a short one by itself, which needs no second look at its text."""
    if size <= PACKED_BYTES:
        return packed | <uint64_t> size << 56
    return hash | LONG_KEY


cdef inline bint is_joinable(const uint8_t* joinable, uint8_t left, uint8_t right) noexcept nogil:
    return joinable[<uint32_t> left << 5 | right >> 3] >> (right & 7) & 1


@cython.final
cdef class BpeScratch(Scratch):
    """Symbols and candidates of one chunk; grown by the first texts, then reused."""


@cython.final
cdef class BpeSegmenter(Segmenter):
    """Merging by a heap of candidates: O(n log n) in the size of a chunk.

    A chunk ends where no piece has the bytes on both sides next to each other: nothing merges across such a place,
    and chunks do not influence each other. With UNUSED pieces the whole text is one chunk, since the way such a
    piece is taken apart depends on the last time it was formed, anywhere. Source: Sennrich, Haddow, Birch 2016.
    """

    def __init__(self, Vocab vocab not None, bint compact):
        cdef int32_t longest = 0
        super().__init__(vocab, compact)
        build_piece_trie(vocab, compact, 1 << USER_DEFINED, self.symbol_units, &longest)
        self.has_symbols = longest > 0
        self.fill_texts()
        self.fill_table()

    cdef int fill_texts(self) except -1:
        """Pieces as they stand in normalized text, powers, joinable bytes."""
        cdef vector[uint8_t] piece
        cdef uint8_t* joinable
        cdef int32_t i, k, size
        cdef uint64_t power = 1
        self.joinable.resize(8192, 0)
        joinable = self.joinable.data()
        self.texts.reserve(self.vocab.texts.size())
        self.begins.reserve(<size_t> self.vocab.size + 1)
        self.begins.push_back(0)
        for i in range(self.vocab.size):
            size = -1
            if is_plain(self.vocab.types[i]):
                piece.clear()
                size = self.vocab.matchable(i, self.compact, piece)
            for k in range(1, size):
                joinable[<uint32_t> piece[k - 1] << 5 | piece[k] >> 3] |= 1 << (piece[k] & 7)
            if size > 0:
                self.texts.insert(self.texts.end(), piece.begin(), piece.begin() + size)
                self.longest = max(self.longest, size)
                self.has_unused |= self.vocab.types[i] == UNUSED
            self.begins.push_back(<uint32_t> self.texts.size())
        for _ in range(self.longest + 1):
            self.powers.push_back(power)
            power *= HASH_BASE
        return 0

    cdef int fill_table(self) except -1:
        cdef uint64_t n_slots = 16, slot, key
        cdef const uint8_t* text
        cdef PieceEntry entry
        cdef int32_t i, size
        self.shift = 60
        while n_slots < 2 * <uint64_t> self.vocab.size:
            n_slots *= 2
            self.shift -= 1
        self.table.resize(n_slots, PieceEntry(0, -1, 0))
        for i in range(self.vocab.size):
            size = <int32_t> (self.begins[i + 1] - self.begins[i])
            if size == 0:
                continue
            text = self.texts.data() + self.begins[i]
            key = key_of(pack_bytes(text, size), hash_bytes(text, size), size)
            entry = PieceEntry(key, i, rank_of(self.vocab.scores[i]))
            slot = key * HASH_BASE >> self.shift
            while self.table[slot].piece_id >= 0:
                slot = (slot + 1) & (n_slots - 1)
            self.table[slot] = entry
        return 0

    cdef Scratch new_scratch(self):
        scratch = BpeScratch()
        scratch.stream = NULL
        if self.has_unused:
            scratch.split_sizes.resize(self.vocab.size, 0)
        return scratch

    cdef inline const PieceEntry* find(self, uint64_t key, const uint8_t* text, int32_t size) noexcept nogil:
        """The entry of the piece with these bytes; NULL: none."""
        cdef const PieceEntry* table = self.table.data()
        cdef uint64_t mask = self.table.size() - 1
        cdef uint64_t slot = key * HASH_BASE >> self.shift
        cdef const uint32_t* begins
        while table[slot].piece_id >= 0:
            if table[slot].key == key:
                if size <= PACKED_BYTES:
                    return &table[slot]
                begins = self.begins.data() + table[slot].piece_id
                if begins[1] - begins[0] == <uint32_t> size and memcmp(self.texts.data() + begins[0], text, size) == 0:
                    return &table[slot]
            slot = (slot + 1) & mask
        return NULL

    cdef const PieceEntry* find_bytes(self, const uint8_t* text, int32_t size) noexcept nogil:
        """The same for a string of which nothing is known."""
        return self.find(key_of(pack_bytes(text, size), hash_bytes(text, size), size), text, size)

    cdef inline const PieceEntry* find_joined(
        self, const uint8_t* text, const Symbol* a, const Symbol* b,
    ) noexcept nogil:
        """The entry of the piece that two neighbours form; NULL: none."""
        cdef int32_t size = a.size + b.size
        if size <= PACKED_BYTES:
            return self.find(key_of(a.packed | b.packed << 8 * a.size, 0, size), text + a.begin, size)
        if size > self.longest:
            return NULL
        return self.find(key_of(0, a.hash * self.powers[b.size] + b.hash, size), text + a.begin, size)

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
        symbols.clear()
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
            symbols.push_back(Symbol(
                hash_bytes(text + begin, length), pack_bytes(text + begin, length), begin, length, prev, -1, piece_id,
            ))
            prev = <int32_t> symbols.size() - 1
            was_symbol = is_symbol
            begin += length
        self.merge_chunk(text, <BpeScratch> scratch, tokens)
        return 0

    cdef int segment_at_random(
        self, const uint8_t* text, int32_t size, double dropout, bint is_returning, Stream* stream, Scratch scratch,
        vector[Token]& tokens,
    ) except -1 nogil:
        """The same, where each candidate is dropped with probability `dropout` when its turn comes.

        is_returning: whether dropped candidates come back for the next merge, as in the paper (Provilkov, Emelianenko,
        Voita 2020), or are gone, as in the original. dropout: 0, less or NaN: no candidate is dropped; 1 or more: all.
        """
        (<BpeScratch> scratch).stream = stream
        (<BpeScratch> scratch).dropout = dropout
        (<BpeScratch> scratch).is_returning = is_returning
        self.segment(text, size, scratch, tokens)
        (<BpeScratch> scratch).stream = NULL
        return 0

    cdef int merge_chunk(
        self, const uint8_t* text, BpeScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Merge what can be merged, append the symbols that remain, and empty the scratch."""
        cdef Symbol* symbols = scratch.symbols.data()
        cdef int32_t n_symbols = <int32_t> scratch.symbols.size()
        cdef int32_t i
        if n_symbols <= FEW_SYMBOLS and scratch.stream == NULL and not self.has_unused:
            self.merge_few(text, scratch)
        elif scratch.stream == NULL or not scratch.dropout >= 1:
            for i in range(n_symbols - 1):
                if symbols[i].next >= 0:
                    self.propose(text, i, scratch)
            self.merge_all(text, scratch)
        for i in range(n_symbols):
            if symbols[i].size:
                self.emit_symbol(text, symbols[i].begin, symbols[i].size, symbols[i].piece_id, scratch, tokens)
        for i in range(<int32_t> scratch.split_ids.size()):
            scratch.split_sizes[scratch.split_ids[i]] = 0
        scratch.split_ids.clear()
        scratch.symbols.clear()
        return 0

    cdef void merge_few(self, const uint8_t* text, BpeScratch scratch) noexcept nogil:
        """Merge at most FEW_SYMBOLS symbols until no two form a piece, each time the first in order."""
        cdef uint64_t orders[FEW_SYMBOLS]
        cdef int32_t piece_ids[FEW_SYMBOLS]
        cdef Symbol* symbols = scratch.symbols.data()
        cdef int32_t n_symbols = <int32_t> scratch.symbols.size()
        cdef int32_t i, first
        for i in range(n_symbols):
            self.fetch(symbols, i)
        for i in range(n_symbols):
            orders[i] = self.order_of(text, symbols, i, &piece_ids[i])
        while n_symbols:
            first = 0
            for i in range(1, n_symbols):
                first = i if orders[i] < orders[first] else first
            if orders[first] == NO_MERGE:
                return
            orders[symbols[first].next] = NO_MERGE
            self.join(symbols, first, piece_ids[first])
            i = symbols[first].prev
            if i >= 0:
                self.fetch(symbols, i)
            orders[first] = self.order_of(text, symbols, first, &piece_ids[first])
            if i >= 0:
                orders[i] = self.order_of(text, symbols, i, &piece_ids[i])

    cdef inline void fetch(self, const Symbol* symbols, int32_t left) noexcept nogil:
        """Let the slot of what `left` and its right neighbour may form come from memory."""
        cdef const Symbol* a = symbols + left
        cdef const Symbol* b
        if a.next >= 0:
            b = symbols + a.next
            if a.size + b.size <= PACKED_BYTES:
                prefetch(
                    self.table.data()
                    + (key_of(a.packed | b.packed << 8 * a.size, 0, a.size + b.size) * HASH_BASE >> self.shift)
                )

    cdef inline uint64_t order_of(
        self, const uint8_t* text, const Symbol* symbols, int32_t left, int32_t* piece_id,
    ) noexcept nogil:
        """When `left` and its right neighbour merge, and to what; NO_MERGE: never."""
        cdef const PieceEntry* entry = NULL
        if symbols[left].next >= 0:
            entry = self.find_joined(text, symbols + left, symbols + symbols[left].next)
        if entry == NULL:
            return NO_MERGE
        piece_id[0] = entry.piece_id
        return <uint64_t> entry.rank << 32 | <uint32_t> left

    cdef inline void join(self, Symbol* symbols, int32_t left, int32_t piece_id) noexcept nogil:
        """Let a symbol absorb its right neighbour: together they are a piece."""
        cdef Symbol* a = symbols + left
        cdef Symbol* b = symbols + a.next
        if a.size + b.size <= PACKED_BYTES:
            a.packed |= b.packed << 8 * a.size
        a.hash = a.hash * self.powers[b.size] + b.hash
        a.size += b.size
        a.piece_id = piece_id
        a.next = b.next
        b.size = 0
        if a.next >= 0:
            symbols[a.next].prev = left

    cdef int propose(self, const uint8_t* text, int32_t left, BpeScratch scratch) except -1 nogil:
        """Add the candidate of `left` and its right neighbour, if they form a piece."""
        cdef const Symbol* a = scratch.symbols.data() + left
        cdef const Symbol* b = scratch.symbols.data() + a.next
        cdef const PieceEntry* entry = self.find_joined(text, a, b)
        if entry == NULL:
            return 0
        push_merge(scratch.heap, Merge(<uint64_t> entry.rank << 32 | <uint32_t> left, entry.piece_id, a.size + b.size))
        if self.has_unused and self.vocab.types[entry.piece_id] == UNUSED:
            if scratch.split_sizes[entry.piece_id] == 0:
                scratch.split_ids.push_back(entry.piece_id)
            scratch.split_sizes[entry.piece_id] = a.size
        return 0

    cdef int merge_all(self, const uint8_t* text, BpeScratch scratch) except -1 nogil:
        """Merge until no candidate is left."""
        cdef Symbol* symbols = scratch.symbols.data()
        cdef Symbol* a
        cdef Merge merge
        cdef int32_t left
        while not scratch.heap.empty():
            pop_merge(scratch.heap, &merge)
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
        scratch.dropped.clear()
        return 0

    cdef int emit_symbol(
        self, const uint8_t* text, int32_t begin, int32_t size, int32_t piece_id, BpeScratch scratch,
        vector[Token]& tokens,
    ) except -1 nogil:
        """Append a symbol that remains; piece_id -1: not looked up."""
        cdef const PieceEntry* entry
        if piece_id < 0:
            entry = self.find_bytes(text + begin, size)
            piece_id = self.vocab.unknown_index if entry == NULL else entry.piece_id
        if self.has_unused and piece_id >= 0 and self.vocab.types[piece_id] == UNUSED:
            return self.emit_parts(text, begin, size, scratch, tokens, 0)
        tokens.push_back(Token(piece_id, begin, begin + size))
        return 0

    cdef int emit_parts(
        self, const uint8_t* text, int32_t begin, int32_t size, BpeScratch scratch,
        vector[Token]& tokens, int32_t depth,
    ) except -1 nogil:
        """Append a symbol, taken apart as far as it is an UNUSED piece: the way it was last formed, anywhere."""
        cdef const PieceEntry* entry = self.find_bytes(text + begin, size)
        cdef int32_t piece_id = self.vocab.unknown_index if entry == NULL else entry.piece_id
        cdef int32_t split = 0
        if depth <= MAX_SPLIT_DEPTH and entry != NULL and self.vocab.types[piece_id] == UNUSED:
            split = scratch.split_sizes[piece_id]
            if split:
                self.emit_parts(text, begin, split, scratch, tokens, depth + 1)
                return self.emit_parts(text, begin + split, size - split, scratch, tokens, depth + 1)
            piece_id = self.vocab.unknown_index
        tokens.push_back(Token(piece_id, begin, begin + size))
        return 0


cdef inline int push_merge(vector[Merge]& heap, Merge merge) except -1 nogil:
    """Add to a binary heap whose smallest order is in front."""
    cdef size_t child = heap.size(), parent
    cdef Merge* entries
    heap.push_back(merge)
    entries = heap.data()
    while child:
        parent = (child - 1) >> 1
        if entries[parent].order <= merge.order:
            break
        entries[child] = entries[parent]
        child = parent
    entries[child] = merge
    return 0


cdef inline void pop_merge(vector[Merge]& heap, Merge* merge) noexcept nogil:
    """Take the front out of a heap that is not empty."""
    cdef Merge* entries = heap.data()
    cdef size_t n_entries = heap.size() - 1
    cdef size_t parent = 0, child = 1
    cdef Merge last = entries[n_entries]
    merge[0] = entries[0]
    heap.pop_back()
    while child < n_entries:
        if child + 1 < n_entries and entries[child + 1].order < entries[child].order:
            child += 1
        if last.order <= entries[child].order:
            break
        entries[parent] = entries[child]
        parent = child
        child = 2 * parent + 1
    if n_entries:
        entries[parent] = last
