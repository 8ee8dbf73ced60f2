"""Looks for the longest known prefix of a text by the hashes of its blocks, and encodes the rest from there.

A hash only proposes a prefix; all its bytes are compared. Header: known_prefixes.pxd.
"""

cimport cython
from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array, reserve_values
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.resume_points cimport MOST_PENDING, ResumePoint, advance, can_resume, finish
from spm_lite.texts.text_view cimport (
    ASCII, FOUR_BYTES, NO_PLACE, SOUND, TWO_BYTES, TextView, memory_of, view_text, width_of,
)
from spm_lite.texts.transcode cimport TRANSCODE_SLACK, Utf8Result, refuse, transcode, transcoded_room

from os import urandom

cdef enum:
    WORD = 8
    N_LANES = 4
    N_WIDTHS = 8        # more than the bytes of a character: texts of other widths are other texts

cdef uint64_t MULTIPLIER = 0x9E3779B97F4A7C15     # odd, its bits look random: the golden ratio


cdef inline uint64_t mixed(uint64_t hashed, uint64_t word) noexcept nogil:
    """Add a word to a hash."""
    hashed = (hashed ^ word) * MULTIPLIER
    return hashed ^ (hashed >> 29)


cdef uint64_t hash_block(const uint8_t* text, uint64_t hashed) noexcept nogil:
    """The hash of a block after others: of BLOCK bytes."""
    cdef uint64_t lanes[N_LANES]
    cdef uint64_t word = 0
    cdef int pos = 0, i
    for i in range(<int> N_LANES):
        lanes[i] = hashed + <uint64_t> i
    while pos < BLOCK:  # several chains, so that the processor need not wait
        for i in range(<int> N_LANES):
            memcpy(&word, text + pos + i * <int> WORD, WORD)
            lanes[i] = mixed(lanes[i], word)
        pos += N_LANES * WORD
    for i in range(<int> N_LANES):
        hashed = mixed(hashed, lanes[i])
    return hashed


@cython.final
cdef class KnownPrefixes:
    """The ids of known prefixes, for several encoders.

    limit: bytes of memory; what was not used for the longest time goes first.
    """

    def __cinit__(self, int64_t limit):
        self.limit = limit
        self.seed = int.from_bytes(urandom(8), "little")  # so that nobody can make texts with equal hashes
        self.encoders = []
        self.points = []
        self.oldest = self.newest = NO_NODE

    def __len__(self):
        return len(self.points) - <Py_ssize_t> self.free.size()

    def encode(self, Encoder encoder not None, str text not None):
        """The ids of a text, as an Int32Array: equal to those of `Encoder.encode`."""
        cdef TextView view
        cdef vector[int64_t] ends
        cdef vector[uint64_t] hashes
        cdef Int32Array ids = Int32Array()
        cdef ResumePoint point = ResumePoint()
        cdef list points = []
        cdef int32_t owner = NO_NODE, node = NO_NODE
        cdef size_t n_known = 0
        cdef int64_t version
        view_text(text, NO_PLACE, &view)
        if can_resume(encoder):
            owner = self.owner_of(encoder) * <int32_t> N_WIDTHS + width_of(&view)
            with nogil:
                fill_ends(&view, self.seed + <uint64_t> owner, ends, hashes)
        with cython.critical_section(self):
            self.n_calls += 1
            self.n_bytes += memory_of(&view)
            version = self.version
            node = self.find(owner, view.data, ends, hashes)
            if node != NO_NODE:
                self.take(node, ids)
                self.touch(node)
                point = (<ResumePoint> self.points[node]).copy()
                self.n_known += self.ends[node]
                while n_known < ends.size() and ends[n_known] <= self.ends[node]:
                    n_known += 1
        encode_blocks(encoder, &view, ends, n_known, point, points, ids)
        with cython.critical_section(self):
            if version != self.version and n_known > 0:  # another thread may have dropped the node
                node = self.node_at(hashes[n_known - 1], owner, view.data, ends[n_known - 1])
            if n_known == 0 or node != NO_NODE:
                for point in points:
                    if point is not None:
                        node = self.add(node, owner, hashes[n_known], view.data, ends[n_known], point, ids.data)
                    n_known += 1
                    if self.used > self.limit:  # what is added of this text is the newest
                        self.touch(node)
                        while self.used > self.limit and self.oldest != node:
                            self.drop_oldest()
                        if self.used > self.limit:
                            break
                self.touch(node)
            while self.used > self.limit and self.oldest != NO_NODE:
                self.drop_oldest()
        return ids

    cdef int32_t owner_of(self, Encoder encoder) except -1:
        """The number of an encoder."""
        with cython.critical_section(self):
            for i in range(len(self.encoders)):
                if self.encoders[i] is encoder:
                    return <int32_t> i
            self.encoders.append(encoder)
            return <int32_t> len(self.encoders) - 1

    cdef int32_t node_at(self, uint64_t hashed, int32_t owner, const uint8_t* text, int64_t end) noexcept:
        """The node of the first `end` bytes of a text, by its hash; NO_NODE: there is none."""
        cdef unordered_map[uint64_t, int32_t].iterator at = self.by_hash.find(hashed)
        cdef int32_t node, found
        cdef int64_t begin
        if at == self.by_hash.end():
            return NO_NODE
        node = found = dereference(at).second
        if self.owners[node] != owner or self.ends[node] != end:
            return NO_NODE
        while node != NO_NODE:
            begin = self.ends[node] - <int64_t> self.texts[node].size()
            if memcmp(self.texts[node].data(), text + begin, self.texts[node].size()) != 0:
                return NO_NODE
            node = self.parents[node]
        return found

    cdef int32_t find(
        self, int32_t owner, const uint8_t* text, const vector[int64_t]& ends, const vector[uint64_t]& hashes,
    ) noexcept:
        """The node of the longest known prefix; NO_NODE: there is none."""
        cdef size_t k = ends.size()
        cdef int32_t node
        while k > 0:
            k -= 1
            node = self.node_at(hashes[k], owner, text, ends[k])
            if node != NO_NODE:
                return node
        return NO_NODE

    cdef int take(self, int32_t node, Int32Array ids) except -1:
        """Write the ids of a prefix."""
        cdef int64_t n_ids = (<ResumePoint> self.points[node]).n_ids, begin = n_ids
        reserve_values(ids, <size_t> n_ids)
        ids.size = <size_t> n_ids
        while node != NO_NODE:
            begin -= <int64_t> self.ids[node].size()
            if not self.ids[node].empty():
                memcpy(ids.data + begin, self.ids[node].data(), self.ids[node].size() * sizeof(int32_t))
            node = self.parents[node]
        return 0

    cdef void touch(self, int32_t node) noexcept:
        """Make a node and all before it the newest. So a node is never older than those after it."""
        while node != NO_NODE:
            self.unlink(node)
            self.link(node)
            node = self.parents[node]

    cdef void unlink(self, int32_t node) noexcept:
        """Take a node out of the order of use."""
        cdef int32_t before = self.earlier[node], after = self.later[node]
        if before == NO_NODE:
            self.oldest = after
        else:
            self.later[before] = after
        if after == NO_NODE:
            self.newest = before
        else:
            self.earlier[after] = before

    cdef void link(self, int32_t node) noexcept:
        """Put a node at the end of the order of use."""
        self.earlier[node], self.later[node] = self.newest, NO_NODE
        if self.newest == NO_NODE:
            self.oldest = node
        else:
            self.later[self.newest] = node
        self.newest = node

    cdef int32_t add(
        self, int32_t parent, int32_t owner, uint64_t hashed, const uint8_t* text, int64_t end, ResumePoint point,
        const int32_t* ids,
    ) except -2:
        """Add a node after `parent`, if it is not there; return it.

        text, ids: of the whole text. end: of the block. point: at its end.
        """
        cdef int32_t node = self.after(parent, hashed)
        cdef int64_t begin = 0 if parent == NO_NODE else self.ends[parent]
        cdef int64_t first = 0 if parent == NO_NODE else (<ResumePoint> self.points[parent]).n_ids
        if node != NO_NODE and self.texts[node].size() == <size_t> (end - begin) and (
            memcmp(self.texts[node].data(), text + begin, self.texts[node].size()) == 0
        ):
            return node
        if self.free.empty():
            node = <int32_t> len(self.points)
            self.parents.resize(node + 1)
            self.owners.resize(node + 1)
            self.earlier.resize(node + 1)
            self.later.resize(node + 1)
            self.hashes.resize(node + 1)
            self.ends.resize(node + 1)
            self.texts.resize(node + 1)
            self.ids.resize(node + 1)
            self.free.reserve(node + 1)
            self.points.append(None)  # last: memory may run out before
        else:
            node = self.free.back()
            self.free.pop_back()
        self.points[node] = point
        self.parents[node], self.owners[node], self.hashes[node] = parent, owner, hashed
        self.ends[node] = end
        self.texts[node].assign(text + begin, text + end)
        self.ids[node].assign(ids + first, ids + point.n_ids)
        self.by_hash[hashed] = node
        self.used += self.bytes_of(node)
        self.link(node)
        self.version += 1
        return node

    cdef int32_t after(self, int32_t parent, uint64_t hashed) noexcept:
        """The node with a hash that stands after `parent`; NO_NODE: there is none."""
        cdef unordered_map[uint64_t, int32_t].iterator at = self.by_hash.find(hashed)
        if at == self.by_hash.end() or self.parents[dereference(at).second] != parent:
            return NO_NODE
        return dereference(at).second

    cdef int64_t bytes_of(self, int32_t node) noexcept:
        """The memory of a node."""
        cdef ResumePoint point = self.points[node]
        cdef size_t n_bytes = self.texts[node].size() + self.ids[node].size() * sizeof(int32_t)
        return <int64_t> NODE_BYTES + <int64_t> n_bytes + <int64_t> (point.rest.capacity() + point.formed.capacity())

    cdef int drop_oldest(self) except -1:
        """Forget the node that was not used for the longest time; no other one stands after it."""
        cdef unordered_map[uint64_t, int32_t].iterator at
        cdef int32_t node = self.oldest
        self.unlink(node)
        self.used -= self.bytes_of(node)
        at = self.by_hash.find(self.hashes[node])
        if at != self.by_hash.end() and dereference(at).second == node:
            self.by_hash.erase(at)
        self.owners[node] = NO_NODE  # nothing is found in it any more
        self.texts[node] = vector[uint8_t]()
        self.ids[node] = vector[int32_t]()
        self.points[node] = None
        self.free.push_back(node)
        self.version += 1
        return 0


cdef int encode_blocks(
    Encoder encoder, const TextView* view, const vector[int64_t]& ends, size_t n_known, ResumePoint point, list points,
    Int32Array ids,
) except -1:
    """Add the ids of a text from `point` on, and a point for each block that is not known.

    None stands for a point after which too much of the text may still change.
    """
    cdef EncodeScratch scratch = encoder.take_scratch()
    cdef vector[uint8_t] text
    cdef int64_t begin = point.at, due = 0
    cdef bint is_due = False
    cdef int32_t width = width_of(view), pos = 0
    cdef size_t k
    if n_known:
        pos = char_at(view, <int32_t> (ends[n_known - 1] // width), point.n_seen - point.at)
    for k in range(n_known, ends.size()):
        with nogil:
            pos = add_chars(view, pos, <int32_t> (ends[k] // width), text)
            is_due = begin + <int64_t> text.size() >= due
            if is_due:
                advance(encoder, point, text.data(), begin, <int64_t> text.size(), scratch, ids)
                due = point.n_seen + point.n_pending() // 2  # so that what waits is read a few times only
        points.append(point.copy() if is_due and point.n_pending() <= MOST_PENDING else None)
    with nogil:
        add_chars(view, pos, view.size, text)
        finish(encoder, point, text.data(), begin, <int64_t> text.size(), scratch, ids)
    return encoder.give_back(scratch, view.size)


cdef int32_t char_at(const TextView* view, int32_t end, int64_t n_bytes) noexcept:
    """The character of a text that begins `n_bytes` of UTF-8 before the character `end`."""
    cdef uint32_t sign
    while n_bytes > 0:
        end -= 1
        if view.form == TWO_BYTES:
            sign = (<const uint16_t*> view.data)[end]
        elif view.form == FOUR_BYTES:
            sign = (<const uint32_t*> view.data)[end]
        else:
            sign = view.data[end]
        n_bytes -= 1 + (sign >= 0x80) + (sign >= 0x800) + (sign >= 0x10000)
    return end


cdef int32_t add_chars(const TextView* view, int32_t begin, int32_t end, vector[uint8_t]& out) except -1 nogil:
    """Append some characters of a text as UTF-8; return `end`."""
    cdef TextView part = view[0]
    cdef size_t n_before = out.size()
    cdef Utf8Result result
    part.data += <int64_t> begin * width_of(view)
    part.size = end - begin
    if view.form == ASCII or view.form == SOUND:
        out.insert(out.end(), part.data, part.data + part.size)
        return end
    out.resize(n_before + <size_t> transcoded_room(&part) + TRANSCODE_SLACK)
    transcode(&part, out.data() + n_before, &result)
    if result.size < 0:
        result.wrong_place += begin
        refuse(&result, NO_PLACE)
    out.resize(n_before + <size_t> result.size)
    return end


cdef int fill_ends(
    const TextView* view, uint64_t seed, vector[int64_t]& ends, vector[uint64_t]& hashes,
) except -1 nogil:
    """Set the end of each whole block of a text, and the hash of the text up to there."""
    cdef int64_t end = BLOCK, size = memory_of(view)
    cdef uint64_t hashed = mixed(seed, MULTIPLIER)
    while end < size:
        hashed = hash_block(view.data + end - <int> BLOCK, hashed)
        ends.push_back(end)
        hashes.push_back(hashed)
        end += BLOCK
    return 0
