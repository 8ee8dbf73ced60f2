"""Space cuts: a text may be cut before a space if no piece spans the place, although pieces hold words in a row.

With superwords, pieces that cross spaces, the pair test finds hardly a cut at a space: some piece holds the last
character of the word and the space. This test looks at the LEFT_BYTES before the place and the RIGHT_BYTES after its
space. Two tries hold the same bytes of all pieces, one of them backwards. The deepest node that the text reaches in
each tells which pieces may end their left part or begin their right part there. A table has a bit for each two nodes:
some piece has its left part and its right part among those. So a cut can be missed, never invented.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport first_lowest
from spm_lite.base.unicode.utf8 cimport read_word


cdef enum:
    LEFT_BYTES = 4
    RIGHT_BYTES = 3
    SETTLED_BYTES = RIGHT_BYTES + 4     # before the end of a text that goes on: nearer places are not judged yet


cdef enum:
    # A unit of a trie, from the lowest bit on: the byte that leads to the node, or NO_LABEL; the value of the node; the
    # base of its children.
    LABEL_MASK = 0x1FF
    NO_LABEL = 0x100
    VALUE_SHIFT = 9
    VALUE_BITS = 0x7FFFFF
    BASE_SHIFT = 32


cdef struct WindowTrie:
    # A double array: the child of a node on a byte is the unit `base ^ byte`. The value of the root is 0.
    const uint64_t* units
    const uint64_t* pairs       # units of what two bytes reach, the first byte lowest: two steps in one read
    uint32_t dead               # a base that no byte leads on from


cdef struct SpaceView:
    # The fields of a SpaceCuts that the hot loops need.
    WindowTrie left
    WindowTrie right
    const uint64_t* spans       # rows of bits: a value of `left` is the first word of a row, one of `right` the bit
    size_t row_words            # 0: the pieces need no such cuts


@cython.final
cdef class SpaceCuts:
    cdef vector[uint64_t] splits        # of the pieces: a left window in the upper half, a right one in the lower
    cdef vector[uint64_t] left_units
    cdef vector[uint64_t] right_units
    cdef vector[uint64_t] left_pairs
    cdef vector[uint64_t] right_pairs
    cdef vector[uint64_t] spans
    cdef SpaceView view

    cdef int add_piece(self, const uint8_t* piece, int32_t size, bint is_bytes) except -1
    cdef int build(self) except -1      # after the last piece
    cdef int fill_spans(self, vector[uint32_t]& left, vector[uint32_t]& right) except -1


cdef inline uint32_t first_value(const WindowTrie* trie, uint32_t pair, uint32_t* base) noexcept nogil:
    """The value of what two bytes reach. base: set to that of its children."""
    cdef uint64_t unit = trie.pairs[pair]
    base[0] = <uint32_t> (unit >> BASE_SHIFT)
    return <uint32_t> (unit >> VALUE_SHIFT) & <uint32_t> VALUE_BITS


cdef inline uint32_t next_value(const WindowTrie* trie, uint8_t byte, uint32_t* base, uint32_t value) noexcept nogil:
    """The value of the child of the node at `base` on a byte; `value`, and `base` dead, if there is none."""
    cdef uint64_t unit = trie.units[base[0] ^ byte]
    cdef bint is_child = unit & <uint64_t> LABEL_MASK == byte
    base[0] = <uint32_t> (unit >> BASE_SHIFT) if is_child else trie.dead
    return <uint32_t> (unit >> VALUE_SHIFT) & <uint32_t> VALUE_BITS if is_child else value


cdef inline uint64_t may_cut_space(const SpaceView* view, const uint8_t* text, int32_t pos) noexcept nogil:
    """1: the text may be cut before the space at `pos`, which is not its first byte; else 0. No branch on the text."""
    cdef int32_t missing = max(8 - pos, 0), k
    cdef uint64_t before = first_lowest(read_word(text + pos - 8 + missing)) << 8 * missing
    cdef uint64_t after = first_lowest(read_word(text + pos + 1))
    cdef uint32_t left_base = 0, right_base = 0
    cdef uint32_t left = first_value(&view.left, <uint32_t> (before >> 48), &left_base)
    cdef uint32_t right = first_value(&view.right, <uint32_t> (after & 0xFFFF), &right_base)
    for k in range(2, <int32_t> LEFT_BYTES):
        left = next_value(&view.left, <uint8_t> (before >> (56 - 8 * k)), &left_base, left)
    for k in range(2, <int32_t> RIGHT_BYTES):
        right = next_value(&view.right, <uint8_t> (after >> 8 * k), &right_base, right)
    return (view.spans[left + (right >> 6)] >> (right & 63) & 1) ^ 1


cdef inline int32_t* drop_spanned(
    const SpaceView* view, const uint8_t* text, int32_t* places, const int32_t* end,
) noexcept nogil:
    """Keep the places that are no space or may be cut; return the end of them. No branch: texts are hard to predict."""
    cdef int32_t* kept = places
    cdef int32_t place
    while places < end:
        place = places[0]
        kept[0] = place
        kept += (text[place] != 0x20) | may_cut_space(view, text, place)
        places += 1
    return kept
