"""Drops and sets apart what BERT does, and spells bytes as GPT-2 does. Header: sign_steps.pxd."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.bert_words cimport IDEOGRAPH, bert_kind, is_dropped
from spm_lite.base.unicode.utf8 cimport encode_char, read_char
from spm_lite.normalize.text_step cimport Changed, TextStep, add_bytes, begin_out, copy_bytes, end_out

cdef enum:
    FIRST_LEAD = 0xE3       # of ideographs, of U+FFFD and of private use
    SHIFTED = 0x100         # code point of the first byte that is not spelled as itself


@cython.final
cdef class BertStep(TextStep):
    """What rules cannot say of `BertNormalizer`: NUL, U+FFFD and private use go, and spaces surround ideographs.

    >>> BertStep(True, True).normalize("a\\0中".encode()).decode()
    'a 中 '
    """

    def __cinit__(self, bint drops, bint sets_apart):
        self.drops = drops
        self.sets_apart = sets_apart
        self.is_local = self.by_char = True

    def __reduce__(self):
        return BertStep, (bool(self.drops), bool(self.sets_apart))

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        cdef const uint8_t* space = <const uint8_t*> b" "
        cdef uint32_t code_point = 0
        cdef int32_t pos = 0, done = 0, step
        cdef bint is_changed = False, is_apart
        while pos < size:
            if 0 < text[pos] < FIRST_LEAD:
                pos += 1  # of a character that stays, or within one
                continue
            step = read_char(text + pos, size - pos, &code_point)
            is_apart = step and self.sets_apart and bert_kind(code_point) == IDEOGRAPH
            if step == 0 or not is_apart and not (self.drops and is_dropped(code_point)):
                pos += max(step, 1)
                continue
            if not is_changed:
                begin_out(out, align)
                is_changed = True
            copy_bytes(text, done, pos, out, align)
            if is_apart:
                add_bytes(space, 1, pos, out, align)
                copy_bytes(text, pos, pos + step, out, align)
                add_bytes(space, 1, pos, out, align)
            pos += step
            done = pos
        if not is_changed:
            return False
        copy_bytes(text, done, size, out, align)
        end_out(size, out, align)
        return True


@cython.final
cdef class SpellStep(TextStep):
    """Each byte becomes the character that spells it in the byte alphabet of GPT-2.

    >>> SpellStep().normalize(" é".encode()).decode()
    'ĠÃ©'
    """

    def __cinit__(self):
        cdef int32_t byte, n_shifted = 0
        self.is_local = self.by_char = True
        for byte in range(256):
            if 0x21 <= byte <= 0x7E or 0xA1 <= byte <= 0xAC or byte >= 0xAE:
                self.spelled[byte] = byte
            else:
                self.spelled[byte] = SHIFTED + n_shifted
                n_shifted += 1

    def __reduce__(self):
        return SpellStep, ()

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        cdef uint8_t spelling[4]
        cdef int32_t pos, n
        if size == 0:
            return False
        begin_out(out, align)
        for pos in range(size):
            n = encode_char(<uint32_t> self.spelled[text[pos]], spelling)
            add_bytes(spelling, n, pos, out, align)
        end_out(size, out, align)
        return True
