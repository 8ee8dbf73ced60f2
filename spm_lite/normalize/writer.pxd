"""An output buffer for normalized text, with the offset in the input for each byte."""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector


cdef struct Writer:
    # `bytes` and `starts` are the vectors' memory and move when these grow.
    vector[uint8_t]* out
    vector[int32_t]* align      # NULL: not wanted
    uint8_t* bytes
    int32_t* starts             # starts[k]: offset in the input where the chunk of bytes[k] began; NULL: not wanted
    int32_t size                # bytes written
    int32_t capacity            # bytes that there is room for
    int32_t text_size           # bytes of the input, for an error message
    bint is_sound               # the input is known to be well-formed UTF-8


cdef int open_writer(
    Writer* writer, vector[uint8_t]& out, vector[int32_t]* align, int32_t n_kept, int32_t text_size, bint is_sound,
) except -1 nogil               # with `n_kept` bytes, which stay, and room for a text of the input's size
cdef int grow(Writer* writer, int32_t n_bytes) except -1 nogil
cdef int close_writer(Writer* writer, int32_t pos) except -1 nogil     # `pos`: the offset where the text ends


cdef inline int make_room(Writer* writer, int32_t n_bytes) except -1 nogil:
    """Make room for `n_bytes` more. Raises TextError if the text gets too long."""
    if n_bytes <= writer.capacity - writer.size:
        return 0
    return grow(writer, n_bytes)


cdef inline int write_byte(Writer* writer, uint8_t byte, int32_t pos) except -1 nogil:
    """Append a byte of the chunk that began at `pos`."""
    make_room(writer, 1)
    writer.bytes[writer.size] = byte
    if writer.starts != NULL:
        writer.starts[writer.size] = pos
    writer.size += 1
    return 0


cdef inline int write_bytes(Writer* writer, const uint8_t* chunk, int32_t n_bytes, int32_t pos) except -1 nogil:
    """Append bytes of the chunk that began at `pos`."""
    cdef int32_t k
    make_room(writer, n_bytes)
    for k in range(n_bytes):
        writer.bytes[writer.size + k] = chunk[k]
    if writer.starts != NULL:
        for k in range(n_bytes):
            writer.starts[writer.size + k] = pos
    writer.size += n_bytes
    return 0
