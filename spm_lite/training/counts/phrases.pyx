"""Joins the chunks of a text to phrases. Header: phrases.pxd."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from spm_lite.base.structures.text_hash cimport HashKey, hash_text
from spm_lite.base.unicode.bert_words cimport PUNCTUATION, bert_kind
from spm_lite.base.unicode.decimal_digits cimport is_decimal
from spm_lite.base.unicode.invisibles cimport BLANK_SIGN, invisible_kind
from spm_lite.base.unicode.scripts cimport COMMON, script_of
from spm_lite.base.unicode.space_mark cimport MARK_BYTES, is_space_mark
from spm_lite.base.unicode.utf8 cimport char_size, decode_char
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin

cdef HashKey document_key = HashKey(0x9E3779B9, 0x7F4A7C15, 0xD6E8FEB86659FD93)     # the same everywhere


cdef uint64_t document_mark(const uint8_t* text, uint64_t size) noexcept nogil:
    """Return the mark of a document: one of 64 bits, which its bytes decide."""
    return <uint64_t> 1 << (hash_text(text, size, &document_key) & 63)


def mark_of(bytes document not None):
    """Return the mark of a document, a power of two below 2^64."""
    return document_mark(document, len(document))


cdef inline bint is_letter(uint32_t code_point) noexcept nogil:
    """Whether the character has a script, or takes that of a letter before it, and is no digit and no punctuation."""
    if code_point < 0x80:
        return 0x61 <= (code_point | 0x20) <= 0x7A
    return script_of(code_point) != COMMON and not is_decimal(code_point) and bert_kind(code_point) != PUNCTUATION


cdef inline bint is_apostrophe(uint32_t code_point) noexcept nogil:
    return code_point == 0x27 or code_point == 0x2019


cdef inline bint is_sign(uint32_t code_point) noexcept nogil:
    """Whether the character is neither a digit nor white space nor a control character."""
    if code_point < 0x80:
        return 0x21 <= code_point <= 0x7E and not 0x30 <= code_point <= 0x39
    return code_point >= 0xA0 and not is_decimal(code_point) and invisible_kind(code_point) != BLANK_SIGN


cdef inline bint ends_sentence(uint32_t code_point) noexcept nogil:
    return code_point in (
        0x2E, 0x21, 0x3F, 0x2026, 0x203D, 0x3002, 0xFF01, 0xFF1F, 0x964, 0x965, 0x61F, 0x6D4, 0x589, 0x1362,
    )


cdef inline bint closes(uint32_t code_point) noexcept nogil:
    """Whether the character may stand between the end of a sentence and the space after it."""
    return code_point in (0x22, 0x27, 0x201D, 0x2019, 0x29, 0x5D, 0x7D, 0xBB, 0x203A, 0x2A, 0x5F)


@cython.final
cdef class PhraseMaker:
    """Joins the chunks of texts, given in order, to phrases, and counts these in a table."""

    def __cinit__(self, ChunkTable table not None, Inside inside, bint in_bytes):
        self.table = table
        self.inside = inside
        self.in_bytes = in_bytes

    cdef void start(self, const uint8_t* text, uint64_t size) noexcept nogil:
        self.mark = document_mark(text, size)

    cdef int add(self, const uint8_t* text, uint64_t size, uint64_t count) except -1 nogil:
        cdef Part part = self.part_of(text, size)
        cdef bint joins = self.is_open and part != NO_PART
        if self.inside == ONLY_LETTERS:
            joins = joins and self.has_apostrophe == (part == UNSPACED)
        elif part == SPACED:
            joins = joins and not self.has_ended
        if not joins:
            self.end(count)
            if part == APOSTROPHE:
                part = NO_PART
        self.phrase.insert(self.phrase.end(), text, text + size)
        self.is_open = part != NO_PART
        self.has_apostrophe = part == APOSTROPHE
        if self.inside == SIGNS_TOO:
            self.note_end(text, size)
        return 0

    cdef void note_end(self, const uint8_t* text, uint64_t size) noexcept nogil:
        """Note whether a sentence ends with this chunk."""
        cdef uint32_t code_point
        cdef int32_t step
        while size > 0:
            step = char_size(text, <int32_t> size)
            code_point = decode_char(text, step) if step else 0
            self.has_ended = ends_sentence(code_point) or (self.has_ended and closes(code_point))
            step = max(step, 1)
            text += step
            size -= step

    cdef int end(self, uint64_t count) except -1 nogil:
        cdef uint64_t size = self.phrase.size(), last
        self.is_open = self.has_ended = False
        if size == 0:
            return 0
        if self.has_apostrophe:  # no letters follow it, so it is no part of the phrase
            self.has_apostrophe = False
            last = 1 if self.phrase.back() == 0x27 else 3
            self.put(self.phrase.data(), size - last, count)
            self.put(self.phrase.data() + size - last, last, count)
        else:
            self.put(self.phrase.data(), size, count)
        self.phrase.clear()
        return 0

    cdef int put(self, const uint8_t* text, uint64_t size, uint64_t count) except -1 nogil:
        """Count a phrase once more, for the present document."""
        cdef Origin origin = Origin(count, 0, self.mark)
        return self.table.add_origin_of(self.table.add(text, <uint32_t> size, count), &origin)

    cdef Part part_of(self, const uint8_t* text, uint64_t size) noexcept nogil:
        """Return what a chunk is to its phrase."""
        cdef const uint8_t* end = text + size
        cdef bint is_spaced = False, after_letter = False, after_apostrophe = False
        cdef uint32_t code_point
        cdef int32_t step
        if self.in_bytes and text[0] == 0x20:
            is_spaced = True
            text += 1
        elif not self.in_bytes and is_space_mark(text, <uint32_t> size):
            is_spaced = True
            text += MARK_BYTES
        if text == end:
            return NO_PART
        while text < end:
            step = char_size(text, <int32_t> (end - text))
            if step == 0 or (not self.in_bytes and is_space_mark(text, <uint32_t> (end - text))):
                return NO_PART
            code_point = decode_char(text, step)
            text += step
            if is_letter(code_point):
                after_letter, after_apostrophe = True, False
            elif self.inside == SIGNS_TOO:
                if not is_sign(code_point):
                    return NO_PART
            elif not is_apostrophe(code_point):
                return NO_PART
            elif text == end and step == <int32_t> size:
                return APOSTROPHE
            elif not after_letter:
                return NO_PART
            else:
                after_letter, after_apostrophe = False, True
        if after_apostrophe:
            return NO_PART
        return SPACED if is_spaced else UNSPACED
