"""Copies what no rule can change: blocks of bytes that are tested together, then runs of characters of one width.

The hot loop is `copy_run`. `fill_range` and `fill_leads` prepare the filter. Header: plain_copy.pxd.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcpy

from spm_lite.base.unicode.utf8 cimport read_char
from spm_lite.normalize.text_writer cimport Writer, make_room

cdef enum:
    SPACE = 0x20
    SOUND_BLOCK = BLOCK + 2     # bytes read to test a block for U+2581

# The mask and the pattern of a character of three bytes, in the order of memory.
cdef uint32_t FORM_BITS = 0, FORM_OF_THREE = 0
memcpy(&FORM_BITS, b"\xF0\xC0\xC0\x00", 4)
memcpy(&FORM_OF_THREE, b"\xE0\x80\x80\x00", 4)


cdef struct CopyRun:
    # The state of a copy.
    const uint8_t* text
    int32_t size                # of the text
    int32_t at                  # bytes of it read
    int32_t stop                # where to stop reading: the room for output ends
    uint8_t* out
    int32_t* starts             # NULL: not wanted
    int32_t written
    bint after_space            # a space that follows is dropped
    bint is_sound               # the text is well-formed


cdef int copy_plain(
    const Filter* filter, Writer* writer, const uint8_t* text, int32_t size, int32_t stop, int32_t* pos,
    bint* after_space,
) except -1 nogil:
    """Copy characters, none beyond `stop`, until one may have to be changed; update `pos` and `after_space`."""
    cdef CopyRun run
    run.text = text
    run.size = size
    run.at = pos[0]
    run.after_space = after_space[0]
    run.is_sound = writer.is_sound
    while run.at < stop:
        make_room(writer, min(stop - run.at, 4))  # a character
        run.out = writer.bytes + writer.size
        run.starts = writer.starts + writer.size if writer.starts != NULL else <int32_t*> NULL
        run.stop = run.at + min(stop - run.at, writer.capacity - writer.size)
        run.written = 0
        copy_run(filter, &run)
        writer.size += run.written
        # If it stops less than a character before the end of the room, that character did not fit: take more room.
        if run.stop == stop or run.stop - run.at >= 4:
            break
    pos[0] = run.at
    after_space[0] = run.after_space
    return 0


cdef void copy_run(const Filter* filter, CopyRun* run) noexcept nogil:
    """Copy until `stop`, or until a character that a rule or the handling of spaces may change."""
    # Local variables: the compiler must assume that writing bytes can change anything in memory.
    cdef const uint8_t* char_flags = filter.char_flags
    cdef const uint8_t* text = run.text
    cdef bint drops_spaces = filter.drops_spaces
    cdef uint32_t mark = mark_of(filter)
    cdef bint after_space = run.after_space
    cdef uint8_t* out = run.out
    cdef int32_t* starts = run.starts
    cdef int32_t at = run.at
    cdef int32_t size = run.size, stop = run.stop
    cdef bint is_sound = run.is_sound and filter.keeps_sound and starts == NULL
    cdef uint32_t code_point = 0
    cdef int32_t n_bytes, width
    while at < stop:
        if is_sound:
            n_bytes = sound_span(filter, text + at, stop - at, size - at)
            if n_bytes:
                memcpy(out, text + at, n_bytes)
                out += n_bytes
                at += n_bytes
                if at == stop:
                    break
        # Many bytes at once: on English text several times as fast as one by one.
        if not (after_space and text[at] == SPACE):
            n_bytes = ascii_span(filter, text + at, stop - at)
            if n_bytes:
                memcpy(out, text + at, n_bytes)
                if starts != NULL:
                    fill_starts(starts, at, 1, n_bytes)
                    starts += n_bytes
                out += n_bytes
                at += n_bytes
                after_space = drops_spaces and text[at - 1] == SPACE
        # Then whole words of two-byte and three-byte characters.
        if filter.kinds[text[at]] == LEAD and text[at] < 0xF0:
            width = 2 if text[at] < 0xE0 else 3
            if width == 2:
                n_bytes = wide_span(filter, 2, text + at, stop - at, size - at)
            else:
                n_bytes = wide_span(filter, 3, text + at, stop - at, size - at)
            if n_bytes:
                memcpy(out, text + at, n_bytes)
                if starts != NULL:
                    fill_wide_starts(starts, at, width, n_bytes)
                    starts += n_bytes
                out += n_bytes
                at += n_bytes
                after_space = False
                continue
        if filter.kinds[text[at]] == STEP:
            break
        n_bytes = read_char(text + at, size - at, &code_point)
        if n_bytes > stop - at or stops_at(char_flags, mark, code_point, n_bytes, text + at, size - at):
            break
        if after_space and code_point == SPACE:
            at += 1
            continue
        after_space = drops_spaces and code_point == SPACE
        copy_char(out, text + at, n_bytes, stop - at)
        if starts != NULL:
            fill_starts(starts, at, 0, n_bytes)
            starts += n_bytes
        out += n_bytes
        at += n_bytes
    run.at = at
    run.written = <int32_t> (out - run.out)
    run.after_space = after_space


cdef inline int32_t sound_span(const Filter* filter, const uint8_t* text, int32_t room, int32_t size) noexcept nogil:
    """Return the bytes, at most `room`, of plain characters of any script at the start of well-formed text.

    size: bytes of the text. Few bytes are left to the other loops. For filters with `keeps_sound`.
    """
    cdef const uint8_t* rest
    cdef bint stops
    cdef int32_t at = 0
    while room - at >= SOUND_BLOCK and is_sound_block(filter, text + at):
        at += BLOCK
    if room >= SOUND_BLOCK > room - at:
        # The rest, in a block that overlaps the bytes already tested.
        rest = text + room - SOUND_BLOCK
        stops = filter.kinds[rest[<int32_t> BLOCK]] == STEP or filter.kinds[rest[<int32_t> BLOCK + 1]] == STEP
        if not stops and is_sound_block(filter, rest):
            at = room
    while 0 < at < size and text[at] & 0xC0 == 0x80:
        at -= 1
    return at


cdef inline bint is_sound_block(const Filter* filter, const uint8_t* text) noexcept nogil:
    """Whether BLOCK bytes are plain, and no U+2581 begins there, which may extend two bytes further."""
    cdef uint8_t mark_lead = 0xE2 if filter.stops_at_mark else 0xFF
    cdef uint8_t found = in_holes(filter, text)
    cdef int32_t k
    for k in range(BLOCK):
        found |= (is_within(text[k], &filter.plain, k) ^ 1) & (text[k] < 0x80)
        found |= (text[k] == mark_lead) & (text[k + 1] == 0x96) & (text[k + 2] == 0x81)
    return not found


cdef inline int32_t wide_span(
    const Filter* filter, int32_t width, const uint8_t* text, int32_t room, int32_t size,
) noexcept nogil:
    """Return the bytes, at most `room`, of plain characters of `width` bytes each. size: bytes of the text.

    It stores nothing, and `width` is a constant: half the time of the general loop on Japanese text.
    """
    cdef const uint8_t* char_flags = filter.char_flags
    cdef uint32_t mark = mark_of(filter)
    cdef uint32_t word = 0, code_point
    cdef int32_t at = 0
    while room - at >= width and filter.kinds[text[at]] == LEAD:
        if width == 3 and filter.safe_leads[text[at]] and room - at >= 4:
            memcpy(&word, text + at, 4)
            if word & FORM_BITS == FORM_OF_THREE:
                at += 3
                continue
        word = <uint32_t> text[at] << 8 | text[at + 1]
        if width == 2:
            code_point = (word >> 2 & 0x7C0) | (word & 0x3F)
            if word & 0xE0C0 != 0xC080 or code_point < 0x80:
                break
        else:
            word = word << 8 | text[at + 2]
            code_point = (word >> 4 & 0xF000) | (word >> 2 & 0xFC0) | (word & 0x3F)
            if word & 0xF0C0C0 != 0xE08080 or code_point < 0x800 or code_point & 0xF800 == 0xD800:
                break
        if stops_at(char_flags, mark, code_point, width, text + at, size - at):
            break
        at += width
    return at


cdef inline int32_t ascii_span(const Filter* filter, const uint8_t* text, int32_t room) noexcept nogil:
    """Return the bytes, fewer than `room`, of plain ASCII followed by more of it; no two spaces that become one."""
    cdef const uint8_t* kinds = &filter.kinds[0]
    cdef bint drops_spaces = filter.drops_spaces
    cdef int32_t at = 0
    while room - at > BLOCK and is_plain_block(filter, text + at):
        at += BLOCK
    # The rest, in a block that overlaps the bytes already tested.
    if 0 < at and room - at <= BLOCK and is_plain_block(filter, text + room - 1 - BLOCK):
        return room - 1
    while at + 1 < room and kinds[text[at]] == ASCII and kinds[text[at + 1]] == ASCII:
        if drops_spaces and text[at] == SPACE and text[at + 1] == SPACE:
            break
        at += 1
    return at


cdef inline bint is_plain_block(const Filter* filter, const uint8_t* text) noexcept nogil:
    """Whether BLOCK bytes and the one after them are plain ASCII, with no two spaces that become one.

    (Compilers vectorize these loops.)
    """
    cdef uint8_t found
    cdef int32_t k
    if text[0] >= 0x80:  # text in another script returns at once
        return False
    found = in_holes(filter, text)
    for k in range(BLOCK):
        found |= is_within(text[k], &filter.plain, k) ^ 1
        found |= (text[k] == filter.dropped[k]) & (text[k + 1] == filter.dropped[k])
    return not found and filter.kinds[text[<int32_t> BLOCK]] == ASCII


cdef inline uint8_t in_holes(const Filter* filter, const uint8_t* text) noexcept nogil:
    """Whether one of BLOCK bytes is in a hole; most filters have none."""
    cdef uint8_t found = 0
    cdef int32_t k
    if filter.has_holes:
        for k in range(BLOCK):
            found |= is_within(text[k], &filter.holes[0], k) | is_within(text[k], &filter.holes[1], k)
            found |= is_within(text[k], &filter.holes[2], k)
    return found


cdef inline uint8_t is_within(uint8_t byte, const ByteRange* within, int32_t k) noexcept nogil:
    """Whether byte number k of a block is in the range."""
    return <uint8_t> (byte - within.first[k]) <= within.n_more[k]


cdef void fill_leads(Filter* filter) noexcept nogil:
    """Set `safe_leads` and `keeps_sound`."""
    cdef int32_t byte
    filter.keeps_sound = filter.char_flags == NULL and not filter.drops_spaces
    for byte in range(256):
        if byte >= 0x80 and filter.kinds[byte] == STEP:
            filter.keeps_sound = False
        filter.safe_leads[byte] = (
            0xE1 <= byte <= 0xEF and byte != 0xED and not (byte == 0xE2 and filter.stops_at_mark)
            and filter.kinds[byte] == LEAD and filter.char_flags == NULL
        )


cdef void fill_range(Filter* filter) noexcept nogil:
    """Find the widest range of plain ASCII that holds the letters, with at most three holes, none below the space."""
    cdef int32_t first = c'a', last = c'a' - 1, lowest = 0, byte, k, n_holes = 0
    cdef int32_t begins[3]
    cdef int32_t ends[3]
    for byte in range(SPACE):
        if filter.kinds[byte] != ASCII:
            lowest = byte + 1
    while last < 0x7F or first > lowest:
        # Add the letters first, then the bytes before them, then the few after them.
        byte = last + 1 if last < c'z' or first == lowest else first - 1
        if filter.kinds[byte] != ASCII:
            k = n_holes - 1
            if n_holes and begins[k] - 1 <= byte <= ends[k] + 1:
                begins[k], ends[k] = min(begins[k], byte), max(ends[k], byte)
            elif n_holes == 3:
                break
            else:
                begins[n_holes] = ends[n_holes] = byte
                n_holes += 1
        first, last = min(first, byte), max(last, byte)
    while filter.kinds[first] != ASCII and first < last:  # bytes of other kinds at its ends are no holes
        first += 1
    while filter.kinds[last] != ASCII and first < last:
        last -= 1
    if filter.kinds[first] != ASCII:  # the rules may change all of ASCII
        first = last = 0xFF
    set_range(&filter.plain, first, last)
    filter.has_holes = False
    for k in range(3):
        if k < n_holes and first < begins[k] < last:
            set_range(&filter.holes[k], begins[k], ends[k])
            filter.has_holes = True
        else:
            set_range(&filter.holes[k], 0xFF, 0xFF)
    for k in range(BLOCK):
        filter.dropped[k] = SPACE if filter.drops_spaces else 0xFF


cdef void set_range(ByteRange* to, int32_t first, int32_t last) noexcept nogil:
    cdef int32_t k
    for k in range(BLOCK):
        to.first[k], to.n_more[k] = <uint8_t> first, <uint8_t> (last - first)


cdef inline void copy_char(uint8_t* out, const uint8_t* text, int32_t n_bytes, int32_t room) noexcept nogil:
    """Copy one character; there are `room` bytes of text and of output left."""
    cdef int32_t k
    if room >= 4:  # one store; bytes beyond the character are overwritten
        memcpy(out, text, 4)
        return
    for k in range(n_bytes):
        out[k] = text[k]


cdef inline void fill_wide_starts(int32_t* starts, int32_t first, int32_t width, int32_t count) noexcept nogil:
    """Fill the starts of `count` bytes of characters of `width` bytes each."""
    cdef int32_t k
    for k in range(count):
        starts[k] = first + k - k % width


cdef inline void fill_starts(int32_t* starts, int32_t first, int32_t step, int32_t count) noexcept nogil:
    cdef int32_t k
    for k in range(count):
        starts[k] = first + k * step
