"""Replaces the matches of a pattern, and marks the parts of a text as `Metaspace` of tokenizers does.

Header: pattern_steps.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

from spm_lite.base.patterns.pattern_scanner cimport PatternScratch
from spm_lite.base.patterns.text_cuts cimport CutScratch, Part, make_cuts
from spm_lite.normalize.text_step cimport Changed, TextStep, add_bytes, begin_out, copy_bytes, end_out

cdef enum:
    SPACE = 0x20


@cython.final
cdef class ReplaceStep(TextStep):
    """Each match of a pattern becomes a content. An empty match counts only where no match ended just before.

    >>> ReplaceStep("a+", b"-").normalize(b"baab")
    b'b-b'
    """

    def __cinit__(self, str pattern not None, bytes content not None):
        from spm_lite.base.patterns.pattern_compiler import compile_pattern  # here, since few models need it

        cdef const uint8_t* begin = <const uint8_t*> <const char*> content
        self.pattern = pattern
        self.content = content
        self.bytes.assign(begin, begin + len(content))
        self.scanner = compile_pattern(pattern)

    def __reduce__(self):
        return ReplaceStep, (self.pattern, self.content)

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        if size == 0:
            return False
        with gil:
            return self.replace_all(text, size, out, align)

    cdef bint replace_all(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1:
        cdef PatternScratch scratch = PatternScratch()
        with nogil:
            return self.replace_with(text, size, scratch, out, align)

    cdef bint replace_with(
        self, const uint8_t* text, int32_t size, PatternScratch scratch, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        cdef int32_t pos = 0, begin = 0, end = 0, done = 0, last = -1, step = 1
        cdef bint is_changed = False
        scratch.start(True)
        while pos <= size and self.scanner.find(text, pos, size, scratch, &begin, &end):
            if begin == end and end == last:
                if pos >= size:
                    break
                self.scanner.class_at(text, pos, size, &step)
                pos += step
                continue
            if not is_changed:
                begin_out(out, align)
                is_changed = True
            copy_bytes(text, done, begin, out, align)
            add_bytes(self.bytes.data(), <int32_t> self.bytes.size(), begin, out, align)
            pos = last = done = end
        if not is_changed:
            return False
        copy_bytes(text, done, size, out, align)
        end_out(size, out, align)
        return True


@cython.final
cdef class PartsStep(TextStep):
    """Patterns cut a text, spaces become a sign, and the sign comes before each part that does not begin with it.

    What the patterns drop is gone. is_prefixed: else no sign comes before a part.

    >>> PartsStep((("-", "Removed", False),), b"_").normalize(b"a b-_c-d")
    b'_a_b_c_d'
    """

    def __cinit__(self, tuple splits not None, bytes sign not None, bint is_prefixed=True):
        cdef const uint8_t* begin = <const uint8_t*> <const char*> sign
        self.splits = splits
        self.cuts = make_cuts(splits)
        self.sign = sign
        self.bytes.assign(begin, begin + len(sign))
        self.is_prefixed = is_prefixed

    def __reduce__(self):
        return PartsStep, (self.splits, self.sign, bool(self.is_prefixed))

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        if size == 0:
            return False
        begin_out(out, align)
        if self.cuts is None:
            self.add_part(text, 0, size, out, align)
        else:
            with gil:
                self.add_all(text, size, out, align)
        end_out(size, out, align)
        return True

    cdef int add_all(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1:
        """Append all parts."""
        cdef CutScratch scratch = self.cuts.new_scratch()
        cdef Part part
        cdef int32_t begin = 0
        with nogil:
            scratch.start(True)
            while begin < size:
                begin = self.cuts.cut(text, begin, size, scratch)
                for part in scratch.parts:
                    self.add_part(text, part.begin, part.end, out, align)
        return 0

    cdef int add_part(
        self, const uint8_t* text, int32_t begin, int32_t end, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil:
        """Append a part, which is not empty."""
        cdef const uint8_t* sign = self.bytes.data()
        cdef int32_t n = <int32_t> self.bytes.size(), pos = begin, k
        if self.is_prefixed and text[begin] != SPACE and not (end - begin >= n and memcmp(text + begin, sign, n) == 0):
            add_bytes(sign, n, begin, out, align)
        for k in range(begin, end):
            if text[k] == SPACE:
                copy_bytes(text, pos, k, out, align)
                add_bytes(sign, n, k, out, align)
                pos = k + 1
        return copy_bytes(text, pos, end, out, align)
