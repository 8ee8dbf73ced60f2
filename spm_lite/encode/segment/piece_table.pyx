"""Builds the table: pieces in the order of merging, keys under random seeds, then hash and displace.

`__cinit__` lists the steps. Lookups are in the header. Header: piece_table.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport KEY_BYTES, fill_maker
from spm_lite.base.structures.perfect_hash cimport find_steps
from spm_lite.base.system.heap cimport refill
from spm_lite.base.unicode.space_mark cimport COPY_SLACK
from spm_lite.base.unicode.token_mark cimport MARK_SIZE
from spm_lite.vocab.vocab cimport USER_DEFINED, Vocab

from spm_lite.errors import ModelError

cdef enum:
    N_BYTE_PAIRS = 1 << 16
    MOST_TRIES = 16         # pairs of seeds; the first is enough for 98 tables of 100


@cython.final
cdef class PieceTable:
    """Perfect hash table of the pieces that text can match. Most failed lookups end at the filter.

    The seeds are random, so that the author of a model cannot make pieces collide; ids do not depend on them.
    has_symbols: user-defined pieces can be found, too.
    """

    def __cinit__(self, Vocab vocab not None, bint compact, bint has_symbols):
        cdef uint32_t number_bits = 1
        self.fill_texts(vocab, compact)
        self.number_pieces(vocab, has_symbols)
        while <uint64_t> 1 << number_bits <= <uint64_t> self.view.n_pieces:
            number_bits += 1
        self.fill_slots(number_bits)
        self.view.byte_pairs = NULL
        if vocab.is_bytes:
            self.fill_byte_pairs()

    cdef int fill_texts(self, Vocab vocab, bint compact) except -1:
        """Copy the pieces as normalized text holds them."""
        cdef uint8_t* end
        cdef int32_t i, size
        self.texts.resize(vocab.texts.size() + vocab.n_added * <size_t> MARK_SIZE + <size_t> COPY_SLACK)
        self.begins.reserve(<size_t> vocab.size + 1)
        self.begins.push_back(0)
        end = self.texts.data()
        for i in range(vocab.size):
            size = vocab.copy_matchable(i, compact, end)
            if size > 0:
                end += size
                self.view.longest = max(self.view.longest, <uint32_t> size)
            self.begins.push_back(<uint32_t> (end - self.texts.data()))
        self.texts.resize(self.begins.back() + <size_t> KEY_BYTES)  # so many may be read after the last piece
        self.view.texts = self.texts.data()
        self.view.begins = self.begins.data()
        return 0

    cdef int number_pieces(self, Vocab vocab, bint has_symbols) except -1:
        """Number the pieces in the order of merging. Most models have it already, except a few that never merge.

        has_symbols: user-defined ones are among them.
        """
        cdef vector[uint64_t] late  # orders of the pieces whose ids come too early
        cdef int32_t i
        self.ids.reserve(vocab.size)
        for i in range(vocab.size):
            if self.begins[i] == self.begins[i + 1] or vocab.types[i] == USER_DEFINED and not has_symbols:
                continue
            while not self.ids.empty() and order_of(vocab, self.ids.back()) > order_of(vocab, i):
                late.push_back(order_of(vocab, self.ids.back()))
                self.ids.pop_back()
            self.ids.push_back(i)
        sort(late.begin(), late.end())
        insert_late(vocab, late, self.ids)
        self.view.ids = self.ids.data()
        self.view.n_pieces = <uint32_t> self.ids.size()
        self.view.ranks = NULL
        if has_equals(vocab, self.ids):
            self.ranks.reserve(self.ids.size())
            for i in self.ids:
                self.ranks.push_back(rank_of(vocab.scores[i]))
            self.view.ranks = self.ranks.data()
        return 0

    cdef int find_places(self, vector[uint64_t]& hashes, vector[uint8_t]& steps) except -1:
        """Find seeds that give every piece a place. hashes: filled by number. steps: filled by group."""
        cdef uint64_t n_pieces = self.view.n_pieces
        cdef uint32_t logarithm = 1
        while <uint64_t> 1 << logarithm < n_pieces * 3 // 4:
            logarithm += 1
        self.view.maker = &self.maker
        self.view.n_places = 16 + n_pieces * 5 // 4
        self.keys.resize(n_pieces)
        self.view.keys = self.keys.data()
        self.view.shift = 64 - logarithm
        for _ in range(MOST_TRIES):
            fill_maker(&self.maker)
            make_keys(&self.view, self.keys.data(), hashes)
            if find_steps(hashes, self.view.shift, self.view.n_places, steps):
                return 0
        raise ModelError(f"no table of the {hashes.size()} pieces can be made with {<int> MOST_TRIES} pairs of seeds")

    cdef int fill_slots(self, uint32_t number_bits) except -1:
        """Fill the slot of each piece; all numbers must be below 2^number_bits - 1."""
        cdef vector[uint64_t] hashes
        cdef vector[uint8_t] steps
        cdef uint32_t number
        self.view.number_bits = number_bits
        self.find_places(hashes, steps)
        self.groups.assign(steps.begin(), steps.end())
        refill(self.slots, self.view.n_places + 1, <uint32_t> NO_NUMBER)
        self.view.groups = self.groups.data()
        self.view.slots = self.slots.data()
        for number in range(self.view.n_pieces):
            self.groups[hashes[number] >> self.view.shift] |= <uint16_t> (
                1 << (<int> STEP_BITS + (hashes[number] & FILTER_MASK))
            )
            self.slots[slot_of(&self.view, hashes[number])] = number ^ bits_above(&self.view, hashes[number])
        return 0

    cdef int fill_byte_pairs(self) except -1:
        """Fill the table of pairs of bytes, with which merging begins. It takes a tenth off the time of a new chunk."""
        cdef const uint8_t* text
        cdef uint32_t number, begin
        refill(self.byte_pairs, <size_t> N_BYTE_PAIRS, <uint32_t> NO_NUMBER)
        for number in range(self.view.n_pieces):
            begin = self.begins[self.ids[number]]
            if self.begins[self.ids[number] + 1] - begin == 2:
                text = self.texts.data() + begin
                self.byte_pairs[<size_t> text[0] << 8 | text[1]] = number
        self.view.byte_pairs = self.byte_pairs.data()
        return 0


cdef inline uint64_t order_of(Vocab vocab, int32_t piece_id) noexcept nogil:
    """The place of a piece in the order of merging: its rank, then its id; no two pieces have the same."""
    return <uint64_t> rank_of(vocab.scores[piece_id]) << 32 | <uint32_t> piece_id


cdef int insert_late(Vocab vocab, vector[uint64_t]& late, vector[int32_t]& ids) except -1:
    """Insert the pieces of `late` into `ids`. late: ascending orders, emptied. ids: in the order of merging."""
    cdef size_t k = ids.size(), end = k + late.size()
    ids.resize(end)
    while not late.empty():
        end -= 1
        if k and order_of(vocab, ids[k - 1]) > late.back():
            k -= 1
            ids[end] = ids[k]
        else:
            ids[end] = <int32_t> late.back()
            late.pop_back()
    return 0


cdef bint has_equals(Vocab vocab, const vector[int32_t]& ids) noexcept:
    """Whether some pieces have the same rank. ids: in the order of merging."""
    cdef size_t k
    for k in range(1, ids.size()):
        if rank_of(vocab.scores[ids[k - 1]]) == rank_of(vocab.scores[ids[k]]):
            return True
    return False


cdef int make_keys(const TableView* table, PieceWords* keys, vector[uint64_t]& hashes) except -1:
    """Fill the keys and hashes of all pieces, by number."""
    cdef const uint32_t* begin
    cdef uint32_t number
    hashes.resize(table.n_pieces)
    for number in range(table.n_pieces):
        begin = table.begins + table.ids[number]
        hashes[number] = make_key(table, table.texts + begin[0], <int32_t> (begin[1] - begin[0]), keys + number)
    return 0
