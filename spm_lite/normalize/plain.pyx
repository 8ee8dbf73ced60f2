from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from spm_lite.normalize.char_filter cimport CONTINUES, FIRES, FOLLOWS
from spm_lite.normalize.utf8 cimport char_size, decode_char
from spm_lite.normalize.writer cimport Writer, make_room

cdef enum Constants:
    SPACE = 0x20
    BLOCK = 8                   # bytes of ASCII that are tested and copied at once
    SPACE_MARK = 0x2581


cdef struct Run:
    # A copy under way; local copies of the writer's pointers, which stay where they are meanwhile.
    const uint8_t* text
    int32_t size                # of the text
    int32_t at                  # bytes of it read
    int32_t stop                # where to stop reading: the room for output ends
    uint8_t* out
    int32_t* starts             # NULL: not wanted
    int32_t written
    bint after_space            # a space that comes now is dropped


cdef int copy_plain(
    const Filter* filter, Writer* writer, const uint8_t* text, int32_t size, int32_t* pos, bint* after_space,
) except -1 nogil:
    """Copy characters until one may have to be changed; `pos` and `after_space` move along."""
    cdef Run run
    run.text = text
    run.size = size
    run.at = pos[0]
    run.after_space = after_space[0]
    while run.at < size:
        make_room(writer, min(size - run.at, 4))  # a character
        run.out = writer.bytes + writer.size
        run.starts = writer.starts + writer.size if writer.starts != NULL else <int32_t*> NULL
        run.stop = run.at + min(size - run.at, writer.capacity - writer.size)
        run.written = 0
        copy_run(filter, &run)
        writer.size += run.written
        # Short of `stop` by less than a character: it did not fit.
        if run.stop == size or run.stop - run.at >= 4:
            break
    pos[0] = run.at
    after_space[0] = run.after_space
    return 0


cdef void copy_run(const Filter* filter, Run* run) noexcept nogil:
    """Copy until `stop`, or until a character that a rule or the handling of spaces may change."""
    cdef int32_t n_bytes
    cdef uint8_t kind
    while run.at < run.stop:
        kind = filter.kinds[run.text[run.at]]
        if kind == ASCII:
            # Eight bytes at once: on English text several times as fast as one by one.
            if run.stop - run.at > BLOCK and is_plain_block(filter, run):
                copy_block(run)
                run.after_space = filter.drops_spaces and run.text[run.at - 1] == SPACE
                continue
            n_bytes = 1
        elif kind == LEAD:
            n_bytes = char_size(run.text + run.at, run.size - run.at)
            if n_bytes == 0:
                return
        else:
            return
        if n_bytes > run.stop - run.at or not is_plain_char(filter, run, n_bytes):
            return
        if run.after_space and run.text[run.at] == SPACE:
            run.at += 1
            continue
        run.after_space = filter.drops_spaces and run.text[run.at] == SPACE
        copy_char(run, n_bytes)


cdef inline bint is_plain_char(const Filter* filter, const Run* run, int32_t n_bytes) noexcept nogil:
    """Whether neither a rule nor the handling of space marks changes the next character, `n_bytes` long."""
    cdef uint32_t code_point
    cdef uint8_t flags
    cdef int32_t next_at = run.at + n_bytes
    cdef int32_t next_size
    if n_bytes == 4:
        return True  # where rules start with such a character, its first byte stops the copy
    code_point = decode_char(run.text + run.at, n_bytes)
    if code_point == SPACE_MARK and filter.stops_at_mark:
        return False
    if filter.char_flags == NULL:
        return True
    flags = filter.char_flags[code_point]
    if not flags & (FIRES | CONTINUES):
        return True
    if flags & FIRES:
        return False
    # Longer rules start here; seldom does one of them read on.
    if next_at == run.size:
        return True
    next_size = char_size(run.text + next_at, run.size - next_at)
    if next_size == 0 or next_size == 4:
        return False
    return not filter.char_flags[decode_char(run.text + next_at, next_size)] & FOLLOWS


cdef inline bint is_plain_block(const Filter* filter, const Run* run) noexcept nogil:
    """Whether 8 bytes and the one behind them are plain ASCII, without a space to drop."""
    cdef const uint8_t* text = run.text + run.at
    cdef uint8_t kinds = 0
    cdef int32_t k
    for k in range(BLOCK + 1):
        kinds |= filter.kinds[text[k]]
    if kinds != ASCII:
        return False
    if not filter.drops_spaces:
        return True
    return not (run.after_space and text[0] == SPACE) and not has_double_space(text)


cdef inline bint has_double_space(const uint8_t* text) noexcept nogil:
    """Whether two of 8 ASCII bytes side by side are spaces, on any byte order."""
    cdef uint64_t word = 0, spaces
    memcpy(&word, text, BLOCK)
    word ^= <uint64_t> 0x2020202020202020
    # Bit 7 of each byte that is now 0; bytes are below 0x80, so nothing is carried from one to the next.
    spaces = ~(word + <uint64_t> 0x7F7F7F7F7F7F7F7F) & <uint64_t> 0x8080808080808080
    return spaces & spaces >> 8 != 0


cdef inline void copy_block(Run* run) noexcept nogil:
    """Copy 8 ASCII bytes, each a chunk of its own."""
    cdef int32_t k
    memcpy(run.out + run.written, run.text + run.at, BLOCK)
    if run.starts != NULL:
        for k in range(BLOCK):
            run.starts[run.written + k] = run.at + k
    run.written += BLOCK
    run.at += BLOCK


cdef inline void copy_char(Run* run, int32_t n_bytes) noexcept nogil:
    """Copy one character, one chunk."""
    cdef int32_t k
    if run.stop - run.at >= 4:  # one store; what is too much is written over
        memcpy(run.out + run.written, run.text + run.at, 4)
    else:
        for k in range(n_bytes):
            run.out[run.written + k] = run.text[run.at + k]
    if run.starts != NULL:
        for k in range(n_bytes):
            run.starts[run.written + k] = run.at
    run.written += n_bytes
    run.at += n_bytes
