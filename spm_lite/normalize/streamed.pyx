"""Takes a step of the normalizer once no later byte can change it (`is_certain`), and holds back spaces at the end.

`read_waiting` is the loop. Header: streamed.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, trie_advance, trie_root
from spm_lite.base.unicode.utf8 cimport char_size, may_become_char
from spm_lite.normalize.normalizer cimport Normalizer

from spm_lite.errors import OptionError

cdef enum:
    SPACE = 0x20

cdef const uint8_t* SPACE_MARK = b"\xE2\x96\x81"     # U+2581, an escaped space


@cython.final
cdef class StreamedNormalizer:
    """Normalizes a text that comes in parts: returns each byte as soon as no later one can change it.

    Held back are the beginning of a rule or a character and, if spaces at the end are removed, their number.
    normalizer: without protected strings, not compact, no dummy space after the text.

    >>> from spm_lite.normalize.rules.charsmap import Charsmap
    >>> from spm_lite.normalize.rules.named_rules import compile_rules
    >>> rules = Normalizer(Charsmap(compile_rules({"abc": "x"})), False, False, False)
    >>> stream = StreamedNormalizer(rules)
    >>> stream.push(b"zab"), stream.push(b"cab"), stream.flush()
    (b'z', b'x', b'ab')
    """

    def __cinit__(self, Normalizer normalizer not None):
        if normalizer.protected or normalizer.compact or normalizer.whitespace_as_suffix:
            raise OptionError("a streamed normalizer has no protected strings, compact text or space after the text")
        self.normalizer = normalizer
        self.start()

    cdef void start(self) noexcept nogil:
        """Begin a text."""
        self.waiting.clear()
        self.scan.n_bytes = 0
        self.is_leading = self.normalizer.remove_extra_whitespaces
        self.is_new = True
        self.after_space = self.normalizer.remove_extra_whitespaces
        self.n_spaces = 0
        self.n_symbol_bytes = 0

    cdef StreamedNormalizer copy(self):
        cdef StreamedNormalizer other = StreamedNormalizer(self.normalizer)
        other.waiting.assign(self.waiting.begin(), self.waiting.end())
        other.scan = self.scan
        other.is_leading = self.is_leading
        other.is_new = self.is_new
        other.after_space = self.after_space
        other.n_spaces = self.n_spaces
        other.n_symbol_bytes = self.n_symbol_bytes
        other.keeps_steps = self.keeps_steps
        other.steps = self.steps
        return other

    def push(self, bytes text not None):
        """Return the normalized bytes that this part of the text makes certain."""
        cdef vector[uint8_t] out
        self.add(<const uint8_t*> <const char*> text, len(text), out)
        return PyBytes_FromStringAndSize(<const char*> out.data(), <Py_ssize_t> out.size())

    def flush(self):
        """Return the rest; after it another text may come."""
        cdef vector[uint8_t] out
        self.finish(out)
        return PyBytes_FromStringAndSize(<const char*> out.data(), <Py_ssize_t> out.size())

    cdef int add(self, const uint8_t* text, size_t size, vector[uint8_t]& out) except -1 nogil:
        if size:
            self.waiting.insert(self.waiting.end(), text, text + size)
            self.read_waiting(False, out)
        return 0

    cdef int finish(self, vector[uint8_t]& out) except -1 nogil:
        self.read_waiting(True, out)
        if self.n_symbol_bytes:  # the start of a space symbol at the end is no space
            self.write_spaces(out)
        self.start()
        return 0

    cdef int read_waiting(self, bint is_last, vector[uint8_t]& out) except -1 nogil:
        """Normalize the waiting text, as far as it is certain; all of it if `is_last`."""
        cdef const uint8_t* text = self.waiting.data()
        cdef const uint8_t* run = NULL
        cdef size_t size = self.waiting.size(), pos = 0
        cdef int32_t run_size = 0, used, in_sight
        cdef int64_t before = 0
        while pos < size and (is_last or self.is_certain(text + pos, size - pos)):
            in_sight = <int32_t> min(size - pos, <size_t> 0x7FFFFFFF)
            used = self.normalizer.step(text + pos, in_sight, &run, &run_size)
            before = <int64_t> out.size() + self.n_held()
            self.add_run(run, run_size, out)
            if self.keeps_steps:
                self.steps.push_back(StepSize(used, <int64_t> out.size() + self.n_held() - before))
            pos += used
            self.scan.n_bytes = 0
        if pos:
            self.waiting.erase(self.waiting.begin(), self.waiting.begin() + pos)
        return 0

    cdef bint is_certain(self, const uint8_t* text, size_t size) noexcept nogil:
        """Whether no later byte can change the first step of `text` (1 byte or more)."""
        cdef RuleScan* scan = &self.scan
        cdef bint has_rules = not self.normalizer.charsmap.units.empty()
        if scan.n_bytes == 0:
            scan.found = False
            scan.is_over = not has_rules
            if has_rules:
                trie_root(self.normalizer.charsmap.units.data(), &scan.cursor)
        while not scan.is_over:
            if scan.n_bytes == self.normalizer.charsmap.max_source:
                scan.is_over = True
            elif <size_t> scan.n_bytes == size:
                if self.can_read_on():
                    return False
                scan.is_over = True
            elif trie_advance(self.normalizer.charsmap.units.data(), &scan.cursor, text[scan.n_bytes]):
                scan.n_bytes += 1
                scan.found |= scan.cursor.value >= 0
            else:
                scan.is_over = True
                scan.n_bytes = max(scan.n_bytes, <int32_t> 1)  # 0 would mean that nothing is read yet
        return scan.found or char_size(text, <int64_t> size) or not may_become_char(text, <int64_t> size)

    cdef int64_t n_held(self) noexcept nogil:
        return self.n_spaces * (3 if self.normalizer.escape_whitespaces else 1) + self.n_symbol_bytes

    cdef bint can_read_on(self) noexcept nogil:
        """Whether some byte continues a rule."""
        cdef TrieCursor cursor
        cdef int32_t byte
        for byte in range(256):
            cursor = self.scan.cursor
            if trie_advance(self.normalizer.charsmap.units.data(), &cursor, <uint8_t> byte):
                return True
        return False

    cdef int add_run(self, const uint8_t* run, int32_t size, vector[uint8_t]& out) except -1 nogil:
        """Write the run of one step, as `Normalizer.copy_run` and the code around its call do."""
        cdef int32_t k
        if self.is_leading and size == 1 and run[0] == SPACE:
            return 0
        self.is_leading = False
        if self.is_new and self.normalizer.add_dummy_prefix:
            self.write_space(out)
        self.is_new = False
        while self.after_space and size and run[0] == SPACE:
            run += 1
            size -= 1
        if size == 0:  # after a deleted character `after_space` stays
            return 0
        for k in range(size):
            if run[k] == SPACE:
                self.write_space(out)
            else:
                self.write(run[k], out)
        self.after_space = self.normalizer.remove_extra_whitespaces and run[size - 1] == SPACE
        return 0

    cdef int write_space(self, vector[uint8_t]& out) except -1 nogil:
        """Write the space symbol: U+2581, or 0x20 where spaces are not escaped."""
        cdef int32_t k
        if not self.normalizer.escape_whitespaces:
            return self.write(SPACE, out)
        for k in range(3):
            self.write(SPACE_MARK[k], out)
        return 0

    cdef int write(self, uint8_t byte, vector[uint8_t]& out) except -1 nogil:
        """Write a byte, or count it if it may belong to spaces at the end that are removed."""
        cdef bint is_escaped = self.normalizer.escape_whitespaces
        if not self.normalizer.remove_extra_whitespaces:
            out.push_back(byte)
            return 0
        if byte != (SPACE_MARK[self.n_symbol_bytes] if is_escaped else <uint8_t> SPACE):
            self.write_spaces(out)
            if not is_escaped or byte != SPACE_MARK[0]:
                out.push_back(byte)
                return 0
        self.n_symbol_bytes += 1
        if self.n_symbol_bytes == (3 if is_escaped else 1):
            self.n_symbol_bytes = 0
            self.n_spaces += 1
        return 0

    cdef int write_spaces(self, vector[uint8_t]& out) except -1 nogil:
        """Write the space symbols that were held back, and the beginning of one."""
        if not self.normalizer.escape_whitespaces:
            out.insert(out.end(), <size_t> self.n_spaces, <uint8_t> SPACE)
        else:
            for _ in range(self.n_spaces):
                out.insert(out.end(), SPACE_MARK, SPACE_MARK + 3)
            out.insert(out.end(), SPACE_MARK, SPACE_MARK + self.n_symbol_bytes)
        self.n_spaces = 0
        self.n_symbol_bytes = 0
        return 0
