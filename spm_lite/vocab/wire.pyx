"""Reads varints, tags and sizes within bounds, skips unknown fields, and writes pieces and fields. Header: wire.pxd."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport BYTE, NORMAL

from spm_lite.errors import ModelError

cdef enum:
    VARINT_SIZE = 10    # bytes of the longest varint
    TAG_SIZE = 5        # bytes of the longest tag or length

_FAULTS = {
    TRUNCATED_VARINT: "a number is cut off",
    LONG_VARINT: "a number has more than 10 bytes",
    LONG_TAG: "a field's tag does not fit into 32 bits",
    FIELD_ZERO: "a field has the number 0",
    LONG_SIZE: "a length has more than 5 bytes",
    OVERLAPPING: "a field is longer than what is left of its message",
    TRUNCATED_VALUE: "a value is cut off",
    BAD_WIRE_TYPE: "a field has a wire type that does not exist",
    WRONG_GROUP_END: "a group ends that did not begin",
    OPEN_GROUP: "a group does not end",
    DEEP_GROUPS: "groups are nested more than 100 deep",
}


cdef int fail(Fault fault, int64_t pos) except -1 nogil:
    with gil:
        raise ModelError(
            f"not a model message: {_FAULTS[fault]} (at byte {pos}). The file is damaged or of another kind"
        )


cdef int read_varint(Cursor* cursor, uint64_t* value) except -1 nogil:
    cdef int64_t pos = cursor.pos
    cdef int32_t shift = 0
    cdef uint8_t byte
    value[0] = 0
    while pos < cursor.end:
        byte = cursor.data[pos]
        pos += 1
        value[0] |= <uint64_t> (byte & 0x7F) << shift
        if byte < 0x80:
            cursor.pos = pos
            return 0
        shift += 7
        if shift == VARINT_SIZE * 7:
            return fail(LONG_VARINT, cursor.pos)
    return fail(TRUNCATED_VARINT, cursor.pos)


cdef inline int read_number(Cursor* cursor, uint64_t* value) except -1 nogil:
    """Read a varint; one byte, the usual case, without a call of `read_varint`."""
    if cursor.pos < cursor.end and cursor.data[cursor.pos] < 0x80:
        value[0] = cursor.data[cursor.pos]
        cursor.pos += 1
        return 0
    return read_varint(cursor, value)


cdef int read_tag(Cursor* cursor, uint32_t* tag) except -1 nogil:
    cdef int64_t begin = cursor.pos
    cdef uint64_t value = 0
    read_number(cursor, &value)
    if cursor.pos - begin > TAG_SIZE or value > <uint64_t> 0xFFFFFFFF:
        return fail(LONG_TAG, begin)
    if value < 8:
        return fail(FIELD_ZERO, begin)
    tag[0] = <uint32_t> value
    return 0


cdef int read_size(Cursor* cursor, int64_t* size) except -1 nogil:
    cdef int64_t begin = cursor.pos
    cdef uint64_t value = 0
    read_number(cursor, &value)
    if cursor.pos - begin > TAG_SIZE:
        return fail(LONG_SIZE, begin)
    if value > <uint64_t> (cursor.end - cursor.pos):
        return fail(OVERLAPPING, begin)
    size[0] = <int64_t> value
    return 0


cdef int skip_value(Cursor* cursor, uint32_t tag, int32_t depth) except -1 nogil:
    """Skip the value of a field after its tag; a group with all its content."""
    cdef uint32_t open_groups[MAX_DEPTH]
    cdef int64_t group_begin = cursor.pos
    cdef int32_t n_open = 0
    while True:
        if tag & 7 == GROUP:
            if n_open == depth:
                return fail(DEEP_GROUPS, cursor.pos)
            open_groups[n_open] = tag >> 3
            n_open += 1
        elif tag & 7 == END_GROUP:
            if n_open == 0 or open_groups[n_open - 1] != tag >> 3:
                return fail(WRONG_GROUP_END, cursor.pos)
            n_open -= 1
        else:
            skip_scalar(cursor, tag & 7)
        if n_open == 0:
            return 0
        if cursor.pos == cursor.end:
            return fail(OPEN_GROUP, group_begin)
        read_tag(cursor, &tag)


cdef int skip_scalar(Cursor* cursor, uint32_t wire_type) except -1 nogil:
    """Skip a value that is no group."""
    cdef uint64_t value = 0
    cdef int64_t size = 0
    if wire_type == VARINT:
        return read_varint(cursor, &value)
    if wire_type == LENGTH:
        read_size(cursor, &size)
    elif wire_type == FIXED32 or wire_type == FIXED64:
        size = 4 if wire_type == FIXED32 else 8
        if size > cursor.end - cursor.pos:
            return fail(TRUNCATED_VALUE, cursor.pos)
    else:
        return fail(BAD_WIRE_TYPE, cursor.pos)
    cursor.pos += size
    return 0


def write_pieces(pieces, int field=1, bint with_types=False) -> bytes:
    """Serialize the `pieces` field of a ModelProto. pieces: (text, score, type), the text as str or UTF-8 bytes.

    field: the number of the field, below 16; that of the extension is another one.

    Text and score are always written, the type NORMAL only if `with_types`. Raises UnicodeEncodeError on a lone
    surrogate, ValueError on a type outside 1..6. The rules of a vocabulary are checked when it is read.
    """
    cdef vector[uint8_t] out
    cdef bytes text
    cdef float score
    cdef int32_t piece_type
    cdef uint8_t tag = <uint8_t> (field << 3 | LENGTH)
    for given, score, piece_type in pieces:
        text = given.encode() if isinstance(given, str) else given
        if not NORMAL <= piece_type <= BYTE:
            raise ValueError(f"type {piece_type} of piece {given!r} is outside 1..6")
        put_piece(out, tag, <const uint8_t*> <const char*> text, len(text), score, piece_type, with_types)
    return (<const char*> out.data())[: out.size()]


cdef int put_piece(
    vector[uint8_t]& out, uint8_t tag, const uint8_t* text, int64_t size, float score, int32_t piece_type,
    bint with_types=False,
) except -1 nogil:
    cdef bint has_type = with_types or piece_type != NORMAL
    out.push_back(tag)
    put_varint(out, 1 + varint_size(<uint64_t> size) + <uint64_t> size + 5 + (2 if has_type else 0))
    put_text(out, PIECE_TEXT, text, size)
    out.push_back(PIECE_SCORE)
    put_float(out, score)
    if has_type:
        out.push_back(PIECE_TYPE)
        out.push_back(<uint8_t> piece_type)
    return 0


def write_fields(fields) -> bytes:
    """Serialize (number, value) pairs: an int or bool as a varint, a str or bytes as a text."""
    cdef vector[uint8_t] out
    for number, value in fields:
        if isinstance(value, int):
            put_varint(out, <uint64_t> number << 3 | VARINT)
            put_varint(out, <uint64_t> <int64_t> value)
        else:
            text = value.encode() if isinstance(value, str) else value
            put_bytes(out, <uint32_t> number << 3 | LENGTH, text)
    return (<const char*> out.data())[: out.size()]


def write_message(int field, bytes content not None) -> bytes:
    """Serialize a field that holds a message. content: the message, serialized."""
    cdef vector[uint8_t] out
    put_varint(out, <uint64_t> field << 3 | LENGTH)
    put_varint(out, <uint64_t> len(content))
    return (<const char*> out.data())[: out.size()] + content


cdef uint64_t varint_size(uint64_t value) noexcept nogil:
    cdef uint64_t size = 1
    while value >= 0x80:
        value >>= 7
        size += 1
    return size


cdef int put_varint(vector[uint8_t]& out, uint64_t value) except -1 nogil:
    while value >= 0x80:
        out.push_back(<uint8_t> (value | 0x80))
        value >>= 7
    out.push_back(<uint8_t> value)
    return 0


cdef int put_bytes(vector[uint8_t]& out, uint32_t tag, bytes value) except -1:
    return put_text(out, tag, <const uint8_t*> <const char*> value, len(value))


cdef int put_text(vector[uint8_t]& out, uint32_t tag, const uint8_t* text, int64_t size) except -1 nogil:
    put_varint(out, tag)
    put_varint(out, <uint64_t> size)
    out.insert(out.end(), text, text + size)
    return 0


cdef int put_float(vector[uint8_t]& out, float value) except -1 nogil:
    cdef uint32_t bits = 0
    cdef int32_t i
    memcpy(&bits, &value, 4)
    for i in range(4):
        out.push_back(<uint8_t> (bits >> 8 * i))
    return 0
