"""Sorts edges by a counting sort and nodes by Kahn's algorithm, and walks through all rules depth first.

`build_graph` comes first, then `RuleWalk`; `decompile_rules` and `count_targets` use the walk. Header: rule_graph.pxd.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport ENDS_KEY, IS_VALUE, VALUE_MASK, unit_offset
from spm_lite.base.system.heap cimport refill
from spm_lite.base.unicode.utf8 cimport char_size

from spm_lite.errors import ModelError


cdef class RuleGraph:
    """Edges and reachable nodes of one array; the time is linear in its units, whatever they hold."""

    cdef int find_edges(self, const vector[uint32_t]& units) except -1 nogil:
        """Sort the units by their parent's base (counting sort)."""
        cdef uint32_t n_units = <uint32_t> units.size()
        cdef uint32_t i, base
        cdef vector[uint32_t] next_edge
        refill(self.first, n_units + 1, 0)
        for i in range(n_units):
            if not units[i] & <uint32_t> IS_VALUE:
                self.first[(i ^ (units[i] & 0xFF)) + 1] += 1
        for base in range(n_units):
            self.first[base + 1] += self.first[base]
        self.edges.resize(self.first[n_units])
        next_edge.assign(self.first.begin(), self.first.end())
        for i in range(n_units):
            if not units[i] & <uint32_t> IS_VALUE:
                base = i ^ (units[i] & 0xFF)
                self.edges[next_edge[base]] = i
                next_edge[base] += 1
        return 0

    cdef int sort_bases(self, const vector[uint32_t]& units) except -1 nogil:
        """Sort the bases that the root reaches topologically (Kahn 1962), and find the longest walk to each."""
        cdef vector[uint32_t] n_parents, reached
        cdef vector[uint8_t] is_reached
        cdef uint32_t base, child, k
        cdef size_t done = 0
        refill(n_parents, units.size(), 0)
        refill(is_reached, units.size(), 0)
        refill(self.depth, units.size(), 0)
        self.order.clear()
        base = unit_offset(units[0])
        reached.push_back(base)
        is_reached[base] = 1
        while done < reached.size():
            base = reached[done]
            done += 1
            for k in range(self.first[base], self.first[base + 1]):
                child = self.edges[k] ^ unit_offset(units[self.edges[k]])
                n_parents[child] += 1
                if not is_reached[child]:
                    is_reached[child] = 1
                    reached.push_back(child)
        self.max_depth = 0
        if n_parents[reached[0]] == 0:
            self.order.push_back(reached[0])
        done = 0
        while done < self.order.size():
            base = self.order[done]
            done += 1
            self.max_depth = max(self.max_depth, self.depth[base])
            for k in range(self.first[base], self.first[base + 1]):
                child = self.edges[k] ^ unit_offset(units[self.edges[k]])
                self.depth[child] = max(self.depth[child], self.depth[base] + 1)
                n_parents[child] -= 1
                if n_parents[child] == 0:
                    self.order.push_back(child)
        self.is_cyclic = self.order.size() < reached.size()
        return 0


cdef RuleGraph build_graph(const vector[uint32_t]& units):
    """Build the graph of an array that has passed `check_units`: every base lies inside it."""
    cdef RuleGraph graph = RuleGraph()
    with nogil:
        graph.find_edges(units)
        graph.sort_bases(units)
    return graph


cdef enum:
    MAX_DEPTH = 1000            # bytes of a source, as in the original
    MAX_RULES = 1 << 22         # some 18 times the largest of the named sets
    MAX_BYTES = 1 << 28         # of all sources together


cdef struct RuleStep:
    # A unit that the walk goes through, `depth` bytes into the source.
    uint32_t unit
    int32_t depth


cdef class RuleWalk:
    """A walk through all rules, depth first, without edges that lead to no rule. At a rule it holds its source."""

    cdef RuleGraph graph
    cdef vector[int64_t] n_rules        # that end below each base
    cdef vector[RuleStep] pending
    cdef vector[uint8_t] source
    cdef uint32_t base                  # reached so far
    cdef uint32_t target                # offset of the rule's replacement

    cdef bint next_rule(self, const vector[uint32_t]& units) except -1 nogil:
        """Go on to the next rule; False if there is none."""
        cdef RuleStep here
        cdef uint32_t edge, unit = 0
        cdef int32_t depth = <int32_t> self.source.size()
        while True:
            for edge in range(self.graph.first[self.base], self.graph.first[self.base + 1]):
                self.pending.push_back(RuleStep(self.graph.edges[edge], depth + 1))
            while not self.pending.empty():
                here = self.pending.back()
                self.pending.pop_back()
                unit = units[here.unit]
                self.base = here.unit ^ unit_offset(unit)
                if unit & ENDS_KEY or self.n_rules[self.base]:
                    break
            else:
                return False
            depth = here.depth
            self.source.resize(depth)
            self.source[depth - 1] = unit & 0xFF
            if unit & ENDS_KEY:
                self.target = units[self.base] & <uint32_t> VALUE_MASK
                return True

    cdef bint is_one_char(self) noexcept:
        """Whether the source is one character, or one ill-formed byte."""
        cdef int64_t size = <int64_t> self.source.size()
        return size == 1 or (size <= 4 and char_size(self.source.data(), size) == size)

    cdef str source_text(self):
        return to_str((<const char*> self.source.data())[: <Py_ssize_t> self.source.size()])


cdef list decompile_rules(const vector[uint32_t]& units, const vector[uint8_t]& targets):
    """(source, target) of every rule in a checked array, sorted by the sources' code points.

    An ill-formed byte becomes U+FFFD. Raises ModelError if a source is longer than 1000 bytes or there are too many
    rules to list: subtrees can be shared, so a small array may hold very many.
    """
    cdef RuleWalk walk = walk_of(units)
    cdef list rules = []
    cdef dict replacements = {}  # one str for all rules that share a target
    while walk.next_rule(units):
        if walk.target not in replacements:
            replacements[walk.target] = to_str(<const char*> targets.data() + walk.target)
        rules.append((walk.source_text(), replacements[walk.target]))
    return sorted(rules)


cdef tuple count_targets(const vector[uint32_t]& units, const vector[uint8_t]& targets):
    """How many rules have each target, and (source, target) of the rules for single characters, sorted.

    This does without a str for each rule, of which there may be hundreds of thousands. Raises as `decompile_rules`.
    """
    cdef RuleWalk walk = walk_of(units)
    cdef vector[int64_t] n_uses
    cdef list short = []
    cdef dict counts = {}
    cdef size_t i
    refill(n_uses, targets.size(), 0)
    while walk.next_rule(units):
        n_uses[walk.target] += 1
        if walk.is_one_char():
            short.append((walk.source_text(), to_str(<const char*> targets.data() + walk.target)))
    for i in range(n_uses.size()):
        if n_uses[i]:
            target = to_str(<const char*> targets.data() + i)
            counts[target] = counts.get(target, 0) + n_uses[i]
    return counts, sorted(short)


cdef RuleWalk walk_of(const vector[uint32_t]& units):
    """Begin a walk through the rules of a checked array. Raises ModelError as `decompile_rules`."""
    cdef RuleWalk walk = RuleWalk()
    cdef RuleGraph graph = build_graph(units)
    if graph.is_cyclic or graph.max_depth > MAX_DEPTH:
        raise ModelError(
            "normalization rules: Max recursion depth exceeded in decompile: a source is "
            f"{'endless' if graph.is_cyclic else f'{graph.max_depth} bytes'}, at most {int(MAX_DEPTH)} are listed"
        )
    count_rules(units, graph, walk.n_rules)
    walk.graph = graph
    walk.base = unit_offset(units[0])
    return walk


cdef int count_rules(const vector[uint32_t]& units, RuleGraph graph, vector[int64_t]& n_rules) except -1:
    """Count the rules that end below each base. Raises ModelError if there are too many in all."""
    cdef vector[int64_t] n_bytes  # of those rules' sources, counted from the base
    cdef size_t k
    cdef uint32_t base, edge, child, unit, root = unit_offset(units[0])
    refill(n_rules, units.size(), 0)
    refill(n_bytes, units.size(), 0)
    for k in range(graph.order.size(), 0, -1):
        base = graph.order[k - 1]
        for edge in range(graph.first[base], graph.first[base + 1]):
            unit = units[graph.edges[edge]]
            child = graph.edges[edge] ^ unit_offset(unit)
            n_bytes[base] += n_bytes[child] + n_rules[child] + (unit >> 8 & 1)
            n_rules[base] += n_rules[child] + (unit >> 8 & 1)
            # Saturated above the limits, so that no sum overflows.
            n_bytes[base] = min(n_bytes[base], <int64_t> MAX_BYTES + 1)
            n_rules[base] = min(n_rules[base], <int64_t> MAX_RULES + 1)
    if n_rules[root] > MAX_RULES or n_bytes[root] > MAX_BYTES:
        raise ModelError(
            f"normalization rules: {units.size()} units spell more than {int(MAX_RULES)} rules or "
            f"{int(MAX_BYTES)} bytes of sources: not listed"
        )
    return 0


cdef str to_str(bytes raw):
    """Decode UTF-8; each ill-formed byte becomes U+FFFD."""
    cdef const uint8_t* data = <const uint8_t*> <const char*> raw
    cdef int64_t pos = 0
    cdef int64_t size = len(raw)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        chars = []
        while pos < size:
            n_bytes = char_size(data + pos, size - pos)
            chars.append(raw[pos : pos + n_bytes].decode() if n_bytes else "\ufffd")
            pos += n_bytes or 1
        return "".join(chars)
