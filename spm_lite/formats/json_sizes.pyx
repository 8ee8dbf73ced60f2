"""The sizes of a JSON text, counted before it is parsed: hostile ones would take much more memory than their bytes."""

from libc.stdint cimport int64_t, uint8_t


def json_sizes(const uint8_t[::1] data not None):
    """Return (depth, objects, arrays, values) of a JSON text: the deepest nesting, and at least how many there are.

    values: what commas separate. Text in strings does not count. What is no JSON gets some numbers.
    """
    cdef int64_t size = data.shape[0], pos = 0, depth = 0, deepest = 0, n_objects = 0, n_arrays = 0, n_commas = 0
    cdef const uint8_t* text = &data[0] if size else NULL
    cdef uint8_t byte
    with nogil:
        while pos < size:
            byte = text[pos]
            pos += 1
            if byte == 0x22:
                while pos < size and text[pos] != 0x22:
                    pos += 2 if text[pos] == 0x5C else 1
                pos += 1
            elif byte == 0x7B or byte == 0x5B:
                n_objects += byte == 0x7B
                n_arrays += byte == 0x5B
                depth += 1
                deepest = max(deepest, depth)
            elif byte == 0x7D or byte == 0x5D:
                depth -= 1
            elif byte == 0x2C:
                n_commas += 1
    return deepest, n_objects, n_arrays, n_commas + n_objects + n_arrays
