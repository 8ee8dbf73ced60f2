"""Tree of a pattern -> the tables of a `PatternScanner`.

`compile_pattern` lists the steps: classes of characters that no set of the pattern tells apart, an automaton with
several ways (Thompson), one whose states are ordered lists of these ways (the subset construction, with priorities),
and the least one of its meaning (Moore). Header: pattern_scanner.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libcpp.map cimport map as ordered_map
from libcpp.set cimport set as ordered_set
from libcpp.vector cimport vector

from spm_lite.base.patterns.pattern_scanner cimport (
    ANY_LOOPS, FLAGS, IS_SURE, LETTER_LOOPS, LOOKS, LOOPS, LOWER_LOOPS, MATCHES, PatternScanner,
)

from functools import lru_cache

from spm_lite.base.patterns.character_sets import N_CHARACTERS
from spm_lite.base.patterns.pattern_parser import ONIGURUMA, is_nullable, parse_pattern, respelled
from spm_lite.errors import ModelError

cdef enum:
    MOST_NODES = 20_000
    MOST_STATES = 4_000
    MOST_ENTRIES = 2_000_000
    MOST_LOOKS = 16         # looks ahead at several characters, in one pattern
    MOST_AT_ONCE = 3        # of them at one place
    MOST_SIGNED = 100       # states of a pattern that may be a known one
    MOST_BACK = 8           # sets that looks behind ask for

cdef enum Kind:
    # What a node of the automaton with several ways does.
    READ        # go to `first` with a character of a set
    FORK        # go to `first`, or else to `second`
    NEXT        # go to `first` if the next character is in a set (or is not)
    BEFORE      # go to `first` if the character before is in a set (or is not)
    AHEAD       # go to `first` if a look ahead holds (or does not)
    ACCEPT      # a match ends


cdef struct Node:
    Kind kind
    int32_t subject     # READ, NEXT, BEFORE: number of the set; AHEAD: number of the look
    bint is_negative
    int32_t first
    int32_t second


cdef struct Edge:
    # Where a state leads to with one class of characters, or at the end of a text.
    int32_t target      # 0: nowhere
    bint is_match


cdef struct State:
    int32_t automaton
    uint32_t looks      # the looks ahead that it asks for
    int32_t n_variants
    int32_t first_edge  # of n_variants * (n_classes + 1)


@cython.final
cdef class Builder:
    """The tables of one pattern while they are made."""

    cdef vector[Node] nodes
    cdef vector[int32_t] begins         # by automaton: its first node
    cdef vector[vector[uint8_t]] sets   # by set and class: whether it is a member
    cdef vector[int32_t] back_sets      # numbers of the sets that looks behind ask for
    cdef vector[State] states           # 0: nowhere
    cdef vector[Edge] edges
    cdef vector[vector[int32_t]] cores  # by state: what was before it, then the nodes in it, the first way first
    cdef ordered_map[vector[int32_t], int32_t] numbers
    cdef vector[int32_t] first_states   # by automaton and class of the character before
    cdef vector[uint8_t] seen           # by node, in one closure
    cdef vector[int32_t] waiting
    cdef int32_t n_classes
    cdef dict set_numbers
    cdef list look_trees
    cdef str pattern

    def __cinit__(self, str pattern not None):
        self.pattern = pattern
        self.set_numbers = {}
        self.look_trees = []

    cdef int32_t add(self, Kind kind, int32_t subject, bint is_negative, int32_t first, int32_t second) except -1:
        if self.nodes.size() >= <size_t> MOST_NODES:
            raise ModelError(f"the pattern {self.pattern!r:.100} has more than {<int> MOST_NODES} parts: repeat less")
        self.nodes.push_back(Node(kind, subject, is_negative, first, second))
        return <int32_t> self.nodes.size() - 1

    cdef int32_t build(self, tuple tree, int32_t after) except -1:
        """Add the nodes of a tree, which go on at the node `after`; return the first."""
        cdef int32_t found, i
        kind = tree[0]
        if kind == "set":
            return self.add(READ, self.set_numbers[tree[1]], False, after, 0)
        if kind == "all":
            for part in reversed(tree[1]):
                after = self.build(part, after)
            return after
        if kind == "any":
            last, *others = reversed(tree[1])
            found = self.build(last, after)
            for part in others:
                i = self.build(part, after)
                found = self.add(FORK, 0, False, i, found)
            return found
        if kind == "look":
            if tree[1][0] == "set":
                return self.add(NEXT if tree[2] else BEFORE, self.set_numbers[tree[1][1]], tree[3], after, 0)
            if tree[1] not in self.look_trees:
                self.look_trees.append(tree[1])
            return self.add(AHEAD, self.look_trees.index(tree[1]), tree[3], after, 0)
        return self.build_repeat(tree, after)

    cdef int32_t build_repeat(self, tuple tree, int32_t after) except -1:
        cdef int32_t found, body, leave = after
        _, part, least, most, how = tree
        if how == "possessive":
            leave = self.add(NEXT, self.set_numbers[part[1]], True, after, 0)
        if most == -1:
            found = self.add(FORK, 0, False, 0, 0)
            body = self.build(part, found)
            self.set_fork(found, body, leave, how == "lazy")
        else:
            found = after
            for _ in range(most - least):
                body = self.build(part, found)
                found = self.add(FORK, 0, False, 0, 0)
                self.set_fork(found, body, leave, how == "lazy")
        for _ in range(least):
            found = self.build(part, found)
        return found

    cdef void set_fork(self, int32_t node, int32_t body, int32_t leave, bint is_lazy) noexcept:
        self.nodes[node].first = leave if is_lazy else body
        self.nodes[node].second = body if is_lazy else leave

    cdef uint32_t marks_before(self, int32_t kind) noexcept:
        """Return which sets of looks behind a class is in, as bits. n_classes: there is no character."""
        cdef uint32_t marks = 0
        cdef size_t i
        if kind < self.n_classes:
            for i in range(self.back_sets.size()):
                marks |= <uint32_t> self.sets[self.back_sets[i]][kind] << i
        return marks

    cdef int explore(self, const vector[int32_t]& core, uint32_t* looks, bint* looks_back) except -1:
        """Find which looks the ways of a state may come to, whatever they find."""
        cdef int32_t at
        cdef Node node
        self.seen.assign(self.nodes.size(), 0)
        self.waiting.assign(core.begin() + 1, core.end())
        looks[0] = 0
        looks_back[0] = False
        while not self.waiting.empty():
            at = self.waiting.back()
            self.waiting.pop_back()
            if self.seen[at]:
                continue
            self.seen[at] = 1
            node = self.nodes[at]
            if node.kind == READ or node.kind == ACCEPT:
                continue
            if node.kind == AHEAD:
                looks[0] |= <uint32_t> 1 << node.subject
            elif node.kind == BEFORE:
                looks_back[0] = True
            self.waiting.push_back(node.first)
            if node.kind == FORK:
                self.waiting.push_back(node.second)
        return 0

    cdef int32_t state_of(self, int32_t automaton, vector[int32_t]& core) except -1:
        """Return the state with these ways, a new one if need be. core: the marks before it, then nodes."""
        cdef uint32_t looks = 0
        cdef bint looks_back = False
        cdef int32_t number, n_variants
        if core.size() == 1:
            return 0
        self.explore(core, &looks, &looks_back)
        if not looks_back:
            core[0] = 0
        core.push_back(-1 - automaton)
        if self.numbers.count(core):
            return self.numbers[core]
        number = <int32_t> self.states.size()
        self.numbers[core] = number
        core.pop_back()
        n_variants = 1 << min(bits_of(looks), <int32_t> MOST_AT_ONCE)
        if bits_of(looks) > MOST_AT_ONCE:
            raise ModelError(
                f"the pattern {self.pattern!r:.100} looks ahead in more than {<int> MOST_AT_ONCE} ways at one place"
            )
        if self.states.size() > <size_t> MOST_STATES or self.edges.size() > <size_t> MOST_ENTRIES:
            raise ModelError(
                f"the pattern {self.pattern!r:.100} needs more than {<int> MOST_STATES} states to be matched in linear "
                "time, which spm_lite does not make"
            )
        self.states.push_back(State(automaton, looks, n_variants, <int32_t> self.edges.size()))
        self.edges.resize(self.edges.size() + n_variants * (self.n_classes + 1))
        self.cores.push_back(core)
        return number

    cdef Edge edge_of(self, int32_t state, int32_t kind, int32_t variant) except *:
        """Return where a state leads to. kind: a class; n_classes: the text ends. variant: what its looks find."""
        cdef vector[int32_t] core = self.cores[state]
        cdef uint32_t marks = <uint32_t> core[0], looks = self.states[state].looks
        cdef vector[int32_t] others
        cdef vector[uint8_t] taken
        cdef Node node
        cdef bint is_match = False, is_end = kind == self.n_classes, holds
        cdef int32_t at
        others.push_back(<int32_t> self.marks_before(kind))
        taken.assign(self.nodes.size(), 0)
        self.seen.assign(self.nodes.size(), 0)
        self.waiting.clear()
        while core.size() > 1:
            self.waiting.push_back(core.back())
            core.pop_back()
        while not self.waiting.empty():
            at = self.waiting.back()
            self.waiting.pop_back()
            if self.seen[at]:
                continue
            self.seen[at] = 1
            node = self.nodes[at]
            if node.kind == ACCEPT:
                is_match = True
                break  # the ways after it count only if those before it match
            if node.kind == FORK:
                self.waiting.push_back(node.second)
                self.waiting.push_back(node.first)
                continue
            if node.kind == READ or node.kind == NEXT:
                holds = not is_end and self.sets[node.subject][kind]
            elif node.kind == BEFORE:
                holds = marks >> self.back_number(node.subject) & 1
            else:
                holds = variant >> bits_of(looks & (<uint32_t> 1 << node.subject) - 1) & 1
            if holds == node.is_negative:
                continue
            if node.kind != READ:
                self.waiting.push_back(node.first)
            elif not taken[node.first]:
                taken[node.first] = 1
                others.push_back(node.first)
        return Edge(self.state_of(self.states[state].automaton, others), is_match)

    cdef int32_t back_number(self, int32_t number) noexcept:
        cdef int32_t i
        for i in range(<int32_t> self.back_sets.size()):
            if self.back_sets[i] == number:
                return i
        return 0

    cdef int fill_states(self) except -1:
        """Make all states that a text can lead to."""
        cdef vector[int32_t] core
        cdef int32_t automaton, kind, state = 1, variant, n = self.n_classes
        self.states.push_back(State(0, 0, 1, 0))
        self.edges.resize(n + 1)
        self.cores.push_back(core)
        for automaton in range(<int32_t> self.begins.size()):
            for kind in range(n + 1):
                core.clear()
                core.push_back(<int32_t> self.marks_before(kind))
                core.push_back(self.begins[automaton])
                self.first_states.push_back(self.state_of(automaton, core))
        while state < <int32_t> self.states.size():
            for variant in range(self.states[state].n_variants):
                for kind in range(n + 1):
                    edge = self.edge_of(state, kind, variant)
                    self.edges[self.states[state].first_edge + variant * (n + 1) + kind] = edge
            state += 1
        return 0

    cdef vector[uint8_t] surviving(self) except *:
        """Return, by state, whether some text leads on to a match."""
        cdef vector[uint8_t] found
        cdef int32_t state, i
        cdef Edge edge
        cdef bint goes_on = True
        found.assign(self.states.size(), 0)
        while goes_on:
            goes_on = False
            for state in range(<int32_t> self.states.size() - 1, 0, -1):
                if found[state]:
                    continue
                for i in range(self.states[state].n_variants * (self.n_classes + 1)):
                    edge = self.edges[self.states[state].first_edge + i]
                    if edge.is_match or found[edge.target]:
                        found[state] = 1
                        goes_on = True
                        break
        return found

    cdef vector[uint8_t] sure(self) except *:
        """Return, by state, whether each text leads on to a match."""
        cdef vector[uint8_t] found
        cdef int32_t state, i, n = self.n_classes
        cdef Edge edge
        cdef bint goes_on = True
        found.assign(self.states.size(), 1)
        found[0] = 0
        while goes_on:
            goes_on = False
            for state in range(1, <int32_t> self.states.size()):
                if not found[state]:
                    continue
                for i in range(self.states[state].n_variants * (n + 1)):
                    edge = self.edges[self.states[state].first_edge + i]
                    if not edge.is_match and (i % (n + 1) == n or not found[edge.target]):
                        found[state] = 0
                        goes_on = True
                        break
        return found

    cdef int simplify(self) except -1:
        """Lead nowhere where no match follows, and drop each end of a match after which a longer one surely ends."""
        cdef vector[uint8_t] alive = self.surviving(), certain = self.sure()
        cdef size_t i
        for i in range(self.edges.size()):
            if not alive[self.edges[i].target]:
                self.edges[i].target = 0
            if certain[self.edges[i].target]:
                self.edges[i].is_match = False
        for i in range(self.first_states.size()):
            if not alive[self.first_states[i]]:
                self.first_states[i] = 0
        return 0

    cdef vector[int32_t] blocks(self) except *:
        """Return, by state, the number of its block: states of one block do the same with every text."""
        cdef vector[int32_t] found, row, others
        cdef ordered_map[vector[int32_t], int32_t] numbers
        cdef int32_t state, i, n_blocks = 0
        cdef Edge edge
        others.assign(self.states.size(), 0)
        while True:
            found.swap(others)
            others.clear()
            numbers.clear()
            for state in range(<int32_t> self.states.size()):
                row.clear()
                row.push_back(found[state])
                row.push_back(0 if state == 0 else 1 + self.states[state].automaton)
                row.push_back(<int32_t> self.states[state].looks)
                for i in range(self.states[state].n_variants * (self.n_classes + 1)):
                    edge = self.edges[self.states[state].first_edge + i]
                    row.push_back(found[edge.target] << 1 | edge.is_match)
                if not numbers.count(row):
                    i = <int32_t> numbers.size()
                    numbers[row] = i
                others.push_back(numbers[row])
            if <int32_t> numbers.size() == n_blocks:
                return found
            n_blocks = <int32_t> numbers.size()


cdef inline int32_t bits_of(uint32_t marks) noexcept:
    cdef int32_t n = 0
    while marks:
        n += marks & 1
        marks >>= 1
    return n


def sets_of(tuple tree) -> list:
    """The sets of a tree, each once, and those that looks behind ask for."""
    found, behind, waiting = {}, {}, [tree]
    while waiting:
        node = waiting.pop()
        if node[0] == "set":
            found[node[1]] = None
        elif node[0] in ("all", "any"):
            waiting += node[1]
        else:
            waiting.append(node[1])
            if node[0] == "look" and not node[2]:
                behind[node[1][1]] = None
    return [list(found), list(behind)]


def classes_of(list sets) -> tuple:
    """(runs, members): where each run of characters of a class begins, with the class; the sets that each class is in.

    Characters of a class are in the same sets. Classes are numbered by their first characters.
    """
    cdef object one = 1  # no C integer: there may be more sets than it has bits
    events = sorted([(point, one << i) for i, some in enumerate(sets) for point in some if point < N_CHARACTERS])
    runs, numbers, members, marks, last = [], {}, [], 0, 0
    for point, mark in [*events, (N_CHARACTERS, 0)]:
        if point > last:
            if marks not in numbers:
                numbers[marks] = len(numbers)
                members.append(marks)
            runs.append((last, numbers[marks]))
            last = point
        marks ^= mark
    return runs, members


cdef int fill_classes(PatternScanner scanner, list runs) except -1:
    """Fill the table of classes. runs: as `classes_of` tells them; equal pages are stored once."""
    cdef dict pages = {}
    cdef int32_t page, begin, end, kind, i = 0, code
    cdef vector[uint16_t] content
    cdef list ends = [point for point, _ in runs[1:]] + [N_CHARACTERS]
    for page in range(0x1100):
        begin = page << 8
        while ends[i] <= begin:
            i += 1
        kind = runs[i][1]
        if ends[i] >= begin + 256:
            key = kind
            content.assign(256, <uint16_t> kind)
        else:
            content.clear()
            code = begin
            while code < begin + 256:
                while ends[i] <= code:
                    i += 1
                end = min(<int32_t> ends[i], begin + 256)
                content.insert(content.end(), end - code, <uint16_t> <int32_t> runs[i][1])
                code = end
            key = bytes((<const uint8_t*> content.data())[:512])
        if key not in pages:
            pages[key] = len(pages)
            scanner.pages.insert(scanner.pages.end(), content.begin(), content.end())
        scanner.page_of[page] = <uint16_t> <int32_t> pages[key]
    for i in range(128):
        scanner.ascii_classes[i] = scanner.pages[(<size_t> scanner.page_of[0] << 8) + i]
    scanner.other_class = <uint16_t> <int32_t> runs[len(runs) - 1][1]
    return 0


cdef int fill_rows(PatternScanner scanner, Builder builder, list merged) except -1:
    """Fill the rows. merged: by class of the builder, its number among those that the automata tell apart."""
    cdef vector[int32_t] blocks = builder.blocks(), order, places, firsts
    cdef vector[uint8_t] certain = builder.sure()
    cdef vector[int32_t] representatives
    cdef ordered_set[uint32_t] looped
    cdef int32_t n = builder.n_classes, width = scanner.n_classes + 3, state, kind, variant, i, n_rows = 1
    cdef uint32_t entry, offset
    cdef Edge edge
    cdef bint has_loops, loops
    for i in range(scanner.n_classes):
        representatives.push_back(merged.index(i))
    representatives.push_back(n)  # the end of a text
    places.assign(builder.states.size() + 1, -1)
    places[blocks[0]] = 0
    # Blocks are numbered in the order in which a walk comes to them, so that equal patterns give equal rows.
    for i in range(<int32_t> builder.begins.size()):
        for kind in representatives:
            firsts.push_back(builder.first_states[i * (n + 1) + kind])
    order.push_back(0)
    i = 0
    for state in firsts:
        if places[blocks[state]] < 0:
            places[blocks[state]] = n_rows
            n_rows += builder.states[state].n_variants
            order.push_back(state)
        while i < <int32_t> order.size():
            for variant in range(builder.states[order[i]].n_variants if order[i] else 0):
                for kind in representatives:
                    edge = builder.edges[builder.states[order[i]].first_edge + variant * (n + 1) + kind]
                    if places[blocks[edge.target]] < 0:
                        places[blocks[edge.target]] = n_rows
                        n_rows += builder.states[edge.target].n_variants
                        order.push_back(edge.target)
            i += 1
    scanner.rows.assign(<size_t> n_rows * width, 0)
    scanner.n_states = n_rows - 1
    for state in order:
        if state == 0:
            continue
        for variant in range(builder.states[state].n_variants):
            offset = <uint32_t> ((places[blocks[state]] + variant) * width)
            for i in range(scanner.n_classes + 1):
                edge = builder.edges[builder.states[state].first_edge + variant * (n + 1) + representatives[i]]
                entry = <uint32_t> (places[blocks[edge.target]] * width) << FLAGS
                if edge.target and builder.states[edge.target].looks:
                    entry |= LOOKS
                if certain[edge.target]:
                    entry |= IS_SURE
                if edge.is_match:
                    entry |= MATCHES
                scanner.rows[offset + i] = entry
            scanner.rows[offset + scanner.n_classes + 2] = builder.states[state].looks
    for state in order:
        if state and certain[state] and builder.states[state].looks == 0:
            offset = <uint32_t> (places[blocks[state]] * width)
            has_loops = False
            for i in range(128):
                has_loops |= scanner.rows[offset + scanner.ascii_classes[i]] == (offset << FLAGS | IS_SURE)
            if has_loops:
                looped.insert(offset)
                scanner.rows[offset + scanner.n_classes + 1] = <uint32_t> scanner.loops.size()
                for i in range(256):
                    entry = scanner.rows[offset + scanner.ascii_classes[i & 127]]
                    loops = i < 128 and entry == (offset << FLAGS | IS_SURE)
                    scanner.loops.push_back(<int> loops)
                scanner.rows[offset + scanner.n_classes + 1] |= kind_of_loops(scanner.loops)
    # Last, since rows were compared without this flag.
    for i in range(<int32_t> scanner.rows.size()):
        if i % width <= scanner.n_classes and looped.count(scanner.rows[i] >> FLAGS):
            scanner.rows[i] |= LOOPS
    for state in firsts:
        entry = <uint32_t> (places[blocks[state]] * width) << FLAGS
        if state:
            if builder.states[state].looks:
                entry |= LOOKS
            if certain[state]:
                entry |= IS_SURE
        scanner.starts.push_back(entry)
    return 0


cdef uint32_t kind_of_loops(const vector[uint8_t]& loops) noexcept:
    """Return which letters are in the last table of loops."""
    cdef const uint8_t* table = loops.data() + loops.size() - 256
    cdef uint32_t kind = LETTER_LOOPS
    cdef int32_t letter
    for letter in range(0x61, 0x7B):
        if not table[letter]:
            return ANY_LOOPS
        if not table[letter - 0x20]:
            kind = LOWER_LOOPS
    return kind


cdef list merged_classes(Builder builder):
    """By class, its number among those that the automata tell apart."""
    cdef list numbers = []
    cdef dict known = {}
    cdef int32_t kind, state, variant, n = builder.n_classes
    cdef vector[int32_t] blocks = builder.blocks()
    cdef Edge edge
    for kind in range(n):
        column = []
        for state in range(1, <int32_t> builder.states.size()):
            for variant in range(builder.states[state].n_variants):
                edge = builder.edges[builder.states[state].first_edge + variant * (n + 1) + kind]
                column.append(blocks[edge.target] << 1 | edge.is_match)
        for state in range(<int32_t> builder.begins.size()):
            column.append(blocks[builder.first_states[state * (n + 1) + kind]])
        numbers.append(known.setdefault(tuple(column), len(known)))
    return numbers


@lru_cache(maxsize=64)
def compile_pattern(str pattern not None, str dialect=ONIGURUMA) -> PatternScanner:
    """The scanner of a pattern. Raises ModelError for a construct that is not read, and for too many states."""
    tree = parse_pattern(pattern, dialect)
    return compiled(tree, respelled(pattern, dialect, ONIGURUMA))


def compiled(tuple tree not None, str pattern not None) -> PatternScanner:
    """The scanner of a tree. pattern: its text, which says in messages which one it is."""
    cdef PatternScanner scanner = PatternScanner()
    cdef Builder builder = Builder(pattern)
    cdef int32_t i, kind, automaton, n
    cdef vector[uint8_t] row
    sets, behind = sets_of(tree)
    if len(behind) > MOST_BACK:
        raise ModelError(f"the pattern {pattern!r:.100} looks behind at more than {<int> MOST_BACK} sets of characters")
    runs, members = classes_of(sets)
    builder.n_classes = n = <int32_t> len(members)
    builder.set_numbers = {some: i for i, some in enumerate(sets)}
    for i in range(<int32_t> len(sets)):
        row.clear()
        for kind in range(n):
            row.push_back(members[kind] >> i & 1)
        builder.sets.push_back(row)
    for some in behind:
        builder.back_sets.push_back(builder.set_numbers[some])
    accept = builder.add(ACCEPT, 0, False, 0, 0)
    builder.begins.push_back(builder.build(tree, accept))
    automaton = 0
    while automaton < len(builder.look_trees):
        builder.begins.push_back(builder.build(builder.look_trees[automaton], accept))
        automaton += 1
    if automaton > MOST_LOOKS:
        raise ModelError(f"the pattern {pattern!r:.100} has more than {<int> MOST_LOOKS} looks ahead at several signs")
    builder.fill_states()
    builder.simplify()
    merged = merged_classes(builder)
    scanner.n_classes = <int32_t> (max(merged) + 1)
    joined, kind = [], -1
    for begin, number in runs:
        if merged[number] != kind:
            kind = merged[number]
            joined.append((begin, kind))
    fill_classes(scanner, joined)
    fill_rows(scanner, builder, merged)
    scanner.pattern = pattern
    scanner.looks_back = not builder.back_sets.empty()
    scanner.looks_far = automaton > 0
    scanner.may_be_empty = is_nullable(tree)
    scanner.is_quick = not (scanner.looks_back or scanner.looks_far or scanner.may_be_empty)
    scanner.first = scanner.starts[scanner.n_classes]
    finish(scanner, joined)
    fill_words(scanner)
    return scanner


cdef int fill_words(PatternScanner scanner) noexcept:
    """Fill the entries of words of ASCII."""
    cdef int32_t i
    cdef uint32_t entry, after_space = scanner.rows[(scanner.first >> FLAGS) + scanner.ascii_classes[0x20]]
    for i in range(256):
        scanner.word_entries[i] = scanner.spaced_entries[i] = 0
        if i >= 128 or i == 0x20 or not scanner.is_quick:
            continue
        entry = scanner.rows[(scanner.first >> FLAGS) + scanner.ascii_classes[i]]
        if entry & LOOPS and not entry & MATCHES:
            scanner.word_entries[i] = entry
        if after_space >> FLAGS and not after_space & MATCHES:
            entry = scanner.rows[(after_space >> FLAGS) + scanner.ascii_classes[i]]
            if entry & LOOPS and not entry & MATCHES:
                scanner.spaced_entries[i] = entry
    return 0


cdef int finish(PatternScanner scanner, list runs) except -1:
    """Fill what follows from the rows."""
    cdef int32_t kind, before, i, n = scanner.n_classes
    cdef uint32_t entry, found
    cdef bint takes_all = True
    scanner.may_start.assign(n, 0)
    for before in range(n + 1):
        entry = scanner.starts[before]
        for kind in range(n + 1):
            found = scanner.rows[(entry >> FLAGS) + kind]
            if entry & LOOKS:
                found = 1 << FLAGS
            if kind < n and (found or scanner.may_be_empty):
                scanner.may_start[kind] = 1
            if kind < n and not found & IS_SURE:
                takes_all = False
    scanner.takes_all = takes_all and not scanner.may_be_empty
    scanner.ends_freely = not scanner.looks_far
    for i in range(<int32_t> scanner.rows.size()):
        if scanner.rows[i - i % (n + 3) + n] & MATCHES and i % (n + 3) < n and not scanner.rows[i] & MATCHES:
            scanner.ends_freely = False
    if not scanner.looks_far and not scanner.looks_back and scanner.n_states <= MOST_SIGNED:
        import hashlib

        rows = [
            scanner.rows[i] & ~<uint32_t> LOOPS
            for i in range(<int32_t> scanner.rows.size()) if i % (n + 3) <= n
        ]
        scanner.signature = hashlib.sha256(repr((runs, scanner.starts[n], rows)).encode()).digest()[:12]
    return 0
