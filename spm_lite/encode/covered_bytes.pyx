"""Maps normalized places to bytes of the text: at once between two characters, by `CharRun` inside one.

The hot loop is that of `cover_bytes`. Header: covered_bytes.pxd.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcmp

from spm_lite.base.unicode.space_mark cimport MARK_BYTES, is_space_mark
from spm_lite.base.unicode.split_classes cimport white_before
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, is_mark
from spm_lite.base.unicode.utf8 cimport char_size
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
    for i in range(n):
        begin, end = places[2 * i], places[2 * i + 1]
        if begin == end:
            continue  # a byte piece; the last one of its character has the place
        if first < i:
            put_bytes(map, begin, end, places + 2 * first, i + 1 - first)
        else:
            put_place(map, begin, end, places + 2 * i)
        first = i + 1
    for k in range(first, n):  # of no character
        put_place(map, places[2 * k], places[2 * k], places + 2 * k)


cdef inline void put_place(ByteMap* map, int32_t begin, int32_t end, int32_t* place) noexcept nogil:
    place[0] = source_of(map, begin, False)
    place[1] = source_of(map, end, end > begin)


cdef void put_bytes(ByteMap* map, int32_t begin, int32_t end, int32_t* places, size_t n) noexcept nogil:
    """Set the places of the byte pieces of a normalized text. A space may be spelled as the three bytes of U+2581."""
    cdef bint has_marks = <int32_t> n > end - begin
    cdef size_t k = 0, n_same
    while k < n and begin < end:
        n_same = <size_t> MARK_BYTES if has_marks and map.normalized[begin] == SPACE else 1
        while k < n and n_same:
            put_place(map, begin, begin + 1, places + 2 * k)
            k += 1
            n_same -= 1
        begin += 1


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
    if end - begin <= 1 or char_size(map.text + begin, end - begin) == end - begin or keeps_spaces(map, pos):
        return end
    while True:
        n = white_before(map.classes, map.text + begin, end - begin)
        if n == end - begin:
            return map.align[pos]  # it is nothing else
        if n == 0:
            return end
        end -= n


cdef inline bint keeps_spaces(const ByteMap* map, int32_t pos) noexcept nogil:
    """Whether a space or an added token ends at the normalized place `pos`: white space of the text may be in it."""
    if map.normalized[pos - 1] == SPACE:
        return True
    if pos >= MARK_BYTES and is_space_mark(map.normalized + pos - MARK_BYTES, MARK_BYTES):
        return True
    return (
        pos >= MARK_SIZE and is_mark(map.normalized + pos - MARK_SIZE, MARK_SIZE)
        and map.align[pos - MARK_SIZE] == map.align[pos - 1]
    )


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
    for k in range(run.end - n, run.begin - 1, -1):  # a prefix, or spaces on both sides, may have been added
        if memcmp(map.normalized + k, source, n) == 0:
            run.same = k
            return
