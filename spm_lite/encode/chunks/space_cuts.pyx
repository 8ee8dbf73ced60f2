"""Makes the tries and the table of space cuts from the places before spaces inside the pieces.

The test is in the header: space_cuts.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr
from libcpp.algorithm cimport lower_bound, sort, unique, upper_bound
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport (
    ENDS_KEY, IS_VALUE, VALUE_MASK, TrieKey, build_double_array, unit_offset,
)
from spm_lite.base.system.heap cimport refill
from spm_lite.base.unicode.space_mark cimport MARK_BYTES, is_space_mark

cdef enum:
    WINDOW_BYTES = 4            # of a window: its first byte is the highest, NULs follow its last
    MAX_WORDS = 1 << 16         # of the table: 512 KB; with more nodes, windows are shorter
    N_LABELS = 256
    OPEN_SHARE = 4              # with a piece in so many that ends in its space, nearly every word may be its left part
    MARK_LEAD = 0xE2            # the first byte of U+2581


@cython.final
cdef class SpaceCuts:
    """The places before spaces inside the pieces of a vocabulary."""

    cdef int add_piece(self, const uint8_t* piece, int32_t size, bint is_bytes) except -1:
        """Enter the places of a piece between a character that is no space and a space."""
        cdef int32_t space_size = 1 if is_bytes else <int> MARK_BYTES, pos = 0
        cdef const uint8_t* found
        while pos < size:
            found = <const uint8_t*> memchr(piece + pos, 0x20 if is_bytes else MARK_LEAD, <size_t> (size - pos))
            if found == NULL:
                break
            pos = <int32_t> (found - piece)
            if not is_space(found, size - pos, is_bytes):
                pos += 1
                continue
            if pos > 0 and not (pos >= space_size and is_space(found - space_size, space_size, is_bytes)):
                self.splits.push_back(
                    <uint64_t> left_window(piece, pos, is_bytes) << 32
                    | right_window(found + space_size, size - pos - space_size, is_bytes)
                )
            pos += space_size
        return 0

    cdef int build(self) except -1:
        """Make the tries and the table, unless they would not help."""
        cdef vector[uint32_t] left, right
        cdef int32_t left_bytes = LEFT_BYTES, right_bytes = RIGHT_BYTES
        cdef size_t k, n_open = 0
        for k in range(self.splits.size()):
            n_open += <uint32_t> self.splits[k] == 0
        if <size_t> OPEN_SHARE * n_open >= self.splits.size():
            return 0
        sort(self.splits.begin(), self.splits.end())
        self.splits.erase(unique(self.splits.begin(), self.splits.end()), self.splits.end())
        while True:
            collect_nodes(self.splits, 32, left_bytes, left)
            collect_nodes(self.splits, 0, right_bytes, right)
            self.view.row_words = (right.size() >> 6) + 1
            if left.size() * self.view.row_words <= <size_t> MAX_WORDS:
                break
            if left_bytes > right_bytes:
                left_bytes -= 1
            else:
                right_bytes -= 1
        self.fill_spans(left, right)
        self.view.left = fill_trie(left, <uint32_t> self.view.row_words, self.left_units, self.left_pairs, True)
        self.view.right = fill_trie(right, 1, self.right_units, self.right_pairs, False)
        self.view.spans = self.spans.data()
        self.splits = vector[uint64_t]()
        return 0

    cdef int fill_spans(self, vector[uint32_t]& left, vector[uint32_t]& right) except -1:
        """Fill the table: a node has the bits of its windows and of those that are prefixes of it.

        left, right: the nodes in order, so that those under a node follow it.
        """
        cdef size_t words = self.view.row_words, k, row, bit, end, word, parent
        cdef uint32_t node
        refill(self.spans, left.size() * words, <uint64_t> 0)
        for k in range(self.splits.size()):
            row = deepest(left, <uint32_t> (self.splits[k] >> 32))
            bit = deepest(right, <uint32_t> self.splits[k])
            node = right[bit]
            end = upper_bound(right.begin(), right.end(), node | below(node)) - right.begin()
            while bit < end:
                self.spans[row * words + (bit >> 6)] |= <uint64_t> 1 << (bit & 63)
                bit += 1
        for row in range(1, left.size()):
            parent = deepest(left, left[row] & ~(below(left[row]) << 8 | 0xFF))
            for word in range(words):
                self.spans[row * words + word] |= self.spans[parent * words + word]
        return 0


cdef inline bint is_space(const uint8_t* piece, int32_t size, bint is_bytes) noexcept nogil:
    return piece[0] == 0x20 if is_bytes else is_space_mark(piece, size)


cdef uint32_t left_window(const uint8_t* piece, int32_t end, bint is_bytes) noexcept nogil:
    """The last bytes of the first `end` bytes of a piece, as in compact text, the last one first."""
    cdef uint32_t window = 0
    cdef int32_t k
    for k in range(24, -8, -8):
        if end == 0 or piece[end - 1] == 0:
            break
        if not is_bytes and end >= <int32_t> MARK_BYTES and is_space_mark(piece + end - MARK_BYTES, MARK_BYTES):
            window |= <uint32_t> 0x20 << k
            end -= MARK_BYTES
        else:
            window |= <uint32_t> piece[end - 1] << k
            end -= 1
    return window


cdef uint32_t right_window(const uint8_t* piece, int32_t size, bint is_bytes) noexcept nogil:
    """The first bytes of a part of a piece, as in compact text."""
    cdef uint32_t window = 0
    cdef int32_t pos = 0, k
    for k in range(24, -8, -8):
        if pos == size or piece[pos] == 0:
            break
        if not is_bytes and is_space_mark(piece + pos, size - pos):
            window |= <uint32_t> 0x20 << k
            pos += MARK_BYTES
        else:
            window |= <uint32_t> piece[pos] << k
            pos += 1
    return window


cdef inline uint32_t below(uint32_t node) noexcept nogil:
    """Ones in the bytes after the last of a window."""
    return (
        0 if node & 0xFF else 0xFF if node & 0xFFFF else 0xFFFF if node & 0xFFFFFF else 0xFFFFFF if node else 0xFFFFFFFF
    )


cdef int collect_nodes(
    const vector[uint64_t]& splits, int32_t shift, int32_t n_bytes, vector[uint32_t]& nodes,
) except -1:
    """Fill `nodes` with the prefixes of at most `n_bytes` of all windows in these bits, the empty one too, in order."""
    cdef size_t k
    cdef int32_t n
    cdef uint32_t window, node, last = 0
    nodes.clear()
    nodes.push_back(0)
    for k in range(splits.size()):
        window = <uint32_t> (splits[k] >> shift)
        for n in range(1, n_bytes + 1):
            node = window & ~(<uint32_t> 0xFFFFFFFF >> 4 * n >> 4 * n)
            if node != last:
                nodes.push_back(node)
                last = node
    sort(nodes.begin(), nodes.end())
    nodes.erase(unique(nodes.begin(), nodes.end()), nodes.end())
    return 0


cdef size_t deepest(vector[uint32_t]& nodes, uint32_t window) noexcept nogil:
    """The index of the deepest node that is a prefix of a window."""
    cdef size_t place = lower_bound(nodes.begin(), nodes.end(), window) - nodes.begin()
    while place == nodes.size() or nodes[place] != window:
        window &= ~(below(window) << 8 | 0xFF)
        place = lower_bound(nodes.begin(), nodes.end(), window) - nodes.begin()
    return place


cdef WindowTrie fill_trie(
    vector[uint32_t]& nodes, uint32_t factor, vector[uint64_t]& units, vector[uint64_t]& pairs, bint is_backwards,
) except *:
    """Fill `units` and `pairs` with the trie of these nodes; the value of each is its index times `factor`.

    is_backwards: the bytes of a pair stand in the text the other way around.
    """
    cdef vector[uint32_t] array
    cdef vector[uint8_t] texts
    cdef vector[TrieKey] keys
    cdef uint32_t unit, base, first, second, first_base
    cdef uint64_t reached
    cdef WindowTrie trie
    cdef size_t k
    cdef int32_t size
    texts.resize(nodes.size() * <size_t> WINDOW_BYTES)
    for k in range(1, nodes.size()):
        for size in range(<int32_t> WINDOW_BYTES):
            texts[k * <size_t> WINDOW_BYTES + size] = <uint8_t> (nodes[k] >> (24 - 8 * size))
        size = 0
        while size < <int32_t> WINDOW_BYTES and texts[k * <size_t> WINDOW_BYTES + size]:
            size += 1
        keys.push_back(TrieKey(texts.data() + k * <size_t> WINDOW_BYTES, size, <int32_t> (k * factor)))
    build_double_array(keys.data(), keys.size(), array)
    refill(units, array.size() + <size_t> N_LABELS, <uint64_t> NO_LABEL)
    for k in range(array.size()):
        unit = array[k]
        if unit & <uint32_t> IS_VALUE or not unit & <uint32_t> ENDS_KEY:
            continue  # no node
        base = <uint32_t> k ^ unit_offset(unit)
        units[k] = (
            <uint64_t> base << BASE_SHIFT
            | <uint64_t> (array[base] & <uint32_t> VALUE_MASK) << VALUE_SHIFT | unit & <uint64_t> 0xFF
        )
    refill(pairs, <size_t> 1 << 16, <uint64_t> 0)
    trie = WindowTrie(units.data(), pairs.data(), <uint32_t> array.size())
    for first in range(256):
        first_base = unit_offset(array[0])
        unit = next_value(&trie, <uint8_t> first, &first_base, 0)
        for second in range(256):
            base = first_base
            reached = next_value(&trie, <uint8_t> second, &base, unit)
            reached = reached << VALUE_SHIFT | <uint64_t> base << BASE_SHIFT
            pairs[first << 8 | second if is_backwards else second << 8 | first] = reached
    return trie
