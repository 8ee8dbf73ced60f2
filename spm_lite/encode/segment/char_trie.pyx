"""Builds the array: codes by frequency, then nodes depth first, where 64 bases are tested at once in a bit set.

`finish` lists the steps. The hot loop is `find_room`. Header: char_trie.pxd.
"""

cimport cython
from libc.math cimport HUGE_VAL
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.radix_sort cimport PlacedKey, sort_keys
from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.intrinsics cimport first_bit
from spm_lite.base.system.pages cimport allocate_zeroed, free_zeroed

cdef enum:
    N_PAGES = (0x110000 >> PAGE_BITS) + 4   # ill-formed bytes come after the code points
    EMPTY_PAGE = 4              # shared by all characters in no piece; pages 0 to 3 always exist
    HEAD_UNITS = 3              # characters of a piece in one sort key
    UNIT_BITS = 21
    LINE_NODES = 4              # nodes in a cache line
    MOST_EXPECTED = 1 << 22     # most entries of a vector that are reserved at the start

cdef uint32_t UNIT_MASK = (1 << UNIT_BITS) - 1
cdef uint32_t NO_NODE = <uint32_t> 0xFFFFFFFF
cdef uint64_t ALL_BITS = <uint64_t> 0xFFFFFFFFFFFFFFFF
cdef CharNode UNUSED_NODE = CharNode(0, NO_NODE, 0, <float> -HUGE_VAL)


@cython.final
cdef class CharTrie:
    """A trie of pieces: `add` each one, then `finish` builds the array. Source: Aoe 1989 (check by the parent)."""

    def __cinit__(self, bint compact):
        self.compact = compact
        self.longest = 0
        self.n_codes = 1
        self.nodes = NULL
        self.piece_ids = NULL

    def __dealloc__(self):
        free_zeroed(&self.memory)

    cdef int expect(self, int32_t n_pieces, size_t n_chars) except -1 nogil:
        """Reserve memory for about so many: what is not used costs addresses only, growing costs time."""
        self.units.reserve(min(n_chars, <size_t> MOST_EXPECTED))
        self.keys.reserve(min(n_pieces, <int32_t> MOST_EXPECTED))
        return 0

    cdef int add(self, const uint8_t* text, int32_t size, float score, int32_t piece_id) except -1 nogil:
        """Add a piece of at least 1 byte that was not added before."""
        cdef size_t begin = self.units.size()
        cdef int32_t pos = 0, length
        cdef uint32_t unit = 0
        while pos < size:
            if self.compact:
                pos += read_symbol(text + pos, size - pos, &unit)
            else:
                unit = text[pos]
                pos += 1
            self.units.push_back(unit)
        length = <int32_t> (self.units.size() - begin)
        self.keys.push_back(PieceKey(begin, length, piece_id, score))
        self.longest = max(self.longest, length)
        return 0

    cdef int finish(self, float unknown_score, int32_t unknown_id) except -1 nogil:
        """Build the array. If compact, the unknown piece is entered for each character that is no piece by itself."""
        self.assign_codes()
        self.place_pieces()
        if self.compact:
            self.cover_chars(unknown_score, unknown_id)
        return self.settle()

    cdef int assign_codes(self) except -1 nogil:
        """Give the characters their codes, the most frequent first."""
        cdef vector[PlacedKey] ordered
        cdef size_t i
        cdef uint32_t page, unit, count
        refill(self.pages, N_PAGES, EMPTY_PAGE)
        for page in range(EMPTY_PAGE):
            self.pages[page] = page
        refill(self.codes, (EMPTY_PAGE + 1) << PAGE_BITS, 0)
        for i in range(self.units.size()):
            self.codes[self.place_of(self.units[i])] += 1
        for page in range(N_PAGES):
            if self.pages[page] != EMPTY_PAGE:
                for unit in range(page << PAGE_BITS, (page + 1) << PAGE_BITS):
                    count = self.codes[self.place_of(unit)]
                    if count:
                        ordered.push_back(PlacedKey(<uint64_t> ~count << 32 | unit, unit))
        sort_keys(ordered, 0, ordered.size(), self.spare)
        for i in range(ordered.size()):
            self.codes[self.place_of(ordered[i].second)] = <uint32_t> i + 1
        self.n_codes = <uint32_t> ordered.size() + 1
        return 0

    cdef size_t place_of(self, uint32_t unit) except? 0 nogil:
        """The index in `codes` of a character; adds its page if there is none."""
        cdef size_t page = unit >> PAGE_BITS
        if self.pages[page] == EMPTY_PAGE:
            self.pages[page] = self.codes.size() >> PAGE_BITS
            self.codes.resize(self.codes.size() + (1 << PAGE_BITS), 0)
        return <size_t> self.pages[page] << PAGE_BITS | (unit & ((1 << PAGE_BITS) - 1))

    cdef int place_pieces(self) except -1 nogil:
        """Place the nodes depth first in the order of characters, so that the nodes of one script lie together."""
        cdef vector[Family] stack
        cdef vector[PlacedKey] entries
        cdef vector[uint32_t] codes
        cdef CharCodes table = self.view()
        cdef Family family
        cdef uint32_t unit, last
        cdef int32_t shift
        cdef size_t i
        self.placed.reserve(min(2 * self.n_codes + self.units.size(), <size_t> MOST_EXPECTED))
        self.placed_ids.reserve(self.placed.capacity())
        entries.reserve(self.keys.size())
        self.placed.resize(self.n_codes, UNUSED_NODE)
        self.placed_ids.resize(self.n_codes, -1)
        refill(self.used, self.n_codes // 64 + 1, ALL_BITS)
        for i in range(N_KINDS):
            self.cursors[i] = 64 * <uint32_t> self.used.size()
        self.end = self.n_codes
        for i in range(self.keys.size()):
            entries.push_back(PlacedKey(0, <uint32_t> i))
        stack.push_back(Family(0, entries.size(), 0, NO_NODE))
        while not stack.empty():
            family = stack.back()
            stack.pop_back()
            if family.end - family.begin == 1 and family.node != NO_NODE:
                self.place_rest(family, self.keys[entries[family.begin].second])
                continue
            if family.depth % HEAD_UNITS == 0:
                self.sort_pieces(family, entries)
            shift = UNIT_BITS * (HEAD_UNITS - 1 - family.depth % HEAD_UNITS)
            codes.clear()
            last = 0
            for i in range(family.begin, family.end):
                unit = <uint32_t> (entries[i].first >> shift) & UNIT_MASK
                if unit == 0:
                    self.placed[family.node].score = self.keys[entries[i].second].score
                    self.placed_ids[family.node] = self.keys[entries[i].second].piece_id
                elif unit != last:
                    codes.push_back(code_of(&table, unit - 1))
                    if last:
                        stack.back().end = i
                    stack.push_back(Family(i, family.end, family.depth + 1, codes.back()))
                    last = unit
            if family.node == NO_NODE or codes.empty():
                continue
            self.place_children(family.node, codes)
            for i in range(codes.size()):
                stack[stack.size() - codes.size() + i].node = self.placed[family.node].base + codes[i]
        return 0

    cdef int place_rest(self, Family family, PieceKey key) except -1 nogil:
        """Place the remaining nodes of a piece that shares them with no other piece."""
        cdef CharCodes table = self.view()
        cdef const uint32_t* units = self.units.data() + key.begin
        cdef uint32_t node = family.node, code, base
        cdef int32_t k
        for k in range(family.depth, key.length):
            code = code_of(&table, units[k])
            base = self.find_only_base(node, code)
            self.place_child(node, base, code)
            node = base + code
        self.placed[node].score = key.score
        self.placed_ids[node] = key.piece_id
        return 0

    cdef int sort_pieces(self, Family family, vector[PlacedKey]& entries) except -1 nogil:
        """Sort the pieces of a family by their next HEAD_UNITS characters."""
        cdef PieceKey key
        cdef uint64_t head
        cdef size_t i
        cdef int32_t k
        for i in range(family.begin, family.end):
            key = self.keys[entries[i].second]
            head = 0
            for k in range(family.depth, family.depth + HEAD_UNITS):
                head = head << UNIT_BITS | (self.units[key.begin + k] + 1 if k < key.length else 0)
            entries[i].first = head
        if family.end - family.begin > 1:
            sort_keys(entries, family.begin, family.end, self.spare)
        return 0

    cdef int place_children(self, uint32_t node, const vector[uint32_t]& codes) except -1 nogil:
        """Find a base at which the slots of all children are free, and take these slots."""
        cdef uint32_t base
        cdef size_t i
        base = self.find_base(codes) if codes.size() > 1 else self.find_only_base(node, codes[0])
        for i in range(codes.size()):
            self.place_child(node, base, codes[i])
        return 0

    cdef inline int place_child(self, uint32_t node, uint32_t base, uint32_t code) except -1 nogil:
        """Place one child of a node; `base` is the same for all its children."""
        cdef uint32_t child = base + code
        if child >= self.placed.size():
            self.placed.resize(<size_t> child + 1, UNUSED_NODE)
            self.placed_ids.resize(<size_t> child + 1, -1)
        self.end = max(self.end, base + self.n_codes)
        self.used[child >> 6] |= <uint64_t> 1 << (child & 63)
        self.placed[child].parent = node
        self.placed[node].base = base
        self.placed[node].filter |= <uint32_t> 1 << (code & 31)
        return 0

    cdef inline uint32_t find_only_base(self, uint32_t node, uint32_t code) except? 0 nogil:
        """Find a base for an only child: near its parent if a node is free there, since a walk reads both."""
        cdef uint32_t begin = node // LINE_NODES * LINE_NODES
        cdef uint64_t room = 0
        self.read_room(begin, &room)
        if not room:
            begin = self.cursors[0]
            self.read_room(begin, &room)
            while not room:
                begin += 64
                self.read_room(begin, &room)
            self.cursors[0] = begin
        return begin + first_bit(room) - code

    cdef inline int read_room(self, uint32_t begin, uint64_t* room) except -1 nogil:
        """Set bit k of `room` exactly if node begin + k is free."""
        if (begin >> 6) + 1 >= self.used.size():
            self.used.resize((begin >> 6) + 2, 0)
        room[0] = ~bits_at(self.used.data(), begin)
        return 0

    cdef uint32_t find_base(self, const vector[uint32_t]& codes) except? 0 nogil:
        """Find a base for children with these codes; 64 bases are tested together.

        The search starts where the last family of about the same size found room.
        """
        cdef uint32_t first = codes[0], begin
        cdef uint64_t room = 0
        cdef size_t i
        cdef int kind = 0
        for i in range(1, codes.size()):
            first = min(first, codes[i])
        while kind < N_KINDS - 1 and codes.size() > <size_t> 1 << kind:
            kind += 1
        begin = self.cursors[kind]
        self.find_room(begin, first, codes, &room)
        while not room:
            begin += 64
            self.find_room(begin, first, codes, &room)
        self.cursors[kind] = begin
        return begin + first_bit(room) - first

    cdef int find_room(
        self, uint32_t begin, uint32_t first, const vector[uint32_t]& codes, uint64_t* room,
    ) except -1 nogil:
        """Set bit k of `room` exactly if all children find free nodes with the one of code `first` at begin + k.

        first: the least of the codes.
        """
        cdef uint64_t one = 0
        cdef size_t i
        room[0] = ALL_BITS
        for i in range(codes.size()):
            self.read_room(begin + codes[i] - first, &one)
            room[0] &= one
            if not room[0]:
                break
        return 0

    cdef int cover_chars(self, float unknown_score, int32_t unknown_id) noexcept nogil:
        """Enter the unknown piece at each first character that is no piece by itself."""
        cdef uint32_t code
        for code in range(self.n_codes):
            if self.placed[code].score == -HUGE_VAL:
                self.placed[code].score = unknown_score
                self.placed_ids[code] = unknown_id
        return 0

    cdef int settle(self) except -1 nogil:
        """Free the buffers of the build, and move nodes and ids to their final memory."""
        cdef size_t node_bytes = <size_t> self.end * sizeof(CharNode), id_bytes = <size_t> self.end * sizeof(int32_t)
        cdef uint8_t* memory
        self.units = vector[uint32_t]()
        self.keys = vector[PieceKey]()
        self.used = vector[uint64_t]()
        self.spare = vector[PlacedKey]()
        self.placed.resize(self.end, UNUSED_NODE)
        self.placed_ids.resize(self.end, -1)
        memory = <uint8_t*> allocate_zeroed(node_bytes + id_bytes, &self.memory)
        if memory == NULL:
            with gil:
                raise MemoryError(f"not enough memory for the {node_bytes + id_bytes} bytes of the array of all pieces")
        memcpy(memory, self.placed.data(), node_bytes)
        memcpy(memory + node_bytes, self.placed_ids.data(), id_bytes)
        self.nodes = <const CharNode*> memory
        self.piece_ids = <const int32_t*> (memory + node_bytes)
        self.placed = vector[CharNode]()
        self.placed_ids = vector[int32_t]()
        return 0

    cdef CharCodes view(self) noexcept nogil:
        return CharCodes(self.pages.data(), self.codes.data())


cdef inline uint64_t bits_at(const uint64_t* words, uint32_t place) noexcept nogil:
    """The 64 bits from bit `place` on; the word after that of `place` must be readable."""
    cdef uint32_t shift = place & 63
    cdef uint64_t low = words[place >> 6] >> shift
    return low | words[(place >> 6) + 1] << (64 - shift) if shift else low
