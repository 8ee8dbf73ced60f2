"""Appends pieces by rank, and enters them into a hash table with linear probing under a random key.

Header: rank_table.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcmp
from libcpp.algorithm cimport lower_bound
from libcpp.vector cimport vector

from spm_lite.base.structures.text_hash cimport HashKey, hash_text
from spm_lite.base.system.heap cimport refill
from spm_lite.vocab.vocab cimport CONTROL, NORMAL
from spm_lite.vocab.wire cimport LENGTH, put_piece

import os

# Random in every process, so that the author of a file cannot make pieces collide.
cdef HashKey hash_key
hash_key.low = int.from_bytes(os.urandom(4), "little")
hash_key.high = int.from_bytes(os.urandom(4), "little")
hash_key.factor = int.from_bytes(os.urandom(8), "little") | 1


@cython.final
cdef class RankTable:
    """A mapping of rank to piece, in the order of ranks. Each piece is there once.

    pieces: the mapping, or a list of the pieces from rank 0 on.
    """

    def __cinit__(self, pieces=()):
        cdef bytes piece
        cdef int32_t rank = 0
        self.begins.push_back(0)
        if isinstance(pieces, list):
            for piece in pieces:
                self.append(<const uint8_t*> <const char*> piece, len(piece), rank)
                rank += 1
        else:
            for rank in sorted(pieces):
                piece = pieces[rank]
                self.append(<const uint8_t*> <const char*> piece, len(piece), rank)
        if self.finish() >= 0:
            raise ValueError("a piece occurs twice")

    cdef int append(self, const uint8_t* text, int64_t size, int32_t rank) except -1 nogil:
        """Append a piece, before `finish`."""
        self.texts.insert(self.texts.end(), text, text + size)
        self.begins.push_back(<int64_t> self.texts.size())
        self.ranks.push_back(rank)
        return 0

    cdef int64_t finish(self) except -2:
        cdef const uint8_t* texts = self.texts.data()
        cdef int64_t i, begin, size
        cdef size_t slot, n_slots = 8
        while n_slots < self.ranks.size() * 2:
            n_slots *= 2
        refill(self.slots, n_slots, -1)
        with nogil:
            for i in range(<int64_t> self.ranks.size()):
                begin = self.begins[i]
                size = self.begins[i + 1] - begin
                slot = self.find_slot(texts + begin, size)
                if self.slots[slot] >= 0:
                    return i
                self.slots[slot] = <int32_t> i
        return -1

    cdef size_t find_slot(self, const uint8_t* text, int64_t size) noexcept nogil:
        cdef size_t mask = self.slots.size() - 1, slot = hash_text(text, size, &hash_key) & mask
        cdef int64_t i = self.slots[slot]
        while i >= 0 and not (
            self.begins[i + 1] - self.begins[i] == size
            and memcmp(self.texts.data() + self.begins[i], text, <size_t> size) == 0
        ):
            slot = (slot + 1) & mask
            i = self.slots[slot]
        return slot

    cdef int64_t find(self, const uint8_t* text, int64_t size) noexcept nogil:
        return self.slots[self.find_slot(text, size)]

    cdef int64_t find_rank(self, int64_t rank) noexcept nogil:
        cdef int64_t i = lower_bound(self.ranks.begin(), self.ranks.end(), rank) - self.ranks.begin()
        return i if i < <int64_t> self.ranks.size() and self.ranks[i] == rank else -1

    cdef bytes piece(self, int64_t i):
        return (<const char*> self.texts.data() + self.begins[i])[: self.begins[i + 1] - self.begins[i]]

    @property
    def last(self):
        """The highest rank; -1: there are no pieces."""
        return self.ranks.back() if self.ranks.size() else -1

    def __len__(self):
        return self.ranks.size()

    def __contains__(self, rank):
        return isinstance(rank, int) and 0 <= rank <= self.last and self.find_rank(rank) >= 0

    def __iter__(self):
        cdef size_t i
        for i in range(self.ranks.size()):
            yield self.ranks[i]

    def values(self):
        """The pieces in the order of ranks."""
        return PieceView(self)

    def items(self):
        """Yield (rank, piece) in the order of ranks."""
        cdef size_t i
        for i in range(self.ranks.size()):
            yield self.ranks[i], self.piece(i)

    def write(self, dict special not None, int field):
        """Serialize the pieces of a model: those of several bytes have scores by rank, single bytes lower ones.

        special: id -> name of each control piece. Ranks are ids, and together they are 0 to n - 1.
        field: number of the field.
        """
        cdef vector[uint8_t] out
        cdef uint8_t tag = <uint8_t> (field << 3 | LENGTH)
        cdef int64_t i, size, rank, next_merged = 0, next_single = 0, n = <int64_t> self.ranks.size()
        cdef int32_t piece_id = 0
        for i in range(n):
            next_single += self.begins[i + 1] - self.begins[i] > 1
        out.reserve(self.texts.size() + 20 * <size_t> (n + len(special)))
        for i in range(n):
            while piece_id < self.ranks[i]:
                put_special(out, tag, special[piece_id])
                piece_id += 1
            size = self.begins[i + 1] - self.begins[i]
            rank = next_merged if size > 1 else next_single
            put_piece(out, tag, self.texts.data() + self.begins[i], size, -<float> rank, NORMAL)
            next_merged += size > 1
            next_single += size == 1
            piece_id += 1
        for piece_id in range(piece_id, n + len(special)):
            put_special(out, tag, special[piece_id])
        return (<const char*> out.data())[: out.size()]


cdef int put_special(vector[uint8_t]& out, uint8_t tag, str name) except -1:
    """Write a control piece."""
    cdef bytes text = name.encode()
    return put_piece(out, tag, <const uint8_t*> <const char*> text, len(text), 0.0, CONTROL)


@cython.final
cdef class PieceView:
    """The pieces of a table, in the order of ranks."""

    cdef RankTable table

    def __cinit__(self, RankTable table not None):
        self.table = table

    def __len__(self):
        return len(self.table)

    def __contains__(self, piece):
        if not isinstance(piece, bytes):
            return False
        return self.table.find(<const uint8_t*> <const char*> <bytes> piece, len(piece)) >= 0

    def __iter__(self):
        cdef size_t i
        for i in range(self.table.ranks.size()):
            yield self.table.piece(i)
