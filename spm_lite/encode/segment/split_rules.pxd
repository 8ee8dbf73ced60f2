"""Split patterns: where a match of the pattern of GPT-2, cl100k, o200k or a relative of these ends; header only.

A pattern cuts a text from the left: each match begins where the last one ended, and every character is in a match. The
functions below are the alternatives of the patterns, written out. `split_pattern_names.py` has the patterns themselves.
Nearly all matches of English are words of ASCII, whose ends are found eight characters at once (SWAR).
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.patterns.pattern_scanner cimport not_between
from spm_lite.base.system.intrinsics cimport first_bit, first_lowest
from spm_lite.base.unicode.split_classes cimport (
    CASELESS, CL100K, GPT2, LOWER, MARK, NO_CLASS, NUMBER, O200K, UPPER, WHITE, SplitRules,
)
from spm_lite.base.unicode.utf8 cimport char_size, decode_char


cdef enum:
    ASCII_ROOM = 16     # bytes that must be readable where a word begins


cdef inline uint64_t ascii_word(const uint8_t* text) noexcept nogil:
    cdef uint64_t word = 0
    memcpy(&word, text, 8)
    return first_lowest(word)


cdef inline int32_t end_of_lower(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the end of at most 7 lower-case letters; 0: there are more."""
    cdef uint64_t stop = not_between(ascii_word(text + pos), 0x61, 0x7A)
    return pos + (first_bit(stop) >> 3) if stop else 0


cdef inline int32_t end_of_plain_letters(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the end of a run of letters; 0: it has more than 15."""
    cdef uint64_t small = 0x2020202020202020
    cdef uint64_t stop = not_between(ascii_word(text + pos) | small, 0x61, 0x7A)
    if stop == 0:
        pos += 8
        stop = not_between(ascii_word(text + pos) | small, 0x61, 0x7A)
    return pos + (first_bit(stop) >> 3) if stop else 0


cdef inline int32_t end_of_plain_cased(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the end of upper-case letters and the lower-case ones after them; 0: they are many."""
    cdef uint64_t word = ascii_word(text + pos), stop = not_between(word, 0x41, 0x5A)
    if stop == 0:
        return 0
    stop = not_between(word, 0x61, 0x7A) & ~(<uint64_t> 0) << (first_bit(stop) - 7)
    return pos + (first_bit(stop) >> 3) if stop else end_of_lower(text, pos + 8)


cdef inline int32_t end_of_ascii_word(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size,
) noexcept nogil:
    """Return where the match at `pos` < `size` ends if it is a word before other ASCII; 0: `end_of_match` must tell.

    ASCII_ROOM bytes from any place in `text` must be readable. No text that follows could end the match elsewhere.
    """
    cdef uint8_t first = text[pos], kind
    cdef int32_t begin = pos, end
    cdef bint at_end = False
    if first >= 0x80:
        return 0
    kind = rules.classes[first]
    if not is_letter(kind):
        if rules.form == GPT2 and first != 0x20 or kind == NUMBER or is_line_end(first):
            return 0
        begin += 1
    if begin == size or first == 0x27 and rules.form != O200K:
        return 0
    end = end_of_plain_cased(text, begin) if rules.form == O200K else end_of_plain_letters(text, begin)
    if end <= begin or end >= size or text[end] >= 0x80:
        return 0
    if text[end] == 0x27 and rules.form == O200K and rules.has_contractions:
        end += contraction_size(text, end, size, True, &at_end)
        return 0 if at_end else end
    return end


cdef inline int32_t end_of_next_match(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, bint* at_end,
) noexcept nogil:
    """As `end_of_match`, if ASCII_ROOM bytes from any place in `text` are readable: one and a half times as fast."""
    cdef int32_t end = end_of_ascii_word(rules, text, pos, size)
    return end if end else end_of_match(rules, text, pos, size, at_end)


cdef inline uint8_t class_at(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, int32_t* step,
) noexcept nogil:
    """Return the class of the character at `pos`, and set `step` to its bytes. An ill-formed byte has no class."""
    if text[pos] < 0x80:
        step[0] = 1
        return rules.classes[text[pos]]
    step[0] = char_size(text + pos, size - pos)
    if step[0] == 0:
        step[0] = 1
        return NO_CLASS
    return rules.classes[decode_char(text + pos, step[0])]


cdef inline bint is_letter(uint8_t kind) noexcept nogil:
    return 1 <= kind <= 3


cdef inline bint is_sign(uint8_t kind) noexcept nogil:
    """Whether a character is neither a letter nor a number nor white space."""
    return kind == NO_CLASS or kind == MARK


cdef inline bint is_line_end(uint8_t byte) noexcept nogil:
    return byte == 0x0A or byte == 0x0D


cdef inline int32_t end_of_letters(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, bint* at_end,
) noexcept nogil:
    cdef int32_t step = 0
    while pos < size:
        if text[pos] < 0x80:
            if not is_letter(rules.classes[text[pos]]):
                return pos
            pos += 1
        elif is_letter(class_at(rules, text, pos, size, &step)):
            pos += step
        else:
            return pos
    at_end[0] = True
    return pos


cdef inline int32_t end_of_numbers(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, bint* at_end,
) noexcept nogil:
    cdef int32_t step = 0, n = 0
    while pos < size:
        if class_at(rules, text, pos, size, &step) != NUMBER:
            return pos
        pos += step
        n += 1
        if n == rules.max_digits:
            return pos
    at_end[0] = True
    return pos


cdef inline int32_t end_of_signs(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, bint* at_end,
) noexcept nogil:
    """Return the end of a run of signs, with the line ends after it (not in GPT-2) and the slashes (in O200K)."""
    cdef int32_t step = 0
    while pos < size and is_sign(class_at(rules, text, pos, size, &step)):
        pos += step
    if rules.form != GPT2:
        while pos < size and (is_line_end(text[pos]) or (rules.form == O200K and text[pos] == 0x2F)):
            pos += 1
    if pos == size:
        at_end[0] = True
    return pos


cdef inline int32_t end_of_white(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, bint* at_end,
) noexcept nogil:
    """Return the end of a match in white space.

    It ends after the last line end of the run (not for GPT-2), else before the last character, which the next match may
    take, or with the run, if that is one character or ends the text.
    """
    cdef int32_t end = pos, last = pos, line_end = 0, step = 0
    while end < size and class_at(rules, text, end, size, &step) == WHITE:
        last = end
        end += step
        if is_line_end(text[last]):
            line_end = end
    if end == size:
        at_end[0] = True
        if rules.takes_end:
            return end
    if line_end and rules.form != GPT2:
        return line_end
    return last if last > pos and end < size else end


cdef inline int32_t contraction_size(
    const uint8_t* text, int32_t pos, int32_t size, bint ignores_case, bint* at_end,
) noexcept nogil:
    """Return the bytes of 's, 't, 'm, 'd, 're, 've or 'll at `pos`; 0: there is none.

    Where case is ignored, U+017F is an s.
    """
    cdef uint8_t first, second
    if pos >= size or text[pos] != 0x27:
        return 0
    if pos + 2 >= size:
        at_end[0] = True
        if pos + 1 >= size:
            return 0
    first = text[pos + 1]
    if ignores_case:
        if first == 0xC5 and pos + 2 < size and text[pos + 2] == 0xBF:
            return 3
        if 0x41 <= first <= 0x5A:
            first |= 0x20
    if first == 0x73 or first == 0x74 or first == 0x6D or first == 0x64:
        return 2
    if pos + 2 >= size:
        return 0
    second = text[pos + 2]
    if ignores_case and 0x41 <= second <= 0x5A:
        second |= 0x20
    if (first == 0x72 or first == 0x76) and second == 0x65:
        return 3
    return 3 if first == 0x6C and second == 0x6C else 0


cdef inline int32_t end_of_cased_word(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, bint needs_lower, bint* at_end,
) noexcept nogil:
    """Return the end of the letters and marks of a word of O200K; -1: there is none.

    First come those that are not lower case, then those that are not upper case. needs_lower: of the second kind there
    must be one at least, else of the first.
    """
    cdef int32_t step = 0, begin = pos, both_end = -1
    cdef uint8_t kind = NO_CLASS
    while pos < size:
        kind = class_at(rules, text, pos, size, &step)
        if kind != UPPER and kind != CASELESS and kind != MARK:
            break
        pos += step
        if kind != UPPER:
            both_end = pos
    if pos == size:
        at_end[0] = True
    if not needs_lower:
        return pos if pos > begin else -1
    if pos == size or kind != LOWER:
        return both_end
    while pos < size:
        kind = class_at(rules, text, pos, size, &step)
        if kind != LOWER and kind != CASELESS and kind != MARK:
            return pos
        pos += step
    at_end[0] = True
    return pos


cdef inline int32_t match_cased_word(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, uint8_t kind, int32_t step, bint* at_end,
) noexcept nogil:
    """Return the end of a word of O200K with the sign before it and the contraction after it; -1: there is none.

    kind, step: class and bytes of the first character.
    """
    cdef bint may_prefix = not is_letter(kind) and kind != NUMBER and not is_line_end(text[pos])
    cdef int32_t end = -1
    cdef int i
    for i in range(2):
        if may_prefix:
            end = end_of_cased_word(rules, text, pos + step, size, i == 0, at_end)
        if end < 0:
            end = end_of_cased_word(rules, text, pos, size, i == 0, at_end)
        if end >= 0:
            break
    if end >= 0 and rules.has_contractions:
        end += contraction_size(text, end, size, True, at_end)
    return end


cdef inline int32_t end_of_match(
    const SplitRules* rules, const uint8_t* text, int32_t pos, int32_t size, bint* at_end,
) noexcept nogil:
    """Return where the match that begins at `pos` < `size` ends.

    at_end: set to True if the match could end elsewhere, were more text to follow; else left as it is.
    """
    cdef int32_t step = 0, next_step = 0, next_pos, end
    cdef uint8_t kind
    if text[pos] == 0x27 and rules.form != O200K:
        end = contraction_size(text, pos, size, rules.form == CL100K, at_end)
        if end:
            return pos + end
    kind = class_at(rules, text, pos, size, &step)
    if rules.form == O200K:
        end = match_cased_word(rules, text, pos, size, kind, step, at_end)
        if end >= 0:
            return end
    elif is_letter(kind):
        return end_of_letters(rules, text, pos + step, size, at_end)
    elif rules.form == CL100K and kind != NUMBER and not is_line_end(text[pos]):
        next_pos = pos + step
        if next_pos == size:
            at_end[0] = True
        elif is_letter(class_at(rules, text, next_pos, size, &next_step)):
            return end_of_letters(rules, text, next_pos + next_step, size, at_end)
    if kind == NUMBER:
        return end_of_numbers(rules, text, pos, size, at_end)
    if is_sign(kind):
        return end_of_signs(rules, text, pos, size, at_end)
    if text[pos] == 0x20:
        next_pos = pos + 1
        if next_pos == size:
            at_end[0] = True
            return size
        kind = class_at(rules, text, next_pos, size, &next_step)
        if is_sign(kind):
            return end_of_signs(rules, text, next_pos, size, at_end)
        if rules.form == GPT2 and is_letter(kind):
            return end_of_letters(rules, text, next_pos + next_step, size, at_end)
        if rules.form == GPT2 and kind == NUMBER:
            return end_of_numbers(rules, text, next_pos, size, at_end)
    return end_of_white(rules, text, pos, size, at_end)


cdef inline int32_t last_break(
    const SplitRules* rules, const uint8_t* text, int32_t size, int32_t begin,
) noexcept nogil:
    """Return the last offset after `begin` where a match begins, whatever stands before and after; 0: none.

    Such an offset is that of a space after a visible ASCII character, and that of a sign after a letter.
    """
    cdef int32_t pos = size - 1, before, step = 0
    while pos > begin:
        if text[pos] == 0x20:
            if 0x21 <= text[pos - 1] <= 0x7E:
                return pos
        elif text[pos] & 0xC0 != 0x80 and text[pos] != 0x27:
            if class_at(rules, text, pos, size, &step) == NO_CLASS and pos + step <= size:
                before = pos - 1
                while before > begin and text[before] & 0xC0 == 0x80:
                    before -= 1
                if is_letter(class_at(rules, text, before, pos, &step)):
                    return pos
        pos -= 1
    return 0
