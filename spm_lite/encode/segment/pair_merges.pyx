"""Enters the merges of a list under a random key, and merges a short part of a text. Header: pair_merges.pxd.

The hot loop is that of `merge_short`: it scans the ranks of all neighbours for the least one, as merge_array.pxd does.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.heap cimport refill
from spm_lite.encode.segment.pair_merges cimport FEW_LISTED, FIRST, LAST, NO_PAIR, NO_RANK, MergeSlot, find_merge
from spm_lite.encode.segment.piece_table cimport PieceTable, find_id
from spm_lite.encode.segment.segmenter cimport unit_size
from spm_lite.vocab.merge_list cimport MOST_AFFIX, ListedMerge, MergeList
from spm_lite.vocab.vocab cimport CONTROL, UNKNOWN, UNUSED, Vocab

import os

cdef enum:
    ROOM = 4                # bytes of a character


@cython.final
cdef class PairMerges:
    """The merges of a vocabulary with a list of them. Source: the models of type BPE of tokenizers.

    Merges with a control piece, an unused one or the unknown piece are left out: no part of a text that is merged holds
    one.
    """

    def __cinit__(self, Vocab vocab not None, PieceTable pieces not None):
        cdef MergeList listed = vocab.merge_list
        self.vocab = vocab
        self.pieces = pieces
        for byte in listed.continuing_prefix:
            self.prefix.push_back(<uint8_t> byte)
        for byte in listed.word_suffix:
            self.suffix.push_back(<uint8_t> byte)
        self.is_by_part = listed.is_by_part()
        self.looks_up = listed.whole_pieces
        self.drops_unknown = vocab.unknown_index < 0 and not vocab.byte_fallback
        self.fuses = listed.fuse_unknown and vocab.is_cut
        self.needs_whole = self.is_by_part or self.looks_up or self.drops_unknown and (
            not vocab.is_bytes or vocab.lacks_bytes
        )
        self.key.low = int.from_bytes(os.urandom(4), "little")
        self.key.high = int.from_bytes(os.urandom(4), "little")
        self.key.factor = int.from_bytes(os.urandom(8), "little") | 1
        self.fill_slots()
        self.fill_ascii()

    cdef int fill_slots(self) except -1:
        """Enter all merges. Of two with the same parts the later one counts."""
        cdef MergeList listed = self.vocab.merge_list
        cdef const uint8_t* types = self.vocab.types.data()
        cdef uint64_t n_slots = 8
        cdef ListedMerge merge
        cdef MergeSlot* slot
        cdef size_t i
        self.view.shift = 61
        while n_slots < 2 * <uint64_t> listed.merges.size():
            n_slots *= 2
            self.view.shift -= 1
        refill(self.slots, n_slots, MergeSlot(<uint64_t> NO_PAIR, <uint32_t> NO_RANK, -1))
        self.view.slots = self.slots.data()
        self.view.key = &self.key
        self.view.mask = n_slots - 1
        for i in range(listed.merges.size()):
            merge = listed.merges[i]
            if is_never(types[merge.left]) or is_never(types[merge.right]) or is_never(types[merge.whole]):
                continue
            slot = <MergeSlot*> find_merge(&self.view, merge.left, merge.right)
            slot[0] = MergeSlot(
                <uint64_t> <uint32_t> merge.left << 32 | <uint32_t> merge.right, <uint32_t> i, merge.whole,
            )
        return 0

    cdef int fill_ascii(self) except -1:
        """Fill the ids of single bytes: they are characters below 0x80, and all where pieces are bytes."""
        cdef uint8_t text
        cdef int place, byte
        for place in range(4):
            for byte in range(256):
                text = <uint8_t> byte
                self.ascii_ids[place][byte] = self.find_long(&text, 1, place)
        return 0

    cdef inline int32_t find_long(self, const uint8_t* text, int32_t size, int place) noexcept nogil:
        """The id of a character with what stands before and after it in pieces; -1: unknown."""
        cdef uint8_t whole[2 * MOST_AFFIX + ROOM]
        cdef int32_t n_prefix = 0 if place & FIRST else <int32_t> self.prefix.size()
        cdef int32_t n_suffix = <int32_t> self.suffix.size() if place & LAST else 0
        if n_prefix + n_suffix == 0:
            return self.find_piece(text, size)
        if n_prefix:  # nothing has no address to copy from
            memcpy(whole, self.prefix.data(), n_prefix)
        memcpy(whole + n_prefix, text, size)
        if n_suffix:
            memcpy(whole + n_prefix + size, self.suffix.data(), n_suffix)
        return self.find_piece(whole, n_prefix + size + n_suffix)

    cdef int32_t find_char(self, const uint8_t* text, int32_t size, int place) noexcept nogil:
        if size == 1:
            return self.ascii_ids[place][text[0]]
        return self.find_long(text, size, place)

    cdef int32_t find_piece(self, const uint8_t* text, int32_t size) noexcept nogil:
        cdef int32_t piece_id = find_id(&self.pieces.view, text, size, size)
        if piece_id >= 0 and self.vocab.types[piece_id] == UNUSED:
            return -1
        return piece_id

    cdef int32_t merge_short(
        self, const uint8_t* text, int32_t size, bint compact, int32_t* ids,
    ) noexcept nogil:
        cdef const MergeSlot* merge
        cdef int32_t wholes[FEW_LISTED]     # what a symbol and the next one become
        cdef uint32_t ranks[FEW_LISTED]     # of that merge
        cdef int32_t n = 0, begin = 0, step, i, best, place = FIRST
        cdef uint32_t least
        cdef bint is_bytes = self.vocab.is_bytes
        while begin < size:
            if n == FEW_LISTED:
                return 0
            step = 1 if is_bytes else unit_size(text + begin, size - begin, compact)
            if begin + step == size:
                place |= LAST
            ids[n] = self.find_char(text + begin, step, place)
            if ids[n] < 0:
                return 0
            n += 1
            begin += step
            place = 0
        for i in range(n - 1):
            merge = find_merge(&self.view, ids[i], ids[i + 1])
            ranks[i] = merge.rank
            wholes[i] = merge.piece_id
        while n > 1:
            best, least = 0, ranks[0]
            for i in range(1, n - 1):
                if ranks[i] < least:
                    best, least = i, ranks[i]
            if least == <uint32_t> NO_RANK:
                break
            ids[best] = wholes[best]
            n -= 1
            for i in range(best + 1, n):  # the part is short: moving is faster than links
                ids[i] = ids[i + 1]
                ranks[i - 1] = ranks[i]
                wholes[i - 1] = wholes[i]
            if best + 1 < n:
                merge = find_merge(&self.view, ids[best], ids[best + 1])
                ranks[best] = merge.rank
                wholes[best] = merge.piece_id
            if best > 0:
                merge = find_merge(&self.view, ids[best - 1], ids[best])
                ranks[best - 1] = merge.rank
                wholes[best - 1] = merge.piece_id
        return n


cdef inline bint is_never(uint8_t piece_type) noexcept nogil:
    return piece_type == CONTROL or piece_type == UNKNOWN or piece_type == UNUSED
