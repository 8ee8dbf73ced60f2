"""A table of the UTF-16 text of each piece: decoding by copying, where the str is made without a UTF-8 decoder."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.decode.decode_rules cimport LeadingSpace


cdef enum:
    # Traits of a piece; a text has the traits of all its pieces.
    LATIN = 1           # has a character from U+0080 to U+00FF
    WIDE = 2            # has a character from U+0100 to U+FFFF
    PAIRED = 4          # has a character from U+10000 on, of two units
    STARTS_WITH_SPACE = 8       # a plain piece that begins with U+2581
    BYTE_PIECE = 16
    NO_UTF16 = 32       # the table has no units for the piece; mostly its bytes are ill-formed


cdef enum:
    SHORT_UNITS = 7     # the longest text that an entry holds
    SPECIAL = 0xFF      # instead of a number of units: the traits say how the entry is used


cdef struct PieceEntry:
    # What one piece adds to a text.
    uint16_t units[7]   # text; of a byte piece the byte; of a long one: where its units begin (low, high), their number
    uint8_t n_units
    uint8_t traits


cdef struct UnitCursor:
    # Position in the decoding of a text.
    const int32_t* id       # the next id
    const int32_t* end      # of the ids
    uint16_t* to            # where the next unit is written
    uint32_t traits         # of the text so far


@cython.final
cdef class Utf16Pieces:
    """What each piece adds to a text, as UTF-16 units; never changed once all pieces are set."""

    cdef LeadingSpace leading           # the rule for spaces at the start of a text
    cdef vector[PieceEntry] entries     # per id
    cdef vector[uint16_t] units         # of long pieces, one after the other
    cdef size_t n_units                 # used part of `units`

    cdef int set_piece(self, int32_t piece_id, const uint8_t* text, int64_t size, uint32_t traits) except -1 nogil
    cdef void set_ascii(self, int32_t piece_id, const uint8_t* text, int32_t size, uint32_t traits) noexcept nogil
    cdef void keep_long(self, PieceEntry* entry, size_t n_units, uint32_t traits) noexcept nogil
    cdef void set_byte(self, int32_t piece_id, uint8_t byte) noexcept nogil
    cdef int32_t append_text(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& out, size_t* n_out,
    ) except -1 nogil
    cdef int append_start(self, vector[uint16_t]& out, UnitCursor* cursor) except -1 nogil
    cdef Py_ssize_t append_piece(
        self, const PieceEntry* piece, size_t n_dropped, vector[uint16_t]& out, UnitCursor* cursor,
    ) except -1 nogil


cdef inline int make_room(vector[uint16_t]& out, size_t n_out, size_t n_units) except -1 nogil:
    """Make room for `n_units` after the first `n_out`. It never shrinks: writing zeros costs as much as text."""
    if out.size() < n_out + n_units:
        out.resize(max(n_out + n_units, 2 * out.size()))
    return 0
