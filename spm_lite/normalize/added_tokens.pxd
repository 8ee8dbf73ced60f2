"""Added tokens: those of tokenizers that are found in a text before it is segmented."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector


cdef struct AddedRule:
    # How one token is found.
    int32_t piece_id
    bint single_word        # not beside a character of words
    bint lstrip             # takes the white space before it
    bint rstrip             # takes the white space after it


cdef struct FoundToken:
    # A token in a text, with the white space that it takes.
    int32_t piece_id
    int32_t begin
    int32_t end
    int32_t next            # where the search goes on


@cython.final
cdef class AddedTokens:
    cdef readonly tuple tokens          # (text, id, single_word, lstrip, rstrip) of each
    cdef bint are_spaces_white          # else 0x20 is the sign of a space
    cdef vector[uint32_t] units         # trie of the texts; values are places in `rules`
    cdef vector[AddedRule] rules
    cdef const uint8_t* classes         # of characters: `split_classes`
    cdef uint8_t begins[256]            # some token starts with this byte
    cdef int32_t longest                # bytes of the longest one; white space that it takes is not counted
    cdef bint takes_white               # one of them has lstrip
    cdef int32_t longest_word           # bytes of the longest of those with single_word; 0: there is none

    cdef bint find(
        self, const uint8_t* text, int32_t size, int32_t taken, int32_t pos, FoundToken* found,
    ) except -1 nogil
    cdef int32_t longest_at(self, const uint8_t* text, int32_t size, int32_t* number) noexcept nogil
    cdef bint is_white_at(self, const uint8_t* text, int32_t size, int32_t* step) noexcept nogil
