"""Builds a double array (Aoe 1989): nodes are placed depth first, the children of one node together.

The hot loop is `find_base`: it tries the free units of the newest blocks, which form a ring. Header: double_array.pxd.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

cdef enum:
    BLOCK = 256         # units are added 256 at a time
    OPEN_BLOCKS = 16    # only the newest blocks are searched for room: older ones are nearly full

cdef uint32_t SCALE_BIT = 1 << 9    # the offset is a multiple of 256, stored divided by it

cdef enum:
    FREE = 0
    USED = 1            # holds a unit
    IS_BASE = 2         # some node's children start here


cdef struct Range:
    # Keys [begin, end) share their first `depth` bytes, which lead to the unit `node`.
    size_t begin
    size_t end
    int32_t depth
    uint32_t node


cdef class Builder:
    """An array under construction: its units, their states and a ring of the free units."""

    def __cinit__(self):
        self.head = <uint32_t> -1
        self.closed = 0

    cdef int start(self) except -1 nogil:
        """Add the first block, with the root at unit 0."""
        self.add_block()
        self.take(0)
        self.state[0] |= IS_BASE  # the root's label is 0: with base 0, a NUL byte would lead back to it
        return 0

    cdef int add_block(self) except -1 nogil:
        """Add 256 units; close the oldest open block if there are more than OPEN_BLOCKS."""
        cdef uint32_t begin = <uint32_t> self.units.size()
        cdef uint32_t i
        self.units.resize(begin + BLOCK, 0)
        self.state.resize(begin + BLOCK, FREE)
        self.next_free.resize(begin + BLOCK)
        self.prev_free.resize(begin + BLOCK)
        for i in range(begin, begin + BLOCK):
            self.link(i)
        if begin + BLOCK > self.closed + OPEN_BLOCKS * BLOCK:
            self.close_block(self.closed)
            self.closed += BLOCK
        return 0

    cdef void link(self, uint32_t i) noexcept nogil:
        """Put unit `i` at the end of the ring."""
        cdef uint32_t last
        if self.head == <uint32_t> -1:
            self.head = self.next_free[i] = self.prev_free[i] = i
            return
        last = self.prev_free[self.head]
        self.next_free[last] = i
        self.prev_free[i] = last
        self.next_free[i] = self.head
        self.prev_free[self.head] = i

    cdef void take(self, uint32_t i) noexcept nogil:
        """Remove unit `i` from the ring and mark it as used."""
        self.state[i] |= USED
        if self.next_free[i] == i:
            self.head = <uint32_t> -1
            return
        self.next_free[self.prev_free[i]] = self.next_free[i]
        self.prev_free[self.next_free[i]] = self.prev_free[i]
        if self.head == i:
            self.head = self.next_free[i]

    cdef void close_block(self, uint32_t begin) noexcept nogil:
        """Give unused units labels that no walk can match, and take them out of the ring."""
        cdef uint32_t i, unused_base = begin
        for i in range(begin, begin + BLOCK):
            if not self.state[i] & IS_BASE:
                unused_base = i
                break
        for i in range(begin, begin + BLOCK):
            if not self.state[i] & USED:
                self.take(i)
                self.units[i] = (i ^ unused_base) & 0xFF

    cdef bint fits(self, uint32_t node, uint32_t base, const uint8_t* labels, int32_t n_labels) noexcept nogil:
        """Whether children with `labels` may live at `base` and `node` can point there."""
        cdef uint32_t offset = node ^ base
        cdef int32_t k
        if self.state[base] & IS_BASE or offset == 0:
            return False
        if offset & 0xFF and offset >> 21:
            return False
        for k in range(n_labels):
            if self.state[base ^ labels[k]] & USED:
                return False
        return True

    cdef int find_base(
        self, uint32_t node, const uint8_t* labels, int32_t n_labels, uint32_t* base,
    ) except -1 nogil:
        """Set `base` for the children of `node`: the first fit among free units, else in a new block."""
        cdef uint32_t i = self.head
        if i != <uint32_t> -1:
            while True:
                base[0] = i ^ labels[0]
                if self.fits(node, base[0], labels, n_labels):
                    return 0
                i = self.next_free[i]
                if i == self.head:
                    break
        # In a fresh block the low byte of the offset is 0, which the format can always express.
        base[0] = <uint32_t> self.units.size() | (node & 0xFF)
        return self.add_block()

    cdef int place(self, uint32_t node, const uint8_t* labels, int32_t n_labels, uint32_t* base) except -1 nogil:
        """Reserve the children of `node`, set their `base`, and write the offset of the node."""
        cdef int32_t k
        self.find_base(node, labels, n_labels, base)
        if (node ^ base[0]) >> 29:
            with gil:
                raise MemoryError("a double array holds at most 2^29 units: use fewer or shorter keys")
        self.state[base[0]] |= IS_BASE
        for k in range(n_labels):
            self.take(base[0] ^ labels[k])
        self.point(node, base[0])
        return 0

    cdef bint can_point(self, uint32_t node, uint32_t base) noexcept nogil:
        """Whether the format can express that the children of `node` live at `base`."""
        cdef uint32_t offset = node ^ base
        return offset != 0 and (offset >> 21 == 0 or (offset & 0xFF == 0 and offset >> 29 == 0))

    cdef void point(self, uint32_t node, uint32_t base) noexcept nogil:
        """Write the offset of a node that has had none so far; its label and bit 8 stay."""
        cdef uint32_t offset = node ^ base
        self.units[node] |= offset << 10 if offset >> 21 == 0 else offset << 2 | SCALE_BIT

    cdef void finish(self) noexcept nogil:
        while self.closed < self.units.size():
            self.close_block(self.closed)
            self.closed += BLOCK


cdef int build_double_array(const TrieKey* keys, size_t n_keys, vector[uint32_t]& units) except -1 nogil:
    """Fill `units` with an array for `keys`: sorted by bytes (as unsigned), distinct; possibly none.

    The number of units is a multiple of 256. Source: Aoe 1989; placement rules as in the format's description.
    """
    with gil:
        builder = Builder()
    return fill_array(builder, keys, n_keys, units)


cdef int fill_array(Builder builder, const TrieKey* keys, size_t n_keys, vector[uint32_t]& units) except -1 nogil:
    """Place the nodes depth first, children of one node together."""
    cdef vector[Range] stack
    cdef Range node, child
    cdef uint8_t labels[256]
    cdef size_t begins[257]
    cdef int32_t n_labels, k
    cdef uint32_t base = 0
    builder.start()
    stack.push_back(Range(0, n_keys, 0, 0))
    while not stack.empty():
        node = stack.back()
        stack.pop_back()
        n_labels = collect_labels(keys, node, labels, begins)
        if n_labels == 0:  # only for an array without keys
            labels[0] = 1
            builder.place(0, labels, 1, &base)
            builder.units[base ^ 1] = 0xFF  # a label that does not match its place
            break
        builder.place(node.node, labels, n_labels, &base)
        for k in range(n_labels - 1, -1, -1):
            if labels[k] == 0:
                builder.units[node.node] |= ENDS_KEY
                builder.units[base] = <uint32_t> IS_VALUE | <uint32_t> keys[begins[k]].value
                continue
            builder.units[base ^ labels[k]] = labels[k]
            child = Range(begins[k], begins[k + 1], node.depth + 1, base ^ labels[k])
            stack.push_back(child)
    builder.finish()
    units.swap(builder.units)
    return 0


cdef int32_t collect_labels(
    const TrieKey* keys, Range node, uint8_t* labels, size_t* begins,
) noexcept nogil:
    """Fill the distinct next bytes of a range of keys (0: a key ends) and where each begins; return their number."""
    cdef int32_t n_labels = 0
    cdef int32_t label, last = -1
    cdef size_t i
    for i in range(node.begin, node.end):
        label = keys[i].data[node.depth] if keys[i].size > node.depth else 0
        if label != last:
            labels[n_labels] = <uint8_t> label
            begins[n_labels] = i
            n_labels += 1
            last = label
    begins[n_labels] = node.end
    return n_labels


def build_units(keys: dict) -> bytes:
    """Return the array for `keys` (key -> value, 0..2^31 - 1) as 32-bit units in this machine's order."""
    cdef vector[TrieKey] sorted_keys
    cdef vector[uint32_t] units
    cdef bytes key
    cdef TrieKey entry
    ordered = sorted(keys)
    for key in ordered:
        if not key or 0 in key:
            raise ValueError(f"a key of a double array has at least 1 byte, none of them NUL: {key!r}")
        entry.data = <const uint8_t*> <const char*> key
        entry.size = <int32_t> len(key)
        entry.value = keys[key]
        sorted_keys.push_back(entry)
    build_double_array(sorted_keys.data(), sorted_keys.size(), units)
    return (<const char*> units.data())[: units.size() * 4]
