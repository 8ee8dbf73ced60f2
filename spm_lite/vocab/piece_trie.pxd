"""Double-array tries over the pieces of a vocabulary, and the matcher of user-defined symbols."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, trie_advance, trie_root
from spm_lite.vocab.vocab cimport Vocab


cdef enum:
    MAX_SYMBOL_MATCHES = 64     # of the user-defined symbols that a text starts with only the shortest 64 count


cdef int build_piece_trie(
    Vocab vocab, bint compact, uint32_t piece_types, vector[uint32_t]& units, int32_t* longest,
    vector[int32_t]* piece_ids=*,
) except -1     # piece_types: bit t set = pieces of type t; longest: bytes of the longest piece, 0 if none


cdef inline int32_t find_piece(const uint32_t* units, const uint8_t* text, int32_t size) noexcept nogil:
    """The id of the piece that is exactly `text`; -1: none."""
    cdef TrieCursor cursor
    cdef int32_t pos
    trie_root(units, &cursor)
    for pos in range(size):
        if not trie_advance(units, &cursor, text[pos]):
            return -1
    return cursor.value


cdef inline int32_t match_symbol(
    const uint32_t* units, const uint8_t* text, int32_t size, int32_t* piece_id,
) noexcept nogil:
    """Bytes of the longest user-defined symbol that `text` starts with, whose id is set; 0: none."""
    cdef TrieCursor cursor
    cdef int32_t pos, found = 0, n_matches = 0
    trie_root(units, &cursor)
    for pos in range(size):
        if not trie_advance(units, &cursor, text[pos]):
            break
        if cursor.value >= 0:
            found = pos + 1
            piece_id[0] = cursor.value
            n_matches += 1
            if n_matches == MAX_SYMBOL_MATCHES:
                break
    return found
