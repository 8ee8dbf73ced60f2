"""Compiler of normalization rules: a DAWG in a double array, so that equal subtrees are stored once."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport ENDS_KEY, IS_VALUE, Builder, TrieKey
from spm_lite.base.system.heap cimport refill
from spm_lite.normalize.rules.dawg cimport State, WordGraph

from spm_lite.errors import OptionError

cdef enum:
    MAX_PREFIXES = 31       # nested prefixes: sources of which each starts the next; readers look at 32 at most

cdef uint32_t NOWHERE = 0   # a base that no state has


cdef struct Placement:
    # A unit whose children are still to be placed.
    uint32_t node
    uint32_t state


def compile_blob(dict rules) -> bytes:
    """Compile `rules` (source -> target, UTF-8 bytes) to the blob of a model file.

    Sources are not empty; neither side holds NUL. The order of the rules does not change the bytes.
    Raises OptionError if there are no rules, or more than 31 sources are prefixes of one another.
    """
    cdef vector[TrieKey] keys
    cdef vector[uint32_t] units
    cdef TrieKey key
    cdef bytes source
    if not rules:
        raise OptionError("a set of normalization rules needs at least one rule, and none is given (use \"identity\")")
    offsets, block = join_targets(rules)
    sources = sorted(rules)
    check_prefixes(sources)
    for source in sources:
        if not source or 0 in source:
            raise ValueError(f"a source has at least 1 byte, none of them NUL: {source!r}")
        key.data = <const uint8_t*> <const char*> source
        key.size = <int32_t> len(source)
        key.value = offsets[rules[source]]
        keys.push_back(key)
    build_shared_array(keys, units)
    array = b"".join([unit.to_bytes(4, "little") for unit in units])
    return len(array).to_bytes(4, "little") + array + block


def parse_table(bytes table not None) -> dict:
    """Return the rules of a table of ours: lines of source, tab and target, in hexadecimal code points with a space.

    Nothing is checked. Each line ends with a line feed, and no side holds U+0000.

    >>> parse_table(b"41 301\\tC1\\nAD\\t\\n")
    {'Á': 'Á', '\\xad': ''}
    """
    cdef dict rules = {}
    cdef str text = "", source = ""
    cdef uint32_t code_point = 0
    cdef uint8_t sign
    for sign in table:
        if sign > <uint8_t> b" ":
            code_point = code_point << 4 | (sign & 0xF) + (9 if sign > <uint8_t> b"9" else 0)
            continue
        if code_point:
            text += chr(code_point)
            code_point = 0
        if sign == <uint8_t> b"\t":
            source, text = text, ""
        elif sign == <uint8_t> b"\n":
            rules[source] = text
            text = ""
    return rules


def join_targets(rules: dict) -> tuple:
    """Return (target -> offset, the sorted distinct targets in one block, each ended by NUL)."""
    offsets = {}
    parts = []
    size = 0
    for target in sorted(set(rules.values())):
        if 0 in target:
            raise ValueError(f"a target holds no NUL: {target!r}")
        offsets[target] = size
        size += len(target) + 1
        parts.append(target)
    return offsets, b"\0".join(parts) + b"\0"


def check_prefixes(sources: list) -> None:
    """Raise OptionError if one of the sorted sources has more than 31 sources as prefixes, itself included."""
    prefixes = []
    for source in sources:
        while prefixes and not source.startswith(prefixes[len(prefixes) - 1]):
            prefixes.pop()
        prefixes.append(source)
        if len(prefixes) > MAX_PREFIXES:
            raise OptionError(
                f"{len(prefixes)} normalization rules have sources that start {source.decode()!r}, "
                f"at most {int(MAX_PREFIXES)} are allowed: leave out some of them"
            )


cdef int build_shared_array(const vector[TrieKey]& keys, vector[uint32_t]& units) except -1:
    """Build a double array in which equal subtrees are stored once.

    For the named rule sets it is a tenth of the size that `build_double_array` gives.
    """
    cdef WordGraph graph = WordGraph()
    cdef Builder builder = Builder()
    with nogil:
        graph.add_keys(keys.data(), keys.size())
        place_states(graph, builder)
    units.swap(builder.units)
    return 0


cdef int place_states(WordGraph graph, Builder builder) except -1 nogil:
    """Place the states depth first: each once, and again for units that cannot point to a copy already placed."""
    cdef vector[Placement] pending
    cdef vector[uint32_t] bases         # state -> base of its last copy
    cdef Placement here
    cdef State state
    cdef uint32_t base = 0
    cdef int32_t k
    refill(bases, graph.states.size(), NOWHERE)
    builder.start()
    pending.push_back(Placement(0, graph.root))
    while not pending.empty():
        here = pending.back()
        pending.pop_back()
        state = graph.states[here.state]
        if state.value >= 0:
            builder.units[here.node] |= ENDS_KEY
        base = bases[here.state]
        if base != NOWHERE and builder.can_point(here.node, base):
            builder.point(here.node, base)
            continue
        place_state(graph, builder, here.node, state, &base)
        bases[here.state] = base
        for k in range(state.n_edges - 1, -1, -1):
            pending.push_back(Placement(
                base ^ graph.edges[state.first_edge + k].label, graph.edges[state.first_edge + k].state,
            ))
    builder.finish()
    return 0


cdef int place_state(
    WordGraph graph, Builder builder, uint32_t node, State state, uint32_t* base,
) except -1 nogil:
    """Place the value and the children of one state; set `base` to where they are."""
    cdef uint8_t labels[256]
    cdef int32_t n_labels = 0
    cdef int32_t k
    if state.value >= 0:
        labels[0] = 0
        n_labels = 1
    for k in range(state.n_edges):
        labels[n_labels] = graph.edges[state.first_edge + k].label
        n_labels += 1
    builder.place(node, labels, n_labels, base)
    if state.value >= 0:
        builder.units[base[0]] = <uint32_t> IS_VALUE | <uint32_t> state.value
    for k in range(state.n_edges):
        builder.units[base[0] ^ graph.edges[state.first_edge + k].label] = graph.edges[state.first_edge + k].label
    return 0
