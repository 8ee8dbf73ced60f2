"""Maps normalized places to bytes of the text: at once between two characters, by `CharRun` inside one.

The hot loop is that of `cover_bytes`. Header: covered_bytes.pxd.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcmp

from spm_lite.base.unicode.space_mark cimport MARK_BYTES, is_space_mark
from spm_lite.base.unicode.split_classes cimport white_before
from spm_lite.base.unicode.utf8 cimport char_size, lead_size
from spm_lite.encode.covered_bytes cimport ByteMap, CharRun

cdef enum:
    SPACE = 0x20


cdef ByteMap start_map(
    const uint8_t* text, const uint8_t* normalized, const int32_t* align, int32_t size, const uint8_t* classes,
) noexcept nogil:
    return ByteMap(text, normalized, align, size, classes, CharRun(0, 0, 0, 0, -1))


cdef void cover_bytes(ByteMap* map, int32_t* places, size_t n) noexcept nogil:
    cdef size_t first = 0, i, k     # first: of the byte pieces of a character
    cdef int32_t begin, end
    cdef bint by_bytes
    for i in range(n):
        begin, end = places[2 * i], places[2 * i + 1]
        if begin == end:
            continue  # a byte piece; the last one of its character has the place
        by_bytes = <int32_t> (i - first) + 1 == end - begin
        for k in range(first, i + 1):
            if by_bytes:
                end = begin + 1
            places[2 * k] = source_of(map, begin, False)
            places[2 * k + 1] = source_of(map, end, True)
            if by_bytes:
                begin += 1
        first = i + 1
    for k in range(first, n):  # of no character
        places[2 * k] = places[2 * k + 1] = source_of(map, places[2 * k], False)


cdef inline int32_t source_of(ByteMap* map, int32_t pos, bint is_end) noexcept nogil:
    """Return the place in the text of the normalized place `pos`, where an id begins or ends."""
    cdef CharRun* run = &map.run
    if pos == 0 or pos == map.size or map.align[pos] != map.align[pos - 1]:
        return end_of_source(map, pos) if is_end and pos else map.align[pos]
    if not run.begin < pos < run.end:
        look_at_run(map, pos)
    if run.same < 0:
        return run.source_end if is_end else run.source_begin
    return run.source_begin + min(max(pos - run.same, 0), run.source_end - run.source_begin)


cdef inline int32_t end_of_source(const ByteMap* map, int32_t pos) noexcept nogil:
    """Return where the text of the normalized character that ends at `pos` ends, without dropped white space."""
    cdef int32_t begin = map.align[pos - 1], end = map.align[pos], n
    if end - begin <= 1 or end - begin <= lead_size(map.text[begin]) or map.normalized[pos - 1] == SPACE:
        return end
    if pos >= MARK_BYTES and is_space_mark(map.normalized + pos - MARK_BYTES, MARK_BYTES):
        return end
    while True:
        n = white_before(map.classes, map.text + begin, end - begin)
        if n == 0 or n == end - begin:
            return end
        end -= n


cdef void look_at_run(ByteMap* map, int32_t pos) noexcept nogil:
    """Set the run that the normalized place `pos` is inside of."""
    cdef CharRun* run = &map.run
    cdef const uint8_t* source
    cdef int32_t n, k
    run.begin = run.end = pos
    while run.begin > 0 and map.align[run.begin - 1] == map.align[pos]:
        run.begin -= 1
    while run.end < map.size and map.align[run.end] == map.align[pos]:
        run.end += 1
    run.source_begin, run.source_end = map.align[pos], end_of_source(map, run.end)
    run.same = -1
    n = run.source_end - run.source_begin
    source = map.text + run.source_begin
    if n == 0 or max(char_size(source, n), 1) != n:
        return  # several characters at once
    for k in range(run.begin, run.end - n + 1):  # a prefix, or spaces on both sides, may have been added
        if memcmp(map.normalized + k, source, n) == 0:
            run.same = k
            return
