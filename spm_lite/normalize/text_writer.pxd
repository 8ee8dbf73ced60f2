"""An output buffer for normalized text, with the offset in the input for each byte."""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libcpp.vector cimport vector


cdef struct Writer:
    # `bytes` and `starts` are the vectors' memory and move when these grow. A run: what one step of a normalizer reads.
    vector[uint8_t]* out
    vector[int32_t]* align      # NULL: not wanted
    uint8_t* bytes
    int32_t* starts             # starts[k]: offset in the input where the run of bytes[k] began; NULL: not wanted
    int32_t size                # bytes written
    int32_t capacity            # bytes that there is room for
    int32_t text_size           # bytes of the input, for an error message
    bint is_sound               # the input is known to be well-formed UTF-8


cdef inline int resize_writer(Writer* writer, int64_t capacity) except -1 nogil:
    """Give the vectors room for `capacity` bytes and their offsets; what a vector has is not taken away."""
    if <int64_t> writer.out.size() < capacity:
        writer.out.resize(capacity)
    writer.bytes = writer.out.data()
    writer.starts = NULL
    if writer.align != NULL:
        if <int64_t> writer.align.size() < capacity + 1:
            writer.align.resize(capacity + 1)
        writer.starts = writer.align.data()
    writer.capacity = <int32_t> capacity
    return 0


cdef inline int open_writer(
    Writer* writer, vector[uint8_t]& out, vector[int32_t]* align, int32_t n_kept, int32_t text_size, bint is_sound,
) except -1 nogil:
    """Start to write over what the vectors hold after `n_kept` bytes, with room for as many as the text has."""
    writer.out = &out
    writer.align = align
    writer.size = writer.capacity = n_kept
    writer.text_size = text_size
    writer.is_sound = is_sound
    return resize_writer(writer, min(<int64_t> n_kept + text_size + 16, INT32_MAX))


cdef inline int refuse_length(int32_t size, int64_t needed) except -1 nogil:
    """Raise TextError for a text of `size` bytes that becomes too long."""
    with gil:
        from spm_lite.errors import TextError

        raise TextError(
            f"the text has {size} bytes and grows to {needed} or more in normalization, "
            f"more than the {INT32_MAX} of one text: split it"
        )


cdef inline int grow(Writer* writer, int32_t n_bytes) except -1 nogil:
    """Twice the room, or what is needed. Raises TextError above 2^31 - 1 bytes."""
    cdef int64_t needed = <int64_t> writer.size + n_bytes
    if needed > INT32_MAX:
        refuse_length(writer.text_size, needed)
    return resize_writer(writer, min(max(needed, 2 * <int64_t> writer.capacity), INT32_MAX))


cdef inline int make_room(Writer* writer, int32_t n_bytes) except -1 nogil:
    """Make room for `n_bytes` more. Raises TextError if the text gets too long."""
    if n_bytes <= writer.capacity - writer.size:
        return 0
    return grow(writer, n_bytes)


cdef inline int write_byte(Writer* writer, uint8_t byte, int32_t pos) except -1 nogil:
    """Append a byte of the run that began at `pos`."""
    make_room(writer, 1)
    writer.bytes[writer.size] = byte
    if writer.starts != NULL:
        writer.starts[writer.size] = pos
    writer.size += 1
    return 0


cdef inline int write_bytes(Writer* writer, const uint8_t* run, int32_t n_bytes, int32_t pos) except -1 nogil:
    """Append bytes of the run that began at `pos`."""
    cdef int32_t k
    make_room(writer, n_bytes)
    for k in range(n_bytes):
        writer.bytes[writer.size + k] = run[k]
    if writer.starts != NULL:
        for k in range(n_bytes):
            writer.starts[writer.size + k] = pos
    writer.size += n_bytes
    return 0


cdef inline int close_writer(Writer* writer, int32_t pos) except -1 nogil:
    """Cut the vectors to what was written; the last offset is `pos`, where the text ends."""
    writer.out.resize(writer.size)
    if writer.align != NULL:
        writer.align.resize(<size_t> writer.size + 1)
        writer.align.data()[writer.size] = pos
    return 0
