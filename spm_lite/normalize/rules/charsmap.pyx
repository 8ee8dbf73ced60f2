"""Checks every unit of a blob once, so that the hot loop, `longest_match`, stays inside the array.

Header: charsmap.pxd.
"""

cimport cython
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy, strlen
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport (
    ENDS_KEY, IS_VALUE, VALUE_MASK, TrieCursor, trie_advance, trie_root, unit_offset,
)
from spm_lite.base.unicode.utf8 cimport char_size
from spm_lite.normalize.rules.char_flags cimport fill_char_flags
from spm_lite.normalize.rules.rule_graph cimport RuleGraph, build_graph, count_targets, decompile_rules

from spm_lite.errors import ModelError

cdef enum:
    MAX_MATCHES = 32        # of the rules that match at one place only the shortest 32 count, as in the original
    MAX_CYCLIC = 1000       # bytes of a walk through a cyclic array; the limit keeps the time linear


@cython.final
cdef class Charsmap:
    """Compiled normalization rules, as a model file holds them; immutable.

    blob: 4 bytes trie size, double array, NUL-terminated replacements, all little-endian; empty: no rules.
    Raises ModelError if the blob is damaged: no walk through a checked blob leaves it.

    >>> Charsmap().match(b"abc") is None
    True
    """

    def __cinit__(self, bytes blob not None=b""):
        cdef RuleGraph graph
        self.blob = blob
        self.is_well_formed = True
        self.max_source = self.max_target = 0
        if not blob:
            return
        split_blob(blob, self.units, self.targets)
        check_units(self.units, self.targets.size())
        self.is_well_formed = are_well_formed(self.units, self.targets)
        graph = build_graph(self.units)
        # No compiler makes a cyclic array. With one, each byte of text costs at most MAX_CYCLIC steps.
        self.max_source = MAX_CYCLIC if graph.is_cyclic else graph.max_depth
        self.max_target = longest_string(self.targets)
        fill_char_flags(self.units, graph, self.char_flags)

    def __reduce__(self):
        return Charsmap, (self.blob,)

    cdef int32_t longest_match(
        self, const uint8_t* text, int32_t size, const uint8_t** target, int32_t* target_size,
    ) noexcept nogil:
        """Return the bytes of the longest source that `text` starts with; 0: none.

        If there is one, `target` is set to its replacement within `targets`, and `target_size` to the bytes of that.
        """
        cdef const uint32_t* units = self.units.data()
        cdef TrieCursor cursor
        cdef int32_t n_matches = 0, source_size = 0, value = 0, i = 0
        if self.units.empty():
            return 0
        size = min(size, self.max_source)
        trie_root(units, &cursor)
        while i < size and n_matches < MAX_MATCHES and trie_advance(units, &cursor, text[i]):
            i += 1
            if cursor.value >= 0:
                source_size = i
                value = cursor.value
                n_matches += 1
        if source_size:
            target[0] = self.targets.data() + value
            target_size[0] = 0
            while target[0][target_size[0]]:  # few bytes, if any: faster than a call of strlen
                target_size[0] += 1
        return source_size

    cdef int32_t shortest_match(
        self, const uint8_t* text, int32_t size, const uint8_t** target, int32_t* target_size,
    ) noexcept nogil:
        """Do the same for the shortest source, which `Precompiled` of tokenizers takes."""
        cdef const uint32_t* units = self.units.data()
        cdef TrieCursor cursor
        cdef int32_t i = 0
        if self.units.empty():
            return 0
        trie_root(units, &cursor)
        while i < size and i < self.max_source and trie_advance(units, &cursor, text[i]):
            i += 1
            if cursor.value >= 0:
                target[0] = self.targets.data() + cursor.value
                target_size[0] = <int32_t> strlen(<const char*> target[0])
                return i
        return 0

    def match(self, bytes text not None):
        """(source size, replacement) of the longest rule that `text` starts with, or None.

        >>> from spm_lite.normalize.rules.named_rules import compile_rules
        >>> Charsmap(compile_rules({"ab": "x"})).match(b"abc")
        (2, b'x')
        """
        cdef const uint8_t* target = NULL
        cdef int32_t target_size = 0
        cdef int32_t text_size = <int32_t> min(len(text), INT32_MAX)
        cdef int32_t size = self.longest_match(
            <const uint8_t*> <const char*> text, text_size, &target, &target_size,
        )
        return (size, (<const char*> target)[:target_size]) if size else None

    def decompile(self):
        """(source, target) of every rule, sorted by the sources' code points; [] if there are none.

        Ill-formed bytes become U+FFFD. Raises ModelError if a source is longer than 1000 bytes or there are too many
        rules to list.

        >>> from spm_lite.normalize.rules.named_rules import compile_rules
        >>> Charsmap(compile_rules({"b": "", "a": "x"})).decompile()
        [('a', 'x'), ('b', '')]
        """
        return decompile_rules(self.units, self.targets) if self.blob else []

    def count_targets(self):
        """({target: number of rules}, (source, target) of each rule for a single character, sorted), without a list of
        all rules. Raises as `decompile`.

        >>> from spm_lite.normalize.rules.named_rules import compile_rules
        >>> Charsmap(compile_rules({"bb": "x", "a": "x"})).count_targets()
        ({'x': 2}, [('a', 'x')])
        """
        return count_targets(self.units, self.targets) if self.blob else ({}, [])


cdef int split_blob(bytes blob, vector[uint32_t]& units, vector[uint8_t]& targets) except -1:
    """Copy the array and the replacements out of a blob, on machines of any byte order. Raises ModelError."""
    cdef const uint8_t* data = <const uint8_t*> <const char*> blob
    cdef int64_t size = len(blob)
    cdef int64_t i, trie_size
    if size <= 4:
        raise ModelError(
            f"normalization rules: Blob for normalization rule is broken: {size} bytes, at least 5 expected"
        )
    trie_size = read_unit(data)
    if trie_size >= size - 4:
        raise ModelError(
            f"normalization rules: Trie data size exceeds the input blob size: {trie_size} bytes, "
            f"but {size - 4} remain for it and the replacements"
        )
    if trie_size < 1024 or trie_size % 1024:
        raise ModelError(f"normalization rules: Trie data size is not divisible by 1024: {trie_size} bytes")
    if data[size - 1] != 0:
        raise ModelError(
            f"normalization rules: normalized block must be null terminated: its last byte is {data[size - 1]}"
        )
    units.resize(trie_size // 4)
    for i in range(trie_size // 4):
        units[i] = read_unit(data + 4 + 4 * i)
    targets.resize(size - 4 - trie_size)
    memcpy(targets.data(), data + 4 + trie_size, targets.size())
    return 0


cdef inline uint32_t read_unit(const uint8_t* data) noexcept nogil:
    """Read a little-endian uint32."""
    return data[0] | <uint32_t> data[1] << 8 | <uint32_t> data[2] << 16 | <uint32_t> data[3] << 24


cdef int check_units(const vector[uint32_t]& units, size_t targets_size) except -1:
    """Raise ModelError unless every walk stays inside the array and every value inside the replacements."""
    cdef int64_t i = first_bad_unit(units, targets_size)
    if i >= 0:
        raise ModelError(
            f"normalization rules: precompiled_charsmap is invalid: unit {i} (0x{units[i]:08X}) of {units.size()} "
            f"leads outside the array or the {targets_size} bytes of replacements"
        )
    return 0


cdef int64_t first_bad_unit(const vector[uint32_t]& units, size_t targets_size) noexcept nogil:
    """Index of the first unit that breaks a rule of the format; -1: none."""
    cdef uint32_t base
    cdef size_t i
    if units[0] & <uint32_t> 0x800001FF or unit_offset(units[0]) == 0:
        return 0
    for i in range(units.size()):
        if units[i] & <uint32_t> IS_VALUE:
            if (units[i] & <uint32_t> VALUE_MASK) >= targets_size:
                return i
            continue
        base = <uint32_t> i ^ unit_offset(units[i])
        if (base | 0xFF) >= units.size():
            return i
        if units[i] & ENDS_KEY and not units[base] & <uint32_t> IS_VALUE:
            return i
    return -1


cdef bint are_well_formed(const vector[uint32_t]& units, const vector[uint8_t]& targets) noexcept nogil:
    """Whether every replacement is UTF-8: the block is, and every value points at the start of a character."""
    cdef size_t pos = 0
    cdef int32_t size
    cdef size_t k
    while pos < targets.size():
        size = char_size(targets.data() + pos, targets.size() - pos)
        if size == 0:
            return False
        pos += size
    for k in range(units.size()):
        if units[k] & <uint32_t> IS_VALUE and targets[units[k] & <uint32_t> VALUE_MASK] & 0xC0 == 0x80:
            return False
    return True


cdef int32_t longest_string(const vector[uint8_t]& strings) noexcept nogil:
    """The bytes of the longest of the NUL-terminated strings."""
    cdef const char* begin = <const char*> strings.data()
    cdef const char* end = begin + strings.size()
    cdef size_t longest = 0, size
    while begin < end:
        size = strlen(begin)
        longest = max(longest, size)
        begin += size + 1
    return <int32_t> longest
