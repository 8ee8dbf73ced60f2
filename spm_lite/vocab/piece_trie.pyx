"""Collects the pieces that text can match, sorts them by their bytes, and builds a double array.

Header: piece_trie.pxd.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memchr, memcmp
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieKey, build_double_array
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, write_mark
from spm_lite.vocab.vocab cimport USER_DEFINED, Vocab, is_added, is_only_mark


cdef bint sorts_before(const TrieKey& left, const TrieKey& right) noexcept nogil:
    """Compare as unsigned bytes; a prefix comes first."""
    cdef int32_t size = left.size if left.size < right.size else right.size
    cdef int order = memcmp(left.data, right.data, size)
    return order < 0 or (order == 0 and left.size < right.size)


cdef int build_piece_trie(
    Vocab vocab, bint compact, uint32_t piece_types, vector[uint32_t]& units, int32_t* longest,
    vector[int32_t]* piece_ids=NULL,
) except -1:
    """Fill `units` with the pieces of the given types as normalized text holds them; values are ids.

    longest: set to the bytes of the longest piece. piece_ids: unless NULL, gets the ids in the order of the pieces'
    bytes, and values are indices of it.
    Pieces that hold NUL, which only byte-level models have, are left out. With the user-defined pieces come the marks
    of all added tokens, of whatever type.
    """
    cdef vector[uint8_t] texts, piece
    cdef vector[TrieKey] keys
    cdef TrieKey key
    cdef int64_t begin = 0
    cdef int32_t i
    cdef size_t k
    longest[0] = 0
    with nogil:
        for i in range(vocab.size):
            if is_added(vocab, i) and piece_types >> USER_DEFINED & 1:
                piece.resize(MARK_SIZE)
                write_mark(piece.data(), i)
                key.size = MARK_SIZE
                key.value = i
                key.data = NULL  # set below
                keys.push_back(key)
                texts.insert(texts.end(), piece.begin(), piece.end())
                longest[0] = max(longest[0], <int32_t> MARK_SIZE)
            if not piece_types >> vocab.types[i] & 1 or is_only_mark(vocab, i):
                continue
            piece.clear()
            key.size = vocab.matchable(i, compact, piece)
            if key.size <= 0 or memchr(piece.data(), 0, <size_t> key.size) != NULL:
                continue  # no key holds NUL
            key.data = NULL  # set below: `texts` still grows
            key.value = i
            keys.push_back(key)
            texts.insert(texts.end(), piece.begin(), piece.begin() + key.size)
            longest[0] = max(longest[0], key.size)
        for k in range(keys.size()):
            keys[k].data = texts.data() + begin
            begin += keys[k].size
        sort(keys.begin(), keys.end(), &sorts_before)
        if piece_ids != NULL:
            for k in range(keys.size()):
                piece_ids.push_back(keys[k].value)
                keys[k].value = <int32_t> k
        build_double_array(keys.data(), keys.size(), units)
    return 0
