"""Strings that no rule may change, the user-defined symbols of a model, and where a text has one."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, TrieKey, trie_advance, trie_root


cdef enum:
    MAX_PROTECTED = 64          # protected strings that start at one place: only the shortest 64 count


cdef class ProtectedStrings:
    cdef vector[uint8_t] texts          # all strings in the order of their bytes, one after the other
    cdef vector[int32_t] sizes
    cdef vector[uint32_t] units         # a trie of them
    cdef uint8_t starts[256]            # 1: some string starts with this byte
    cdef readonly int32_t longest       # bytes
    cdef readonly bint is_well_formed   # all are UTF-8
    cdef readonly bint are_plain        # they are UTF-8, and none holds a space: copied text keeps them as it is

    cdef int fill(self, vector[TrieKey]& keys) except -1
    # keys: distinct, in any order, none empty or with a NUL; their bytes are copied


cdef inline int32_t longest_protected(ProtectedStrings strings, const uint8_t* text, int32_t size) noexcept nogil:
    """Return the bytes of the longest string that a text of 1 byte or more starts with; 0: none."""
    cdef TrieCursor cursor
    cdef int32_t n_matches = 0, found = 0
    cdef int32_t i
    if not strings.starts[text[0]]:
        return 0
    trie_root(strings.units.data(), &cursor)
    for i in range(size):
        if not trie_advance(strings.units.data(), &cursor, text[i]):
            break
        if cursor.value >= 0:
            found = i + 1
            n_matches += 1
            if n_matches == MAX_PROTECTED:
                break
    return found
