from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.errors import TextError


cdef int open_writer(
    Writer* writer, vector[uint8_t]& out, vector[int32_t]* align, int32_t n_kept, int32_t text_size, bint is_sound,
) except -1 nogil:
    """Start to overwrite the vectors after their first `n_kept` bytes."""
    writer.out = &out
    writer.align = align
    writer.size = writer.capacity = n_kept
    writer.text_size = text_size
    writer.is_sound = is_sound
    return resize_writer(writer, min(<int64_t> n_kept + text_size + 16, INT32_MAX))


cdef int resize_writer(Writer* writer, int64_t capacity) except -1 nogil:
    """Give the vectors room for `capacity` bytes and their offsets; a vector never shrinks."""
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


cdef int grow(Writer* writer, int32_t n_bytes) except -1 nogil:
    """Double the room, or take what is needed if that is more. Raises TextError above 2^31 - 1 bytes."""
    cdef int64_t needed = <int64_t> writer.size + n_bytes
    if needed > INT32_MAX:
        with gil:
            raise TextError(
                f"the text has {writer.text_size} bytes and grows to {needed} or more in normalization, "
                f"more than the {INT32_MAX} of one text: split it"
            )
    return resize_writer(writer, min(max(needed, 2 * <int64_t> writer.capacity), INT32_MAX))


cdef int close_writer(Writer* writer, int32_t pos) except -1 nogil:
    """Cut the vectors to what was written; the last offset is `pos`."""
    writer.out.resize(writer.size)
    if writer.align != NULL:
        writer.align.resize(<size_t> writer.size + 1)
        writer.align.data()[writer.size] = pos
    return 0
