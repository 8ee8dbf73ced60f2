"""Aho-Corasick: the node of the automaton is the text that is held back, since it may become a stop string.

`feed` has the hot loop. Source: Aho and Corasick 1975, with all transitions filled in. Header: stop_strings.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset
from libcpp.vector cimport vector

from spm_lite.errors import OptionError

cdef enum:
    MOST_BYTES = 1 << 16    # of all stop strings: the table of transitions then has 64 MB at most


@cython.final
cdef class StopStrings:
    """Strings that end a text. It never changes, so streams share it.

    texts: the bytes of each, none empty. strings: what `stopped` returns for them.

    >>> stops = StopStrings([b"ab"], ("ab",))
    >>> len(stops)
    1
    """

    def __cinit__(self, list texts not None, tuple strings not None):
        cdef bytes text
        cdef const uint8_t* data
        cdef int64_t n_bytes = 0
        cdef int32_t i
        if len(texts) != len(strings):
            raise OptionError(f"{len(texts)} texts and {len(strings)} stop strings: must be as many")
        for text in texts:
            if not text:
                raise OptionError("a stop string is empty: it would end each text where it begins")
            n_bytes += len(text)
        if n_bytes > MOST_BYTES:
            raise OptionError(f"the stop strings have {n_bytes} bytes together: must be {MOST_BYTES} at most")
        self.strings = strings
        self.begins.push_back(0)
        for text in texts:
            data = <const uint8_t*> <const char*> text
            self.texts.insert(self.texts.end(), data, data + len(text))
            self.begins.push_back(<int32_t> self.texts.size())
        self.number_bytes()
        self.add_node(0, -1)
        for i in range(<int32_t> len(texts)):
            self.add_string(i)
        self.link_nodes()

    def __len__(self):
        return len(self.strings)

    cdef int number_bytes(self) except -1:
        """Give a class to each byte of a stop string."""
        cdef size_t i
        memset(self.classes, 0, sizeof(self.classes))
        self.n_classes = 1
        for i in range(self.texts.size()):
            if self.classes[self.texts[i]] == 0:
                self.classes[self.texts[i]] = self.n_classes
                self.n_classes += 1
        return 0

    cdef int32_t add_node(self, int32_t depth, int32_t source) except -1:
        self.depths.push_back(depth)
        self.sources.push_back(source)
        self.longest.push_back(-1)
        self.targets.resize(self.targets.size() + self.n_classes, -1)
        return <int32_t> self.depths.size() - 1

    cdef int add_string(self, int32_t number) except -1:
        """Add the nodes of a stop string. Of equal strings the first one counts."""
        cdef int32_t node = 0, begin = self.begins[number], end = self.begins[number + 1], i
        cdef size_t place
        for i in range(begin, end):
            place = <size_t> node * self.n_classes + self.classes[self.texts[i]]
            node = self.targets[place]
            if node < 0:
                node = self.add_node(i + 1 - begin, number)
                self.targets[place] = node
        if self.longest[node] < 0:
            self.longest[node] = number
        return 0

    cdef int link_nodes(self) except -1:
        """Fill the missing transitions by those of the longest proper end of each node that is a node, by depth."""
        cdef vector[int32_t] queue, fallbacks
        cdef int32_t* edges = self.targets.data()
        cdef int32_t node, target, k, n_classes = self.n_classes
        cdef int64_t inherited
        cdef size_t i = 0
        fallbacks.resize(self.depths.size(), 0)
        queue.push_back(0)
        while i < queue.size():
            node = queue[i]
            i += 1
            if node and self.longest[node] < 0:
                self.longest[node] = self.longest[fallbacks[node]]
            for k in range(n_classes):
                target = edges[<int64_t> node * n_classes + k]
                inherited = edges[<int64_t> fallbacks[node] * n_classes + k] if node else 0
                if target < 0:
                    edges[<int64_t> node * n_classes + k] = <int32_t> inherited
                else:
                    fallbacks[target] = <int32_t> inherited
                    queue.push_back(target)
        return 0

    cdef void start(self, StopState* state) noexcept nogil:
        """Begin a text."""
        state[0] = StopState(0, -1, 0, -1, False)

    cdef int feed(self, StopState* state, const uint8_t* text, int64_t size, vector[uint8_t]& out) except -1 nogil:
        """Read more of the text, and append what belongs to no stop string, nor to one that may yet become complete.

        A stop string is found once no other one can begin before it. Of those that begin there, `found` is the longest
        that ends within `text`.
        """
        cdef const int32_t* targets = self.targets.data()
        cdef int32_t node = state.node, number
        cdef int64_t pos = 0, begin
        if state.is_over:
            return 0
        while pos < size:
            node = targets[<int64_t> node * self.n_classes + self.classes[text[pos]]]
            pos += 1
            number = self.longest[node]
            if number >= 0:
                begin = pos - (self.begins[number + 1] - self.begins[number])
                if state.found < 0 or begin <= state.found_at:
                    state.found, state.found_at = number, begin
            if state.found >= 0 and pos - self.depths[node] > state.found_at:
                break
        if state.found >= 0 and pos - self.depths[node] >= state.found_at:
            self.release(state, text, state.found_at, out)
            state.stopped = state.found
            state.is_over = True
            return 0
        self.release(state, text, size - self.depths[node], out)
        state.node = node
        state.found_at -= size
        return 0

    cdef int finish(self, StopState* state, vector[uint8_t]& out) except -1 nogil:
        """End the text: append what was held back, up to the first stop string. `stopped` stays till the next text."""
        cdef int32_t stopped = state.stopped
        if not state.is_over:
            self.release(state, NULL, state.found_at if state.found >= 0 else 0, out)
            stopped = state.found
        self.start(state)
        state.stopped = stopped
        return 0

    cdef object found_string(self, const StopState* state):
        """The stop string that ended the text, or None."""
        return None if state.stopped < 0 else self.strings[state.stopped]

    cdef int release(
        self, const StopState* state, const uint8_t* text, int64_t end, vector[uint8_t]& out,
    ) except -1 nogil:
        """Append the text that was held back and `text`, up to offset `end` in `text`; below 0: in the text before."""
        cdef int32_t n_held = self.depths[state.node]
        cdef const uint8_t* held
        if n_held:
            held = self.texts.data() + self.begins[self.sources[state.node]]
            out.insert(out.end(), held, held + n_held + min(end, <int64_t> 0))
        if end > 0:
            out.insert(out.end(), text, text + end)
        return 0
