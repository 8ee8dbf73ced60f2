"""Writes ASCII bytes up to the first piece that is not ASCII, then leaves the rest to the UTF-16 table.

`write` is the entry. The hot loop, `copy_ascii`, is in short_pieces.pxd. Header: str_decoder.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.decode.decode_rules cimport drop_leading_space
from spm_lite.decode.short_pieces cimport IDS_AT_ONCE, SHORT_BYTES, ShortText, copy_ascii, fetch, is_ascii
from spm_lite.decode.strings cimport string_of_ascii, string_of_units
from spm_lite.decode.utf16_pieces cimport NO_UTF16, SHORT_UNITS, STARTS_WITH_SPACE, Utf16Pieces, make_room
from spm_lite.vocab.vocab cimport BYTE, CONTROL, UNKNOWN, is_plain

cdef enum:
    LEAST_IDS = 3           # a text of fewer ids may be one character, of which Python keeps a str
    FEW = 8                 # at most so many ids of a text are not short ASCII,
    FEW_AMONG = 8           # or at most one in so many


@cython.final
cdef class StrDecoder:
    """Decodes ids to str, by the rules and with the piece texts of the Decoder that makes it.

    ASCII is copied as bytes; from the first other character on, UTF-16 units are copied. To make the units of one
    piece costs twice what they save for one id. So at first, texts with few non-ASCII pieces are decoded by their
    bytes. That ends when such texts have had as many ids as the vocabulary has pieces.
    """

    cdef int32_t write(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room, size_t* size,
    ) except? -2 nogil:
        """Write the text of ids to the start of `room`; return its traits. All ids must be in range.

        size: UTF-16 units, or bytes if the traits are AS_BYTES. NO_UTF16: nothing of use is written, because the text
        must be decoded by its bytes, or that is faster.
        """
        cdef int64_t n_done
        size[0] = 0
        n_done = self.append_ascii(ids, n_ids, room, size)
        if n_done == n_ids:
            return AS_BYTES
        if not self.has_units.load():
            if self.prefers_bytes(ids, n_ids):
                return NO_UTF16
            with gil:
                self.make_units()
        return self.units.append_text(ids + n_done, n_ids - n_done, room, size)

    cdef bint prefers_bytes(self, const int32_t* ids, int64_t n_ids) noexcept nogil:
        """Whether to decode a text that is not ASCII by its bytes, while there is no UTF-16 table."""
        cdef int64_t i, n_not_ascii = 0
        if n_ids < LEAST_IDS or self.n_spared.load() + n_ids > self.vocab.size:
            return False
        for i in range(n_ids):
            n_not_ascii += not is_ascii(self.shorts + ids[i])
        if n_not_ascii > FEW and n_not_ascii * FEW_AMONG > n_ids:
            return False
        self.n_spared.fetch_add(n_ids)
        return True

    cdef int64_t append_ascii(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room, size_t* size,
    ) except -1 nogil:
        """Write the beginning of a text as bytes, up to a piece that is not ASCII; return the number of ids done.

        Return 0 if leading spaces may still be dropped there.
        """
        cdef const int32_t* id = ids
        cdef const int32_t* end = ids + n_ids
        cdef const int32_t* fetched = ids   # texts of ids before this one are prefetched
        cdef const int32_t* stop
        cdef uint8_t* to
        if self.leading.is_dropped:
            id += self.append_start(ids, n_ids, room, size)
            if size[0] == 0:
                return 0 if id < end else n_ids
        while id < end:
            stop = id + min(end - id, <int64_t> IDS_AT_ONCE)
            make_room(room, 0, (size[0] + (stop - id) * sizeof(ShortText)) // sizeof(uint16_t) + 1)
            to = <uint8_t*> room.data() + size[0]
            if id >= fetched:
                fetch(self.shorts, id, stop)
                fetched = stop
            id = copy_ascii(self.shorts, id, stop, &to)
            size[0] = to - <uint8_t*> room.data()
            if id < stop:
                if not self.append_long(id[0], 0, room, size):
                    break
                id += 1
        return id - ids

    cdef bint append_long(
        self, int32_t piece_id, int32_t n_dropped, vector[uint16_t]& room, size_t* size,
    ) except -1 nogil:
        """Write a long ASCII piece without its first `n_dropped` bytes; False: it is short, or not ASCII."""
        cdef const uint8_t* text = self.texts + self.begins[piece_id] + n_dropped
        cdef int64_t n = self.begins[piece_id + 1] - self.begins[piece_id] - n_dropped, k
        if n + n_dropped <= SHORT_BYTES:
            return False
        for k in range(n):
            if text[k] >= 0x80:
                return False
        make_room(room, 0, (size[0] + n) // sizeof(uint16_t) + 1)
        memcpy(<uint8_t*> room.data() + size[0], text, n)
        size[0] += n
        return True

    cdef int64_t append_start(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room, size_t* size,
    ) except -1 nogil:
        """Skip pieces that add nothing; write the next, if ASCII, without a dropped space. Return how many are done."""
        cdef const ShortText* piece
        cdef int64_t i
        cdef int32_t n_dropped
        cdef bint at_start = True
        for i in range(n_ids):
            if self.vocab.types[ids[i]] == CONTROL:
                continue
            piece = self.shorts + ids[i]
            n_dropped = drop_leading_space(&self.leading, self.is_marked(ids[i]), False, &at_start)
            if n_dropped == 1 and piece.size == 1:  # a space alone
                continue
            if not is_ascii(piece):
                return i + self.append_long(ids[i], n_dropped, room, size)
            if piece.size <= n_dropped:
                return i
            make_room(room, 0, sizeof(ShortText) // sizeof(uint16_t))
            memcpy(room.data(), &piece.bytes[n_dropped], SHORT_BYTES - n_dropped)
            size[0] = piece.size - n_dropped
            return i + 1
        return n_ids

    cdef bint is_marked(self, int32_t piece_id) noexcept nogil:
        """Whether a piece begins with a space that may be dropped."""
        return is_plain(self.vocab.types[piece_id]) and starts_with_mark(self.vocab, piece_id)

    cdef int make_units(self) except -1:
        """Make the UTF-16 table, unless another thread has made it."""
        with cython.critical_section(self):
            if not self.has_units.load():
                self.units = self.new_units()
                self.has_units.store(True)
        return 0

    cdef Utf16Pieces new_units(self):
        cdef Utf16Pieces units = Utf16Pieces()
        cdef const ShortText* piece
        cdef const uint8_t* text
        cdef int64_t size
        cdef int32_t i
        cdef uint32_t traits
        units.leading = self.leading
        units.entries.resize(self.vocab.size)
        for i in range(self.vocab.size):
            text = self.texts + self.begins[i]
            size = self.begins[i + 1] - self.begins[i]
            if self.vocab.types[i] == BYTE:
                units.set_byte(i, text[0])
                continue
            traits = STARTS_WITH_SPACE if self.is_marked(i) else 0
            if self.vocab.types[i] == UNKNOWN and size == 0 and starts_with_mark(self.vocab, i):
                traits = NO_UTF16  # it adds nothing, but may end the start of a text
            piece = self.shorts + i
            if is_ascii(piece) and piece.size <= SHORT_UNITS:
                units.set_ascii(i, piece.bytes, piece.size, traits)
            else:
                units.set_piece(i, text, size, traits)
        return units


cdef object string_of_written(const uint16_t* room, size_t size, int32_t traits):
    """Return the str of what `write` has written. traits: not NO_UTF16."""
    if traits == AS_BYTES:
        return string_of_ascii(<const uint8_t*> room, <Py_ssize_t> size)
    return string_of_units(room, <Py_ssize_t> size, traits)
