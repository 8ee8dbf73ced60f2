"""Lines of rank files, read fast: base64, a space, a rank, a line feed."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from spm_lite.formats.ranks.rank_table cimport RankTable

cdef enum:
    MAX_SIGNS = 10664   # of the base64 of a piece of 7,998 bytes; a longer one is left to the slower reader
    ROOM = 8000
    MAX_DIGITS = 9

cdef int8_t values[256]     # of the 64 signs; -1: another byte


cdef void fill_values() noexcept:
    cdef int i
    cdef bytes signs = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    cdef const uint8_t* data = signs
    for i in range(256):
        values[i] = -1
    for i in range(64):
        values[data[i]] = <int8_t> i


fill_values()


cdef int64_t decode(const uint8_t* text, int64_t size, uint8_t* out) noexcept nogil:
    """Decode base64 to `out` and return its size; -1: it is not in its usual form, without bits that are left."""
    cdef int64_t pos = 0, n = 0, n_signs = size
    cdef int32_t first, second, third, fourth
    if size == 0 or size % 4:
        return -1
    while n_signs > size - 2 and text[n_signs - 1] == 0x3D:
        n_signs -= 1
    while pos < n_signs:
        first, second = values[text[pos]], values[text[pos + 1]]
        third = values[text[pos + 2]] if pos + 2 < n_signs else 0
        fourth = values[text[pos + 3]] if pos + 3 < n_signs else 0
        if first | second | third | fourth < 0:
            return -1
        out[n] = <uint8_t> (first << 2 | second >> 4)
        out[n + 1] = <uint8_t> (second << 4 | third >> 2)
        out[n + 2] = <uint8_t> (third << 6 | fourth)
        n += 3
        pos += 4
    if n_signs == size:
        return n
    # The bits after the last byte are zero.
    n -= size - n_signs
    return n if out[n] == 0 else -1


def usual_ranks(bytes data not None):
    """Return the pieces of a file of lines in the usual form, with rising ranks and no piece twice; None for any other.

    The slower reader then finds what is unusual, and whether it is wrong.
    """
    cdef RankTable table = RankTable()
    cdef const uint8_t* text = data
    cdef int64_t size = len(data)
    cdef bint is_usual
    with nogil:
        table.texts.reserve(<size_t> size // 2)
        is_usual = read_all(text, size, table)
    return table if is_usual and len(table) and table.finish() < 0 else None


cdef bint read_all(const uint8_t* text, int64_t size, RankTable table) except -1 nogil:
    """Append the pieces of all lines; False: a line is unusual."""
    cdef int64_t pos = 0, begin, n, rank, last = -1
    cdef uint8_t out[ROOM]
    while pos < size:
        begin = pos
        while pos < size and text[pos] != 0x20 and pos - begin <= MAX_SIGNS:
            pos += 1
        if pos == size or text[pos] != 0x20 or pos - begin > MAX_SIGNS:
            return False
        n = decode(text + begin, pos - begin, out)
        if n < 1:
            return False
        pos += 1
        begin = pos
        rank = 0
        while pos < size and 0x30 <= text[pos] <= 0x39 and pos - begin < MAX_DIGITS:
            rank = 10 * rank + (text[pos] - 0x30)
            pos += 1
        if pos == begin or (pos < size and text[pos] != 0x0A) or rank <= last:
            return False
        pos += 1
        table.append(out, n, <int32_t> rank)
        last = rank
    return True
