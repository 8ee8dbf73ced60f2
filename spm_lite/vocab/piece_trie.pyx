"""Collects the pieces that text can match, sorts them by their bytes, and builds a double array.

`protected_strings` collects those that normalization must leave alone. Header: piece_trie.pxd.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memchr
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieKey, build_double_array
from spm_lite.base.structures.radix_sort cimport sort_by_bytes
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, write_mark
from spm_lite.normalize.protected_strings cimport ProtectedStrings
from spm_lite.vocab.vocab cimport USER_DEFINED, Vocab, is_added, is_only_mark


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
    cdef vector[uint8_t] texts, piece, ordered
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
        sort_by_bytes(keys, ordered)
        if piece_ids != NULL:
            for k in range(keys.size()):
                piece_ids.push_back(keys[k].value)
                keys[k].value = <int32_t> k
        build_double_array(keys.data(), keys.size(), units)
    return 0


def protected_strings(Vocab vocab not None, bint with_marks) -> ProtectedStrings:
    """The user-defined pieces as they stand in raw text, which no rule of normalization may change.

    with_marks: a piece with U+2581 is one of them, so that it matches a literal U+2581 of the text; else it matches
    spaces alone. Added tokens, which are found before, are not among them.
    """
    cdef ProtectedStrings strings = ProtectedStrings()
    cdef vector[TrieKey] keys
    cdef TrieKey key
    cdef int32_t i
    for i in range(vocab.size):
        if vocab.types[i] != USER_DEFINED or is_added(vocab, i):
            continue
        key.data = vocab.texts.data() + vocab.begins[i]
        key.size = <int32_t> (vocab.begins[i + 1] - vocab.begins[i])
        key.value = 0
        if with_marks or not holds_mark(key.data, key.size):
            keys.push_back(key)
    strings.fill(keys)
    return strings


cdef bint holds_mark(const uint8_t* text, int32_t size) noexcept nogil:
    """Whether a text holds U+2581."""
    cdef const uint8_t* at
    while size > 0:
        at = <const uint8_t*> memchr(text, 0xE2, <size_t> size)
        if at == NULL:
            return False
        size -= <int32_t> (at - text)
        if is_space_mark(at, size):
            return True
        text = at + 1
        size -= 1
    return False
