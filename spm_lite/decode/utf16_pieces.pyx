"""Fills an entry of UTF-16 units for each piece, and decodes by copying entries at a fixed size.

`append_text` is the driver. The hot loop is `copy_short`. Header: utf16_pieces.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport lead_size, read_char
from spm_lite.decode.decode_rules cimport drop_leading_space, read_run_char
from spm_lite.decode.short_pieces cimport IDS_AT_ONCE


@cython.final
cdef class Utf16Pieces:
    """What each piece adds to a text, as UTF-16 units. Made by a StrDecoder."""

    cdef int set_piece(self, int32_t piece_id, const uint8_t* text, int64_t size, uint32_t traits) except -1 nogil:
        """Set what a piece adds, from UTF-8. The piece must not be set yet. traits: further traits of it."""
        cdef PieceEntry* entry = self.entries.data() + piece_id
        cdef const uint8_t* end = text + size
        cdef uint16_t* units
        cdef uint32_t code_point = 0
        cdef size_t n_units = 0
        cdef int32_t n_bytes
        make_room(self.units, self.n_units, size)  # no character has more units than bytes
        units = self.units.data() + self.n_units
        while text < end:
            n_bytes = read_char(text, end - text, &code_point)
            if n_bytes == 0:
                break
            n_units += write_char(code_point, units + n_units)
            traits |= traits_of(code_point)
            text += n_bytes
        if text < end:
            entry.n_units, entry.traits = <uint8_t> SPECIAL, <uint8_t> NO_UTF16
        elif n_units <= SHORT_UNITS:
            memcpy(entry.units, units, n_units * sizeof(uint16_t))
            entry.n_units, entry.traits = <uint8_t> n_units, <uint8_t> traits
        else:
            self.keep_long(entry, n_units, traits)
        return 0

    cdef void keep_long(self, PieceEntry* entry, size_t n_units, uint32_t traits) noexcept nogil:
        """Keep units that are too many for an entry, and have been written after those in use."""
        cdef size_t begin = self.n_units
        entry.n_units, entry.traits = <uint8_t> SPECIAL, <uint8_t> NO_UTF16
        if n_units > 0xFFFF or begin >> 32:
            return  # the entry cannot hold these numbers: it stays NO_UTF16
        entry.units[0], entry.units[1] = <uint16_t> begin, <uint16_t> (begin >> 16)
        entry.units[2], entry.traits = <uint16_t> n_units, <uint8_t> traits
        self.n_units += n_units

    cdef void set_ascii(self, int32_t piece_id, const uint8_t* text, int32_t size, uint32_t traits) noexcept nogil:
        """Set what a piece adds, from at most SHORT_UNITS bytes of ASCII. SHORT_UNITS bytes must be readable."""
        cdef PieceEntry* entry = self.entries.data() + piece_id
        cdef int32_t k
        for k in range(SHORT_UNITS):
            entry.units[k] = text[k]
        entry.n_units, entry.traits = <uint8_t> size, <uint8_t> traits

    cdef void set_byte(self, int32_t piece_id, uint8_t byte) noexcept nogil:
        """Make an id a byte piece."""
        cdef PieceEntry* entry = self.entries.data() + piece_id
        entry.units[0], entry.n_units, entry.traits = byte, <uint8_t> SPECIAL, <uint8_t> BYTE_PIECE

    cdef int32_t append_text(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& out, size_t* n_out,
    ) except -1 nogil:
        """Widen the `n_out` ASCII bytes that `out` begins with to units, and append the units of `ids`.

        ids: the whole rest of the text. Return the text's traits; if they are NO_UTF16, `out` is incomplete.
        """
        cdef const PieceEntry* entries = self.entries.data()
        cdef const PieceEntry* piece
        cdef const int32_t* end
        cdef UnitCursor cursor = UnitCursor(ids, ids + n_ids, NULL, 0)
        make_room(out, n_out[0], SHORT_UNITS)
        widen(out.data(), n_out[0])
        cursor.to = out.data() + n_out[0]
        if n_out[0] == 0 and self.leading.is_dropped:
            self.append_start(out, &cursor)
        while cursor.id < cursor.end:
            end = cursor.id + min(cursor.end - cursor.id, <int64_t> IDS_AT_ONCE)
            find_room(out, &cursor, (end - cursor.id) * sizeof(PieceEntry) // sizeof(uint16_t))
            copy_short(entries, end, &cursor)
            if cursor.id == end:
                continue
            piece = entries + cursor.id[0]
            if piece.traits & BYTE_PIECE:
                copy_run(entries, end, &cursor)
            elif piece.traits & NO_UTF16:
                return NO_UTF16
            else:
                self.append_piece(piece, 0, out, &cursor)
        n_out[0] = cursor.to - out.data()
        return <int32_t> cursor.traits

    cdef int append_start(self, vector[uint16_t]& out, UnitCursor* cursor) except -1 nogil:
        """Append pieces up to the first that adds text, without the dropped spaces."""
        cdef const PieceEntry* piece
        cdef bint at_start = True
        cdef int32_t n_dropped
        while cursor.id < cursor.end:
            piece = self.entries.data() + cursor.id[0]
            if piece.traits & (BYTE_PIECE | NO_UTF16):
                return 0
            n_dropped = drop_leading_space(&self.leading, piece.traits & STARTS_WITH_SPACE != 0, False, &at_start)
            if self.append_piece(piece, n_dropped, out, cursor) or not at_start:
                return 0
        return 0

    cdef Py_ssize_t append_piece(
        self, const PieceEntry* piece, size_t n_dropped, vector[uint16_t]& out, UnitCursor* cursor,
    ) except -1 nogil:
        """Append the units of a piece without the first `n_dropped`; return the number appended."""
        cdef const uint16_t* units = &piece.units[0]
        cdef size_t n_units = piece.n_units
        if n_units == SPECIAL:
            units = self.units.data() + (<size_t> piece.units[1] << 16 | piece.units[0])
            n_units = piece.units[2]
        n_units -= n_dropped
        if n_units:
            find_room(out, cursor, n_units)
            memcpy(cursor.to, units + n_dropped, n_units * sizeof(uint16_t))
        cursor.to += n_units
        cursor.traits |= piece.traits
        cursor.id += 1
        return n_units


cdef void widen(uint16_t* units, size_t size) noexcept nogil:
    """Widen bytes to units in place."""
    cdef const uint8_t* bytes = <const uint8_t*> units
    while size > 0:
        size -= 1
        units[size] = bytes[size]


cdef inline int find_room(vector[uint16_t]& out, UnitCursor* cursor, size_t n_units) except -1 nogil:
    """Make room for `n_units` at the cursor."""
    cdef size_t n_out = cursor.to - out.data()
    make_room(out, n_out, n_units)
    cursor.to = out.data() + n_out
    return 0


cdef inline void copy_short(const PieceEntry* entries, const int32_t* end, UnitCursor* cursor) noexcept nogil:
    """Append pieces up to one that is long, a byte piece or NO_UTF16."""
    cdef UnitCursor at = cursor[0]
    cdef const PieceEntry* piece
    while at.id < end:
        piece = entries + at.id[0]
        if piece.n_units > SHORT_UNITS:
            break
        memcpy(at.to, piece, sizeof(PieceEntry))  # a fixed size, often more than needed
        at.to += piece.n_units
        at.traits |= piece.traits
        at.id += 1
    cursor[0] = at


cdef inline void copy_run(const PieceEntry* entries, const int32_t* end, UnitCursor* cursor) noexcept nogil:
    """Append the characters of byte pieces up to another piece, U+FFFD for each byte that starts none."""
    cdef uint8_t run[4]
    cdef uint32_t code_point = 0
    cdef int32_t n_bytes
    while cursor.id < end and entries[cursor.id[0]].traits & BYTE_PIECE:
        n_bytes = read_run_char(run, gather_bytes(entries, cursor, run), &code_point)
        cursor.to += write_char(code_point, cursor.to)
        cursor.traits |= traits_of(code_point)
        cursor.id += n_bytes


cdef inline int32_t gather_bytes(const PieceEntry* entries, const UnitCursor* cursor, uint8_t* run) noexcept nogil:
    """Write the available bytes of the next character in a run of byte pieces to `run`; return their number."""
    cdef const int32_t* id = cursor.id
    cdef int32_t n_bytes = 1, size
    run[0] = <uint8_t> entries[id[0]].units[0]
    size = lead_size(run[0])
    while n_bytes < size and id + n_bytes < cursor.end and entries[id[n_bytes]].traits & BYTE_PIECE:
        run[n_bytes] = <uint8_t> entries[id[n_bytes]].units[0]
        n_bytes += 1
    return n_bytes


cdef inline int32_t write_char(uint32_t code_point, uint16_t* to) noexcept nogil:
    """Write a character as one unit or two; return their number."""
    if code_point < 0x10000:
        to[0] = <uint16_t> code_point
        return 1
    to[0] = <uint16_t> (0xD7C0 + (code_point >> 10))
    to[1] = <uint16_t> (0xDC00 | (code_point & 0x3FF))
    return 2


cdef inline uint32_t traits_of(uint32_t code_point) noexcept nogil:
    if code_point < 0x100:
        return LATIN if code_point >= 0x80 else 0
    return WIDE if code_point < 0x10000 else PAIRED
