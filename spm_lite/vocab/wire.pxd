"""protobuf's wire format: a bounds-checked cursor over model bytes, and functions that write fields."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    MAX_DEPTH = 100     # nesting of messages and groups, without the model itself


cdef enum Fault:
    # What is wrong with the bytes.
    TRUNCATED_VARINT = 0
    LONG_VARINT
    LONG_TAG
    FIELD_ZERO
    LONG_SIZE
    OVERLAPPING
    TRUNCATED_VALUE
    BAD_WIRE_TYPE
    WRONG_GROUP_END
    OPEN_GROUP
    DEEP_GROUPS


cdef enum:
    VARINT = 0
    FIXED64 = 1
    LENGTH = 2          # length-delimited: strings, bytes, messages
    GROUP = 3           # starts a group; END_GROUP with the same field number ends it
    END_GROUP = 4
    FIXED32 = 5


cdef enum:
    # Field number << 3 | wire type.
    PIECES = 1 << 3 | 2             # ModelProto
    PIECE_TEXT = 1 << 3 | 2         # ModelProto.SentencePiece
    PIECE_SCORE = 2 << 3 | 5
    PIECE_TYPE = 3 << 3 | 0


cdef struct Cursor:
    # A position in bytes that belong to the caller. No function below reads at or after `end`.
    const uint8_t* data
    int64_t pos         # byte offset
    int64_t end         # of the message that is being read


# These raise ModelError with the byte offset if the bytes are no message. Same limits as protobuf's parser.
cdef int read_varint(Cursor* cursor, uint64_t* value) except -1 nogil       # at most 10 bytes, modulo 2^64
cdef int read_tag(Cursor* cursor, uint32_t* tag) except -1 nogil            # at most 5 bytes; field number not 0
cdef int read_size(Cursor* cursor, int64_t* size) except -1 nogil           # at most 5 bytes; not beyond `end`
cdef int skip_value(Cursor* cursor, uint32_t tag, int32_t depth) except -1 nogil    # depth: groups that may nest
cdef int fail(Fault fault, int64_t pos) except -1 nogil                     # always raises ModelError

cdef uint64_t varint_size(uint64_t value) noexcept nogil
cdef int put_varint(vector[uint8_t]& out, uint64_t value) except -1 nogil
cdef int put_bytes(vector[uint8_t]& out, uint32_t tag, bytes value) except -1    # a length-delimited field
cdef int put_text(vector[uint8_t]& out, uint32_t tag, const uint8_t* text, int64_t size) except -1 nogil     # the same
cdef int put_float(vector[uint8_t]& out, float value) except -1 nogil           # without a tag
cdef int put_piece(                     # a field with the message of a piece, whose type is 1..6
    vector[uint8_t]& out, uint8_t tag, const uint8_t* text, int64_t size, float score, int32_t piece_type,
    bint with_types=*,
) except -1 nogil
