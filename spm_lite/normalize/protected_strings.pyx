"""Checks strings of Python and builds the trie. `longest_protected` is in the header: protected_strings.pxd."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memchr, memset
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieKey, build_double_array
from spm_lite.base.structures.radix_sort cimport sort_by_bytes
from spm_lite.base.unicode.utf8 cimport is_utf8

from spm_lite.errors import ModelError


@cython.final
cdef class ProtectedStrings:
    """Strings as they stand in raw text; never changed after it is made, so that normalizers share it.

    strings: bytes, in any order. Raises ModelError for one that is empty or holds a NUL.

    >>> len(ProtectedStrings([b"<a>", b"<b>", b"<a>"]))
    2
    """

    def __cinit__(self, strings=()):
        cdef vector[TrieKey] keys
        cdef TrieKey key
        cdef bytes text
        distinct = set(strings)
        for text in distinct:
            if not text or 0 in text:
                raise ModelError(f"a user-defined symbol has at least 1 byte, none of them NUL: {text!r}")
            key.data = <const uint8_t*> <const char*> text
            key.size = <int32_t> len(text)
            key.value = 0
            keys.push_back(key)
        self.fill(keys)

    cdef int fill(self, vector[TrieKey]& keys) except -1:
        cdef bint has_space = False
        cdef size_t i
        memset(self.starts, 0, sizeof(self.starts))
        self.longest = 0
        self.is_well_formed = True
        self.sizes.clear()
        with nogil:
            sort_by_bytes(keys, self.texts)
            self.sizes.reserve(keys.size())
            for i in range(keys.size()):
                self.starts[keys[i].data[0]] = 1
                self.sizes.push_back(keys[i].size)
                self.longest = max(self.longest, keys[i].size)
                self.is_well_formed = self.is_well_formed and is_utf8(keys[i].data, keys[i].size)
            has_space = keys.size() > 0 and memchr(self.texts.data(), 0x20, self.texts.size()) != NULL
            build_double_array(keys.data(), keys.size(), self.units)
        self.are_plain = self.is_well_formed and not has_space
        return 0

    def __len__(self):
        return <Py_ssize_t> self.sizes.size()

    def __iter__(self):
        cdef size_t i
        cdef Py_ssize_t begin = 0
        for i in range(self.sizes.size()):
            yield (<const char*> self.texts.data() + begin)[: self.sizes[i]]
            begin += self.sizes[i]

    def __reduce__(self):
        return ProtectedStrings, (list(self),)
