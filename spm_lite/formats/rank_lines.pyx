"""Lines of rank files, read fast: base64, a space, a rank, a line feed."""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t

from spm_lite.vocab.vocab cimport CONTROL, NORMAL

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
    """Decode base64 and return the bytes; -1: it is not in its usual form, without bits that are left."""
    cdef int64_t i, n = 0, n_signs = size
    cdef uint32_t group = 0
    if size == 0 or size % 4:
        return -1
    while n_signs > size - 2 and text[n_signs - 1] == 0x3D:
        n_signs -= 1
    for i in range(n_signs):
        if values[text[i]] < 0:
            return -1
        group = group << 6 | <uint32_t> values[text[i]]
        if i % 4 == 3:
            out[n] = <uint8_t> (group >> 16)
            out[n + 1] = <uint8_t> (group >> 8)
            out[n + 2] = <uint8_t> group
            n += 3
            group = 0
    if n_signs % 4 == 2:
        if group & 0xF:
            return -1
        out[n] = <uint8_t> (group >> 4)
        return n + 1
    if n_signs % 4 == 3:
        if group & 0x3:
            return -1
        out[n] = <uint8_t> (group >> 10)
        out[n + 1] = <uint8_t> (group >> 2)
        return n + 2
    return n


def usual_ranks(bytes data not None):
    """Return rank -> piece for a file of lines in the usual form, each rank and piece once; None for any other.

    The slower reader then finds what is unusual, and whether it is wrong.
    """
    cdef const uint8_t* text = data
    cdef int64_t size = len(data), pos = 0, begin, n
    cdef int64_t rank
    cdef uint8_t out[ROOM]
    cdef dict found = {}
    while pos < size:
        begin = pos
        while pos < size and text[pos] != 0x20 and pos - begin <= MAX_SIGNS:
            pos += 1
        if pos == size or text[pos] != 0x20 or pos - begin > MAX_SIGNS:
            return None
        n = decode(text + begin, pos - begin, out)
        if n < 1:
            return None
        pos += 1
        begin = pos
        rank = 0
        while pos < size and 0x30 <= text[pos] <= 0x39 and pos - begin < MAX_DIGITS:
            rank = 10 * rank + (text[pos] - 0x30)
            pos += 1
        if pos == begin or (pos < size and text[pos] != 0x0A):
            return None
        pos += 1
        piece = (<const char*> out)[:n]
        if found.setdefault(rank, piece) is not piece:
            return None
    if not found or len(set(found.values())) < len(found):
        return None
    return found


def entries_by_rank(dict pieces not None, dict special not None):
    """Return (text, score, type) of each id: pieces of several bytes in the order of their merges, then single bytes.

    pieces: id -> bytes. special: id -> str, of control pieces. Together they have the ids 0 to n - 1.
    """
    cdef int64_t n_merged = 0, n_single = 0, rank = 0, i
    cdef bytes piece
    cdef list entries = []
    for piece in pieces.values():
        n_merged += len(piece) > 1
    for i in range(len(pieces) + len(special)):
        piece = pieces.get(i)
        if piece is None:
            entries.append((special[i], 0.0, CONTROL))
        elif len(piece) > 1:
            entries.append((piece, -<double> rank, NORMAL))
            rank += 1
        else:
            entries.append((piece, -<double> (n_merged + n_single), NORMAL))
            n_single += 1
    return entries
