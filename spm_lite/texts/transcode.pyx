"""Writes four characters at once by a byte shuffle (SSSE3) or by words, and rows of ASCII together.

The hot loops are `transcode_by_fours` and, without SSSE3, `transcode_chars`. Header: transcode.pxd.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from spm_lite.base.system.intrinsics cimport first_lowest
from spm_lite.base.system.signals cimport check_signals
from spm_lite.base.unicode.space_mark cimport MARK_POINT
from spm_lite.base.unicode.utf8 cimport encode_char
from spm_lite.texts.text_view cimport ARRAY_UNITS, LATIN, SOUND, TWO_BYTES, TextForm, width_of
from spm_lite.texts.transcode_ssse3 cimport MOVE_BYTES, can_shuffle, transcode_ssse3

from spm_lite.errors import TextError
from spm_lite.texts.text_view import lone_surrogate, name, too_long

cdef enum:
    LAST_CODE_POINT = 0x10FFFF

cdef enum:
    ROW = 16                # ASCII characters that are written together
    FOUR = 4                # characters of other scripts that are written together
    PART = 1 << 22          # characters between two signal checks
    MEASURED = 1 << 16      # characters from which on the bytes are counted before room is made for them
    N_MOVES = 256           # kinds of four characters, by their sizes in UTF-8

cdef uint8_t MOVES[N_MOVES * MOVE_BYTES]
cdef bint SHUFFLES = can_shuffle()


cdef void fill_moves() noexcept nogil:
    """Fill the shuffle mask of each kind. Bit k of a kind: character k has two bytes or more; bit k + 4: three."""
    cdef uint8_t* move
    cdef int32_t kind, k, n
    memset(MOVES, 0, sizeof(MOVES))
    for kind in range(N_MOVES):
        move = MOVES + kind * <int32_t> MOVE_BYTES
        for k in range(FOUR):
            for n in range(1 + (kind >> k & 1) + (kind >> (k + 4) & 1)):
                move[move[MOVE_BYTES - 1]] = <uint8_t> (4 * k + n)
                move[MOVE_BYTES - 1] += 1


fill_moves()


cdef int transcode(const TextView* view, uint8_t* out, Utf8Result* result) except -1 nogil:
    cdef int32_t width = width_of(view), begin = 0
    cdef Utf8Result part
    result[0] = Utf8Result(0, False, 0, 0)
    while begin < view.size:
        if begin:
            check_signals()
        part = transcode_part(
            view.data + <int64_t> begin * width, min(view.size - begin, PART), view.form, SHUFFLES, out,
        )
        if part.size < 0:
            result[0] = part
            find_wrong(view, result)
            return 0
        result.size += part.size
        result.has_mark |= part.has_mark
        out += part.size
        begin += min(view.size - begin, PART)
    return 0


cdef Utf8Result transcode_part(
    const uint8_t* source, int32_t n, TextForm form, bint shuffling, uint8_t* out,
) noexcept nogil:
    """Transcode `n` characters, or copy `n` bytes of UTF-8; the place of a wrong character is not set."""
    if form <= SOUND:
        memcpy(out, source, n)
        return Utf8Result(n, False, 0, 0)
    if form == LATIN:
        return transcode_by_fours(source, n, 1, out) if shuffling else transcode_chars(source, n, 1, out)
    if form == TWO_BYTES:
        return transcode_by_fours(source, n, 2, out) if shuffling else transcode_chars(source, n, 2, out)
    return transcode_by_fours(source, n, 4, out) if shuffling else transcode_chars(source, n, 4, out)


cdef inline Utf8Result transcode_by_fours(const uint8_t* source, int32_t n, int32_t width, uint8_t* out) noexcept nogil:
    """Transcode characters of `width` bytes, a constant, by shuffling bytes."""
    cdef uint8_t* start = out
    cdef uint32_t wrong = 0, mark = 0
    cdef int32_t i = 0, n_few
    while True:
        i += transcode_ssse3(source + <int64_t> i * width, n - i, width, MOVES, &out, &wrong, &mark)
        if i == n:
            return Utf8Result(-1 if wrong else out - start, mark != 0, 0, 0)
        n_few = min(n - i, <int32_t> FOUR)
        out = transcode_few(source + <int64_t> i * width, n_few, width, out, &wrong, &mark)
        i += n_few


cdef inline Utf8Result transcode_chars(const uint8_t* source, int32_t n, int32_t width, uint8_t* out) noexcept nogil:
    """Transcode characters of `width` bytes, a constant, without shuffling bytes."""
    cdef uint8_t* start = out
    cdef uint32_t wrong = 0, mark = 0
    cdef int32_t i = 0, end
    while i < n:
        if n - i >= ROW and narrow_row(source + <int64_t> i * width, width, out):
            out += <int32_t> ROW
            i += <int32_t> ROW
            continue
        end = n if n - i < ROW else i + <int32_t> ROW
        while i < end:
            if width == 2 and end - i >= FOUR and transcode_four(source + <int64_t> i * 2, out, &mark):
                out += 3 * <int32_t> FOUR
                i += <int32_t> FOUR
                continue
            out = transcode_few(source + <int64_t> i * width, min(end - i, <int32_t> FOUR), width, out, &wrong, &mark)
            i += <int32_t> FOUR
    return Utf8Result(-1 if wrong else out - start, mark != 0, 0, 0)


cdef inline uint8_t* transcode_few(
    const uint8_t* source, int32_t n, int32_t width, uint8_t* out, uint32_t* wrong, uint32_t* mark,
) noexcept nogil:
    """Transcode any characters; return the end of the output.

    Up to U+FFFF there is no branch: where one script follows another cannot be predicted.
    """
    cdef uint32_t code_point
    cdef int32_t i
    for i in range(n):
        code_point = read_code_unit(source + i * width, width)
        if width == 4 and code_point > 0xFFFF:
            wrong[0] |= code_point > LAST_CODE_POINT
            out += encode_char(code_point, out)
            continue
        if width > 1:
            wrong[0] |= code_point & 0xF800 == 0xD800
            mark[0] |= code_point == MARK_POINT
        write_word(word_of(code_point, width), out)
        out += <size_t> 1 + (code_point > 0x7F) + (width > 1 and code_point > 0x7FF)
    return out


cdef inline bint transcode_four(const uint8_t* source, uint8_t* out, uint32_t* mark) noexcept nogil:
    """Transcode four 2-byte characters that become three bytes each. False: one does not, nothing is written."""
    cdef uint64_t four = read_code_unit(source, 2) | <uint64_t> read_code_unit(source + 2, 2) << 16
    cdef uint64_t upper
    four |= <uint64_t> read_code_unit(source + 4, 2) << 32 | <uint64_t> read_code_unit(source + 6, 2) << 48
    upper = four & <uint64_t> 0xF800F800F800F800
    if has_zero(upper) | has_zero(upper ^ <uint64_t> 0xD800D800D800D800):
        return False  # below U+0800, or a surrogate
    mark[0] |= has_zero(four ^ <uint64_t> 0x2581258125812581) != 0
    write_word(words_of_two(<uint32_t> four), out)
    write_word(words_of_two(<uint32_t> (four >> 32)), out + 6)
    return True


cdef inline uint64_t has_zero(uint64_t four) noexcept nogil:
    """Return nonzero if one of four 16-bit numbers is 0."""
    return (four - <uint64_t> 0x0001000100010001) & ~four & <uint64_t> 0x8000800080008000


cdef inline uint64_t words_of_two(uint32_t two) noexcept nogil:
    """Return the UTF-8 of two characters from U+0800 to U+FFFF, three bytes each, the first byte lowest."""
    cdef uint64_t apart = two & <uint32_t> 0xFFFF | <uint64_t> (two >> 16) << 32
    apart = (
        <uint64_t> 0x008080E0008080E0 | (apart >> 12 & <uint64_t> 0x0000000F0000000F)
        | (apart << 2 & <uint64_t> 0x00003F0000003F00) | (apart & <uint64_t> 0x0000003F0000003F) << 16
    )
    return apart & 0xFFFFFF | (apart >> 8 & <uint64_t> 0xFFFFFF000000)


cdef inline uint64_t word_of(uint32_t code_point, int32_t width) noexcept nogil:
    """Return the UTF-8 of a character up to U+FFFF (width 1: up to U+00FF), the first byte lowest."""
    cdef uint64_t two = 0x80C0 | code_point >> 6 | (code_point & 0x3F) << 8
    cdef uint64_t three = 0x8080E0 | code_point >> 12 | (code_point << 2 & 0x3F00) | (code_point & 0x3F) << 16
    if width > 1:
        two = three if code_point > 0x7FF else two
    return two if code_point > 0x7F else code_point


cdef inline void write_word(uint64_t word, uint8_t* out) noexcept nogil:
    """Write eight bytes, the lowest one first."""
    word = first_lowest(word)
    memcpy(out, &word, 8)


cdef inline uint32_t read_code_unit(const uint8_t* source, int32_t width) noexcept nogil:
    """Read a character; numpy arrays are not always aligned."""
    cdef uint32_t four = 0
    cdef uint16_t two = 0
    if width == 1:
        return source[0]
    if width == 2:
        memcpy(&two, source, 2)
        return two
    memcpy(&four, source, 4)
    return four


cdef inline bint narrow_row(const uint8_t* source, int32_t width, uint8_t* out) noexcept nogil:
    """Write ROW characters; return whether all are ASCII. If not, the output is meaningless."""
    cdef uint32_t found = 0, unit
    cdef int32_t k
    # Test the last one first: text in another script returns at once. (Compilers vectorize the loop.)
    if read_code_unit(source + (<int32_t> ROW - 1) * width, width) > 0x7F:
        return False
    for k in range(ROW):
        unit = read_code_unit(source + k * width, width)
        found |= unit
        out[k] = <uint8_t> unit
    return found < 0x80


cdef void find_wrong(const TextView* view, Utf8Result* result) noexcept nogil:
    """Set in `result` the first character that has no UTF-8, and its place."""
    cdef int32_t i, width = width_of(view)
    for i in range(view.size):
        result.wrong = read_code_unit(view.data + <int64_t> i * width, width)
        if result.wrong > LAST_CODE_POINT or result.wrong & <uint32_t> 0xFFFFF800 == 0xD800:
            result.wrong_place = i
            return


cdef bint holds_mark(const TextView* view) noexcept nogil:
    cdef int32_t width = width_of(view)
    if width == 1:
        return False
    if width == 2:
        return has_unit(view.data, view.size, 2)
    return has_unit(view.data, view.size, 4)


cdef inline bint has_unit(const uint8_t* source, int32_t n, int32_t width) noexcept nogil:
    """Whether U+2581 is one of the characters. The loop has no early exit, so that compilers vectorize it."""
    cdef uint32_t found = 0
    cdef int32_t i
    for i in range(n):
        found |= read_code_unit(source + <int64_t> i * width, width) == MARK_POINT
    return found != 0


cdef int64_t transcoded_room(const TextView* view) noexcept nogil:
    cdef int64_t size = view.size
    cdef uint32_t code_point
    cdef int32_t i, width = width_of(view)
    if view.form <= SOUND:
        return size
    if view.size < MEASURED or view.form == ARRAY_UNITS:  # an array may change after it is counted
        return size * (4 if width == 4 else width + 1)
    for i in range(view.size):
        code_point = read_code_unit(view.data + <int64_t> i * width, width)
        size += (code_point > 0x7F) + (code_point > 0x7FF) + (code_point > 0xFFFF)
    return size


cdef int transcode_view(TextView* view, Py_ssize_t index, vector[uint8_t]& out) except -1 nogil:
    cdef int64_t room
    if view.form <= SOUND:
        return 0
    room = checked_room(view, index) + TRANSCODE_SLACK
    if <int64_t> out.size() < room:
        out.resize(room)
    return transcode_into(view, index, out.data())


cdef int64_t checked_room(const TextView* view, Py_ssize_t index) except -1 nogil:
    """`transcoded_room`. Raises TextError for a str that is too long, before memory is taken for its copy."""
    cdef int64_t room = transcoded_room(view)
    cdef Utf8Result result
    if room > INT32_MAX and view.form != ARRAY_UNITS:
        result.size = room
        refuse(&result, index)
    return room


cdef int transcode_into(TextView* view, Py_ssize_t index, uint8_t* out) except -1 nogil:
    """Transcode a text to `out` and make `view` show it."""
    cdef Utf8Result result
    transcode(view, out, &result)
    if result.size < 0 or result.size > INT32_MAX:
        refuse(&result, index)
    view[0] = TextView(out, <int32_t> result.size, SOUND)
    return 0


cdef int transcode_views(vector[TextView]& views, Py_ssize_t first, vector[uint8_t]& out) except -1 nogil:
    cdef int64_t room = TRANSCODE_SLACK, begin = 0
    cdef size_t i
    for i in range(views.size()):
        room += checked_room(&views[i], first + <Py_ssize_t> i) if views[i].form > SOUND else 0
    if <int64_t> out.size() < room:
        out.resize(room)
    for i in range(views.size()):
        if views[i].form > SOUND:
            transcode_into(&views[i], first + <Py_ssize_t> i, out.data() + begin)
            begin += views[i].size
    return 0


cdef int refuse(const Utf8Result* result, Py_ssize_t index) except -1 nogil:
    with gil:
        if result.size > INT32_MAX:
            raise too_long(index, result.size)
        if result.wrong <= LAST_CODE_POINT:
            raise lone_surrogate(index, result.wrong, result.wrong_place)
        raise TextError(
            f"{name(index)} holds {result.wrong:#x} at character {result.wrong_place}: code points end at 0x10ffff"
        )
